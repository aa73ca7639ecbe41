import * as v from 'valibot';
import { LIMITS } from '../limits.ts';
import { parseIsoTime, queryInteger } from './fields.ts';
import { named } from './named.ts';
import { shownInteger } from './shown-fields.ts';

const pageNumber = queryInteger(1, Number.MAX_SAFE_INTEGER);
const pageLimit = v.optional(queryInteger(1, LIMITS.pageSize), String(LIMITS.defaultPageSize));

/** The parameters of a list that is read page by page. Source: docs/contract.md §1 "Limits". */
export const pageQuery = { page: v.optional(pageNumber, '1'), limit: pageLimit };

/** A record of a list that is newest first. `at`: its time to the microsecond, since many may share a millisecond. */
export interface ListPlace {
  readonly at: string;
  readonly id: number;
}

/** The part of a list that a query asks for: `limit` records after `skip` others, behind `after` where it is there. */
export interface ListPart {
  readonly limit: number;
  readonly skip: number;
  readonly after: ListPlace | undefined;
  /** The key of the list and its filters: a cursor of one list is none of another. */
  readonly listKey: number;
}

const partEntries = { page: v.optional(pageNumber), limit: pageLimit, cursor: v.optional(v.string()) };
type PartQuery = v.InferOutput<v.ObjectSchema<typeof partEntries, undefined>>;
type FilterOf<Entries extends v.ObjectEntries> = v.InferOutput<v.ObjectSchema<Entries, undefined>>;

/**
 * The query of a list that is newest first, and is read by `page` or by `cursor`. It gives the values of its filters and
 * the `part` of the list. `what`: the records, in the plural.
 */
export function listQuery<const Filters extends v.ObjectEntries>(what: string, filters: Filters) {
  const ofList = ofSameList(what, filters);
  return v.pipe(
    v.object({ ...partEntries, ...filters }),
    v.rawCheck(({ dataset, addIssue }) => {
      const given: unknown = dataset.value;
      const { page, limit: _, cursor, ...filter } = given as Partial<PartQuery>;
      if (cursor === undefined) return;
      const path = [{ type: 'object', origin: 'value', input: {}, key: 'cursor', value: cursor }] as const;
      if (page !== undefined) addIssue({ message: 'must not be given together with page', path: [...path] });
      if (dataset.typed && !parseListCursor(cursor, listKeyOf(what, filter)))
        addIssue({ message: ofList, path: [...path] });
    }),
    v.transform((parsed) => {
      const given: unknown = parsed;
      const { page = 1, limit, cursor, ...filter } = given as PartQuery & FilterOf<Filters>;
      const listKey = listKeyOf(what, filter);
      const after = cursor === undefined ? undefined : parseListCursor(cursor, listKey);
      const part: ListPart = { limit, skip: (page - 1) * limit, after, listKey };
      return { ...filter, part };
    }),
  );
}

function ofSameList(what: string, filters: v.ObjectEntries): string {
  const isFiltered = Object.keys(filters).length > 0;
  return `must be the nextCursor of a list of ${what}${isFiltered ? ' with the same filters' : ''}`;
}

/** The same for the same filters, however their query was written. */
function listKeyOf(what: string, filter: object): number {
  const parts = Object.entries(filter).flatMap(([name, value]) => {
    if (!Array.isArray(value)) return value === undefined ? [] : [[name, value]];
    return value.length === 0 ? [] : [[name, [...new Set(value)].sort()]];
  });
  return digestOf(JSON.stringify([what, parts]));
}

/** FNV-1a: it notices a mistake, no more is needed, and a browser has it too. */
export function digestOf(text: string): number {
  let digest = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1)
    digest = Math.imul(digest ^ text.charCodeAt(index), 0x01000193) >>> 0;
  return digest;
}

const EXACT_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}(?:\d{3})?Z$/;

function parseListCursor(text: string, listKey: number): ListPlace | undefined {
  try {
    const [key, at, id] = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as unknown[];
    const isTime = typeof at === 'string' && EXACT_TIME.test(at) && parseIsoTime(at) !== undefined;
    return key === listKey && isTime && isId(id) ? { at, id } : undefined;
  } catch {
    return undefined;
  }
}

function isId(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0;
}

export function formatListCursor(listKey: number, { at, id }: ListPlace): string {
  return Buffer.from(JSON.stringify([listKey, at, id])).toString('base64url');
}

/** A page of such a list as answers show it; `nextCursor` is null at the end. */
export function pageView<Item extends v.GenericSchema>(name: string, item: Item) {
  return named(name, v.object({ items: v.array(item), count: shownInteger, nextCursor: v.nullable(v.string()) }));
}

const idPartEntries = { cursor: v.optional(v.string()), limit: pageLimit };
type IdPartQuery = v.InferOutput<v.ObjectSchema<typeof idPartEntries, undefined>>;

/** The part of a list by ids that a query asks for: `limit` records whose ids are less than `before`, where it is there. */
export interface IdListPart {
  readonly limit: number;
  readonly before: number | undefined;
  /** As that of ListPart. */
  readonly listKey: number;
}

/** The query of a list that is newest first by its ids, and is read by `cursor` alone. Otherwise as `listQuery`. */
export function idListQuery<const Filters extends v.ObjectEntries>(what: string, filters: Filters) {
  return v.pipe(
    v.object({ ...filters, ...idPartEntries }),
    v.rawTransform(({ dataset, addIssue, NEVER }) => {
      const given: unknown = dataset.value;
      const { limit, cursor, ...filter } = given as IdPartQuery & FilterOf<Filters>;
      const listKey = listKeyOf(what, filter);
      const before = cursor === undefined ? undefined : parseIdCursor(cursor, listKey);
      const part: IdListPart = { limit, before, listKey };
      if (cursor === undefined || before !== undefined) return { ...filter, part };
      const path = [{ type: 'object', origin: 'value', input: {}, key: 'cursor', value: cursor }] as const;
      addIssue({ message: ofSameList(what, filters), path: [...path] });
      return NEVER;
    }),
  );
}

function parseIdCursor(text: string, listKey: number): number | undefined {
  try {
    const [key, id] = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as unknown[];
    return key === listKey && isId(id) && formatIdCursor(listKey, id) === text ? id : undefined;
  } catch {
    return undefined;
  }
}

export function formatIdCursor(listKey: number, id: number): string {
  return Buffer.from(JSON.stringify([listKey, id])).toString('base64url');
}
