import * as v from 'valibot';
import { hasAtMost, isoTime, oneOf, queryFlag, queryId, queryList } from '../fields/fields.ts';
import { shownAs } from '../fields/shown-as.ts';
import { queryBox } from '../fleet/position.ts';
import { LIMITS } from '../limits.ts';
import {
  ALL_TASK_TYPES,
  AUTO_ASSIGNMENT_STATUSES,
  COURIER_TYPES,
  TASK_OUTCOMES,
  TASK_STATUSES,
  TIMES_TO_SERVE,
} from './task.ts';

/** Any of them, each once and in order, so that two ways to write the same filter are one; none counts as absent. */
const anyOf = <const T extends readonly string[]>(values: T) => v.pipe(queryList(values), v.transform(normalized));
const anyId = v.pipe(v.array(queryId), v.transform(normalized));

function normalized<T extends string | number>(given: readonly T[]): readonly T[] | undefined {
  return given.length === 0 ? undefined : [...new Set(given)].sort((a, b) => (a < b ? -1 : 1));
}

const anyCode = v.pipe(
  v.string(),
  v.transform((text) => ({ text, codes: normalized(text.split(',').filter((code) => code !== '')) })),
  v.check(
    ({ codes }) => (codes?.length ?? 0) <= LIMITS.listItems,
    `must hold at most ${LIMITS.listItems} codes, separated by commas`,
  ),
  // A code may hold commas itself.
  v.transform(({ text, codes }) => codes && normalized([...codes, text])),
);
const search = v.pipe(
  v.string(),
  v.check((text) => hasAtMost(LIMITS.shortTextChars, text), `must be at most ${LIMITS.shortTextChars} characters`),
);

const integrationData = v.pipe(
  v.array(v.tuple([v.string(), v.string()])),
  v.maxLength(LIMITS.integrationDataFilters, `must name at most ${LIMITS.integrationDataFilters} fields`),
  v.transform((pairs): readonly (readonly [key: string, value: string])[] =>
    pairs.sort(([a], [b]) => (a < b ? -1 : 1)),
  ),
);

const said = (description: string) => ({ description });
const DATA_DESCRIPTION =
  `A text, number or boolean at the top level of integrationData, compared as text; of at most ` +
  `${LIMITS.integrationDataFilters} keys`;
const SEARCH_DESCRIPTION =
  'Part of the code, the name, the name of the customer or the barcode of a package, regardless of case, or of the ' +
  'digits of the customer’s phone';
const BOX_DESCRIPTION =
  'west,south,east,north in degrees: tasks whose location lies in it. Where west is above east it crosses the ' +
  'antimeridian';

/** Parameters that say which tasks a list holds. */
export const filterEntries = {
  status: v.optional(anyOf(TASK_STATUSES)),
  taskType: v.optional(anyOf(ALL_TASK_TYPES)),
  customerId: v.optional(queryId),
  agentId: v.optional(anyId),
  channelId: v.optional(queryId),
  locationId: v.optional(queryId),
  timeToServe: v.optional(oneOf(TIMES_TO_SERVE)),
  scheduledFrom: v.optional(isoTime),
  scheduledTo: v.optional(isoTime),
  integrationData: shownAs(v.optional(integrationData), said(DATA_DESCRIPTION)),
  code: shownAs(v.optional(anyCode), said(`Any of these codes, separated by commas; at most ${LIMITS.listItems}`)),
  search: shownAs(v.optional(search), said(SEARCH_DESCRIPTION)),
  createdFrom: v.optional(isoTime),
  createdTo: v.optional(isoTime),
  updatedFrom: v.optional(isoTime),
  updatedTo: v.optional(isoTime),
  completedFrom: v.optional(isoTime),
  completedTo: v.optional(isoTime),
  dueFrom: v.optional(isoTime),
  dueTo: v.optional(isoTime),
  outcome: v.optional(oneOf(TASK_OUTCOMES)),
  isDelayed: v.optional(queryFlag),
  autoAssignmentStatus: v.optional(oneOf(AUTO_ASSIGNMENT_STATUSES)),
  parentId: v.optional(queryId),
  courierType: v.optional(oneOf(COURIER_TYPES)),
  unassigned: shownAs(v.optional(queryFlag), said('true: tasks that neither an agent nor an external courier has')),
  bbox: shownAs(v.optional(queryBox), said(BOX_DESCRIPTION)),
};

/** Which tasks a list holds: those that match every member that is there. Source: docs/contract.md §1 "Lists". */
export type TaskFilter = Readonly<v.InferOutput<v.ObjectSchema<typeof filterEntries, undefined>>>;
type Part = keyof TaskFilter;

/** Filters by time: both bounds are included. */
export const TIME_RANGES = [
  { from: 'scheduledFrom', to: 'scheduledTo', at: 'scheduledAt' },
  { from: 'createdFrom', to: 'createdTo', at: 'createdAt' },
  { from: 'updatedFrom', to: 'updatedTo', at: 'updatedAt' },
  { from: 'completedFrom', to: 'completedTo', at: 'completedAt' },
  { from: 'dueFrom', to: 'dueTo', at: 'dueAt' },
] as const;
export type TimeRange = (typeof TIME_RANGES)[number];

const FILTER_NAMES = Object.keys(filterEntries) as Part[];
/** The parts by which every commit counts tasks. */
const KIND_NAMES: ReadonlySet<Part> = new Set(['status', 'taskType', 'channelId', 'timeToServe']);

/** The filter of a query: the parts that are there, and nothing else. */
export function filterOf(query: TaskFilter): TaskFilter {
  return Object.fromEntries(partsOf(query).map((name) => [name, query[name]]));
}

/** The names of the parts that are there, in the order of the query's schema. */
export function partsOf(filter: TaskFilter): readonly Part[] {
  return FILTER_NAMES.filter((name) => filter[name] !== undefined);
}

export function isEmptyFilter(filter: TaskFilter): boolean {
  return partsOf(filter).length === 0;
}

/** Whether the tasks of a filter are counted by their kind alone (status, type, channel, time to serve). */
export function isCountedByKind(filter: TaskFilter): boolean {
  return partsOf(filter).every((name) => KIND_NAMES.has(name));
}

/** The same text for the same filter, however its query was written. */
export function filterKeyOf(filter: TaskFilter): string {
  return JSON.stringify(FILTER_NAMES.map((name) => filter[name] ?? null));
}
