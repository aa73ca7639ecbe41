import { hash } from 'node:crypto';
import * as v from 'valibot';
import { isoTime, oneOf, parseIsoTime, queryId, queryInteger, queryList } from '../fields/fields.ts';
import { shownAs } from '../fields/shown-as.ts';
import { LIMITS } from '../limits.ts';
import { ALL_TASK_TYPES, TASK_STATUSES, TIMES_TO_SERVE } from './task.ts';
import { taskListView } from './task-view.ts';

const TASK_SORTS = ['createdAt', 'updatedAt', 'status'] as const;
const SORT_ORDERS = ['ASC', 'DESC'] as const;

/** Parameters that may be repeated or hold a comma list; any other given twice is a violation. */
export const TASK_LIST_PARAMETERS: ReadonlySet<string> = new Set(['status', 'taskType', 'agentId']);

/** Any of them, each once and in order, so that two ways to write the same filter are one; none counts as absent. */
const anyOf = <const T extends readonly string[]>(values: T) => v.pipe(queryList(values), v.transform(normalized));
const anyId = v.pipe(v.array(queryId), v.transform(normalized));

function normalized<T extends string | number>(given: readonly T[]): readonly T[] | undefined {
  return given.length === 0 ? undefined : [...new Set(given)].sort((a, b) => (a < b ? -1 : 1));
}

const integrationData = v.pipe(
  v.array(v.tuple([v.string(), v.string()])),
  v.maxLength(LIMITS.integrationDataFilters, `must name at most ${LIMITS.integrationDataFilters} fields`),
  v.transform((pairs): readonly (readonly [key: string, value: string])[] =>
    pairs.sort(([a], [b]) => (a < b ? -1 : 1)),
  ),
);
const DATA_DESCRIPTION =
  `A text, number or boolean at the top level of integrationData, compared as text; of at most ` +
  `${LIMITS.integrationDataFilters} keys`;

const filterEntries = {
  status: v.optional(anyOf(TASK_STATUSES)),
  taskType: v.optional(anyOf(ALL_TASK_TYPES)),
  customerId: v.optional(queryId),
  agentId: v.optional(anyId),
  channelId: v.optional(queryId),
  locationId: v.optional(queryId),
  timeToServe: v.optional(oneOf(TIMES_TO_SERVE)),
  scheduledFrom: v.optional(isoTime),
  scheduledTo: v.optional(isoTime),
  integrationData: shownAs(v.optional(integrationData), { description: DATA_DESCRIPTION }),
};
const sortEntries = {
  sortBy: v.optional(oneOf(TASK_SORTS), 'createdAt'),
  sortOrder: v.optional(oneOf(SORT_ORDERS), 'DESC'),
};

/** Which tasks a list holds: those that match every member that is there. Source: docs/contract.md §1 "Lists". */
export type TaskFilter = Readonly<v.InferOutput<v.ObjectSchema<typeof filterEntries, undefined>>>;
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
      addIssue({ message: 'must be the nextCursor of a list with the same filters and sort', path: [...path] });
  }),
);
export type ListTasksQuery = v.InferOutput<typeof listTasksQuery>;

/**
 * Whether the tasks of a filter are counted by their kind alone (status, type, channel, time to serve), of which every
 * commit keeps the number.
 */
export function isCountedByKind(filter: TaskFilter): boolean {
  const { customerId, agentId, locationId, scheduledFrom, scheduledTo, integrationData } = filter;
  const others = [customerId, agentId, locationId, scheduledFrom, scheduledTo, integrationData];
  return others.every((part) => part === undefined);
}

/** A page as GET /tasks shows it; `nextCursor` is null at the end of the list. */
export const taskPageView = v.object({ ...taskListView.entries, nextCursor: v.nullable(v.string()) });

/** The last task of a page: what comes next lies behind it. `key` is a moment, or a place in TASK_STATUSES. */
export interface ListCursor {
  readonly key: string | number;
  readonly id: number;
}

const FILTER_NAMES = Object.keys(filterEntries) as (keyof TaskFilter)[];

/** The filter of a query: the parts that are there, and nothing else. */
export function filterOf(query: TaskFilter): TaskFilter {
  return Object.fromEntries(partsOf(query).map((name) => [name, query[name]]));
}

/** The names of the parts that are there, in the order of the query's schema. */
export function partsOf(filter: TaskFilter): readonly (keyof TaskFilter)[] {
  return FILTER_NAMES.filter((name) => filter[name] !== undefined);
}

export function isEmptyFilter(filter: TaskFilter): boolean {
  return partsOf(filter).length === 0;
}

/** The same text for the same filter, however its query was written. */
export function filterKeyOf(filter: TaskFilter): string {
  return JSON.stringify(FILTER_NAMES.map((name) => filter[name] ?? null));
}

/** The cursor of a query, or undefined when it has none or one that was made for another list. */
export function findCursor(
  query: TaskFilter & TaskSort & { readonly cursor?: string | undefined },
): ListCursor | undefined {
  if (query.cursor === undefined) return undefined;
  try {
    const [list, key, id] = JSON.parse(Buffer.from(query.cursor, 'base64url').toString('utf8')) as unknown[];
    const isKey = query.sortBy === 'status' ? key === Number(key) && key in TASK_STATUSES : isMoment(key);
    if (list !== listKeyOf(query) || !isKey || !Number.isSafeInteger(id)) return undefined;
    return { key: key as string | number, id: id as number };
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

function isMoment(value: unknown): boolean {
  return typeof value === 'string' && parseIsoTime(value) === value;
}
