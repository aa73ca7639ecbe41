import { formatListCursor, type ListPart } from '../../schema/fields/page-query.ts';
import type { Parameters } from './parameters.ts';
import type { Fragment, Sql } from './postgres.ts';

/** The pages of lists that are newest first, and go on behind a cursor along the index in their order. */

export interface ListPage<Item> {
  readonly items: readonly Item[];
  /** Exact number of all that match, of the same snapshot as the items. */
  readonly count: number;
  readonly nextCursor: string | null;
  /** Sequence of the organization's log at which the page was true. */
  readonly sequence: number;
}

/** A row of the statement of a page, with record `Row`. An empty page has one row, without a record. */
export type Listed<Row> = Row & {
  readonly sequence: number;
  readonly count: number;
  readonly listedAt: string;
  readonly listedId: number | null;
};

/** The column that a list is ordered by: a time, or the text of one. */
interface ListOrder {
  readonly column: string;
  readonly type: 'timestamptz' | 'text';
}

const BY_CREATION: ListOrder = { column: 'created_at', type: 'timestamptz' };

/** Columns of the place of record `b`, whose time is exact. */
export function listPlace({ column, type } = BY_CREATION): string {
  const at = type === 'text' ? `b.${column}` : `to_char(b.${column}, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
  return `${at} AS listed_at, b.id AS listed_id`;
}

/** The part of records `alias`, after a condition: one record more than its limit shows whether others follow. */
export function listPart(
  sql: Sql,
  { limit, skip, after }: ListPart,
  alias: string,
  { column, type } = BY_CREATION,
): Fragment {
  const [at, id] = [sql.unsafe(`${alias}.${column}`), sql.unsafe(`${alias}.id`)];
  return sql`${after ? sql`AND (${at}, ${id}) < (${after.at}::${sql.unsafe(type)}, ${after.id}::bigint)` : sql``}
    ORDER BY ${at} DESC, ${id} DESC LIMIT ${limit + 1} OFFSET ${skip}`;
}

/** The same as text, for a statement that is planned each time. */
export function listPartText({ limit, skip, after }: ListPart, alias: string, parameters: Parameters): string {
  const [at, id] = [`${alias}.created_at`, `${alias}.id`];
  const behind = after && `(${parameters.add(after.at, 'timestamptz')}, ${parameters.add(after.id, 'bigint')})`;
  return `${behind ? `AND (${at}, ${id}) < ${behind}` : ''}
    ORDER BY ${at} DESC, ${id} DESC LIMIT ${parameters.add(limit + 1, 'bigint')} OFFSET ${parameters.add(skip, 'bigint')}`;
}

/** The page of a part, of the rows that its statement gave. */
export function pageOf<Row, Item>(
  rows: readonly Listed<Row>[],
  { limit, listKey }: ListPart,
  itemOf: (row: Row) => Item,
): ListPage<Item> {
  const shown = rows.filter((row) => row.listedId !== null).slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return {
    items: shown.map(itemOf),
    count: rows[0]?.count ?? 0,
    nextCursor: last ? formatListCursor(listKey, { at: last.listedAt, id: last.listedId! }) : null,
    sequence: rows[0]?.sequence ?? 0,
  };
}
