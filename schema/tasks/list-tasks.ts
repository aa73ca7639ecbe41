import { hash } from 'node:crypto';
import * as v from 'valibot';
import { oneOf, parseIsoTime, queryInteger } from '../fields/fields.ts';
import { named } from '../fields/named.ts';
import { LIMITS } from '../limits.ts';
import { TASK_STATUSES } from './task.ts';
import { filterEntries, filterKeyOf, type TaskFilter } from './task-filter.ts';
import { taskListView } from './task-view.ts';

const TASK_SORTS = ['createdAt', 'updatedAt', 'status', 'scheduledAt', 'dueAt'] as const;
const SORT_ORDERS = ['ASC', 'DESC'] as const;

/** Parameters that may be repeated or hold a comma list; any other given twice is a violation. */
export const TASK_LIST_PARAMETERS: ReadonlySet<string> = new Set(['status', 'taskType', 'agentId']);

const sortEntries = {
  sortBy: v.optional(oneOf(TASK_SORTS), 'createdAt'),
  sortOrder: v.optional(oneOf(SORT_ORDERS), 'DESC'),
};

/** The order; ties sort by id in the same direction. */
export type TaskSort = Readonly<v.InferOutput<v.ObjectSchema<typeof sortEntries, undefined>>>;

/** The query of GET /tasks/export. */
export const exportTasksQuery = v.object({ ...filterEntries, ...sortEntries });
export type ExportTasksQuery = v.InferOutput<typeof exportTasksQuery>;

/** The query of GET /tasks. Source: docs/contract.md §3 "Listing tasks", §1 "Lists". */
export const listTasksQuery = v.pipe(
  v.object({
    page: v.optional(queryInteger(1, Number.MAX_SAFE_INTEGER)),
    limit: v.optional(queryInteger(1, LIMITS.pageSize), String(LIMITS.defaultPageSize)),
    cursor: v.optional(v.string()),
    ...filterEntries,
    ...sortEntries,
  }),
  v.rawCheck(({ dataset, addIssue }) => {
    const query = dataset.value as Partial<ListTasksQuery>;
    const { cursor } = query;
    if (cursor === undefined) return;
    const path = [{ type: 'object', origin: 'value', input: query, key: 'cursor', value: cursor }] as const;
    if (query.page !== undefined) addIssue({ message: 'must not be given together with page', path: [...path] });
    if (dataset.typed && !findCursor(dataset.value))
      addIssue({ message: 'must be the nextCursor of this list with the same filters and sort', path: [...path] });
  }),
);
export type ListTasksQuery = v.InferOutput<typeof listTasksQuery>;

/** A page as GET /tasks shows it; `nextCursor` is null at the end of the list. */
export const taskPageView = named(
  'TaskPage',
  v.object({ ...taskListView.entries, nextCursor: v.nullable(v.string()) }),
);

/**
 * The last task of a page: what comes next lies behind it. `key` is a moment, or a place in TASK_STATUSES; null for a
 * task without a time, which stands last.
 */
export interface ListCursor {
  readonly key: string | number | null;
  readonly id: number;
}

/** The cursor of a query, or undefined when it has none or one that was made for another list. */
export function findCursor(
  query: TaskFilter & TaskSort & { readonly cursor?: string | undefined },
): ListCursor | undefined {
  if (query.cursor === undefined) return undefined;
  try {
    const [list, key, id] = JSON.parse(Buffer.from(query.cursor, 'base64url').toString('utf8')) as unknown[];
    if (list !== listKeyOf(query) || !isKey(key, query.sortBy) || !Number.isSafeInteger(id)) return undefined;
    return { key: key as ListCursor['key'], id: id as number };
  } catch {
    return undefined;
  }
}

export function formatCursor(query: TaskFilter & TaskSort, { key, id }: ListCursor): string {
  return Buffer.from(JSON.stringify([listKeyOf(query), key, id])).toString('base64url');
}

const LIST_KEY_CHARS = 16;

function listKeyOf(query: TaskFilter & TaskSort): string {
  const text = `${filterKeyOf(query)} ${query.sortBy} ${query.sortOrder}`;
  return hash('sha256', text, 'base64url' as 'base64').slice(0, LIST_KEY_CHARS);
}

function isKey(value: unknown, sortBy: TaskSort['sortBy']): boolean {
  if (sortBy === 'status') return value === Number(value) && value in TASK_STATUSES;
  return isMoment(value) || (sortBy === 'scheduledAt' && value === null);
}

function isMoment(value: unknown): boolean {
  return typeof value === 'string' && parseIsoTime(value) === value;
}
