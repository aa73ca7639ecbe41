import { isTerminal, TASK_STATUSES } from '../../../schema/tasks/task.ts';
import { type TaskFilter, TIME_RANGES, type TimeRange } from '../../../schema/tasks/task-filter.ts';
import type { Parameters } from '../parameters.ts';
import { numberArray, textArray } from '../postgres.ts';
import { foundText, isFoundText, isWithinText, withinText } from './task-list-searches.ts';

const RANK = `(CASE c.status ${TASK_STATUSES.map((status, rank) => `WHEN '${status}' THEN ${rank}`).join(' ')} END)::smallint`;

/** `alias`, a counter or a task, is of a kind that a filter permits. */
export type OfKinds = (alias: string) => string;

/**
 * The parts that count by kind alone. The text is the same for every filter except its statuses, which exclude most
 * counters: few statements need to be prepared.
 */
export function ofKindsText(filter: TaskFilter, parameters: Parameters): OfKinds {
  const { status, taskType, channelId, timeToServe } = filter;
  const statuses = status && parameters.add(textArray(status), 'text[]');
  const types = parameters.add(taskType ? textArray(taskType) : null, 'text[]');
  const channel = parameters.add(channelId ?? null, 'bigint');
  const serve = parameters.add(timeToServe ?? null, 'text');
  return (alias) => `${statuses ? `${alias}.status = ANY (${statuses})` : 'true'}
      AND (${types} IS NULL OR ${alias}.task_type = ANY (${types})) AND (${channel} IS NULL OR ${alias}.channel_id = ${channel})
      AND (${serve} IS NULL OR ${alias}.time_to_serve = ${serve})`;
}

/** Those kinds of tasks, each with the number of its tasks. */
export function kindsText(ofKinds: OfKinds): string {
  return `SELECT ${RANK} AS status_rank, c.task_type, c.channel_id, c.time_to_serve, c.count
    FROM task_counts c WHERE c.organization_id = $1::bigint AND c.count > 0 AND ${ofKinds('c')}`;
}

export type Way = 'seek' | 'lead' | 'probe';

/**
 * A filter permits task `t` of the organization; the same rule as matchesFilter. `seek` leads to the tasks from their
 * side tables, unless the planner knows a shorter way; `lead` leaves it no other, and spares it the way from one id to
 * the next where they lie close together; `probe` asks about a task at hand.
 */
export function conditionsOf(filter: TaskFilter, parameters: Parameters, way: Way): string {
  const { status, taskType, customerId, agentId, channelId, locationId, timeToServe } = filter;
  const all: string[] = [];
  if (status) all.push(`t.status_rank = ANY (${parameters.add(numberArray(ranksOf(status)), 'smallint[]')})`);
  if (taskType) all.push(`t.task_type = ANY (${parameters.add(textArray(taskType), 'text[]')})`);
  if (channelId !== undefined) all.push(`t.channel_id = ${parameters.add(channelId, 'bigint')}`);
  if (timeToServe) all.push(`t.time_to_serve = ${parameters.add(timeToServe, 'text')}`);
  if (customerId !== undefined) all.push(`t.customer_id = ${parameters.add(customerId, 'bigint')}`);
  if (agentId) all.push(`t.agent_id = ANY (${parameters.add(numberArray(agentId), 'bigint[]')})`);
  if (locationId !== undefined) all.push(locationCondition(parameters.add(locationId, 'bigint'), way));
  if (filter.code) all.push(`t.code = ANY (${parameters.add(textArray(filter.code), 'text[]')})`);
  if (filter.parentId !== undefined) all.push(parentCondition(parameters.add(filter.parentId, 'bigint'), way));
  all.push(...stateConditions(filter));
  for (const range of TIME_RANGES) {
    const bounds = hasRange(filter, range) ? rangeCondition(filter, range, parameters, way) : undefined;
    if (bounds) all.push(bounds);
  }
  for (const [key, value] of filter.integrationData ?? []) {
    const listed = `SELECT r.task_id FROM task_references r
      WHERE r.organization_id = $1::bigint AND r.reference = ${referenceText(key, value, parameters)}`;
    all.push(way === 'probe' ? `EXISTS (${listed} AND r.task_id = t.id)` : isAmong(listed, way));
  }
  const { search, bbox } = filter;
  if (search !== undefined) {
    all.push(
      way === 'probe'
        ? isFoundText(search, parameters)
        : isAmong(`SELECT f.id FROM (${foundText(search, parameters)}) f`, 'lead'),
    );
  }
  if (bbox) {
    const isAtHand = way === 'probe' || isNarrow(filter);
    const within = () => isAmong(`SELECT w.id FROM (${withinText(bbox, parameters)}) w`, 'seek');
    all.push(isAtHand ? isWithinText(bbox, parameters) : within());
  }
  return all.join(' AND ') || 'true';
}

/** Whether few tasks match the rest of a filter with a box: each is looked at, however many places lie in the box. */
function isNarrow(filter: TaskFilter): boolean {
  const { status, customerId, agentId, locationId, integrationData, code, search, parentId } = filter;
  const names = [customerId, agentId, locationId, integrationData, code, search, parentId];
  const isOpen = status?.every((one) => !isTerminal(one)) ?? false;
  return isOpen || filter.isDelayed === true || filter.unassigned === true || names.some((part) => part !== undefined);
}

/**
 * The parts that an index has as its condition: their texts are literal, so that a plan for all values may use it. Tasks
 * in the first two statuses are found by them; the others that nobody has are few.
 */
function stateConditions({ outcome, autoAssignmentStatus, courierType, isDelayed, unassigned }: TaskFilter): string[] {
  const all: string[] = [];
  if (outcome) all.push(`t.outcome = '${outcome}'`);
  if (autoAssignmentStatus) {
    all.push(`t.auto_assignment_status = '${autoAssignmentStatus}'`);
    if (autoAssignmentStatus !== 'not_requested') all.push(`t.auto_assignment_status <> 'not_requested'`);
  }
  if (courierType) all.push(`t.courier_type = '${courierType}'`);
  if (isDelayed !== undefined) all.push(isDelayed ? IS_DELAYED : `NOT (${IS_DELAYED})`);
  if (unassigned)
    all.push(`(t.status_rank < ${FIRST_TAKEN} OR (t.status_rank >= ${FIRST_TAKEN} AND ${IS_UNASSIGNED}))`);
  if (unassigned !== undefined) all.push(unassigned ? IS_UNASSIGNED : `NOT (${IS_UNASSIGNED})`);
  return all;
}

const IS_DELAYED = `t.delayed_at IS NOT NULL AND t.status_rank < ${TASK_STATUSES.indexOf('cancelled')}`;
export const IS_UNASSIGNED = 't.agent_id IS NULL AND t.courier_id IS NULL';
/** Before it, nobody has a task. */
export const FIRST_TAKEN = TASK_STATUSES.indexOf('assigned');

/** The parts of a job stand in its row: no index on tasks is needed for them. */
function parentCondition(parent: string, way: Way): string {
  const isPart = `t.parent_id = ${parent}`;
  if (way === 'probe') return isPart;
  const listed = `SELECT c.value::bigint FROM tasks p CROSS JOIN LATERAL json_array_elements_text(p.child_ids) c
      WHERE p.organization_id = $1::bigint AND p.id = ${parent}`;
  return `${isPart} AND ${isAmong(listed, way)}`;
}

export function ranksOf(statuses: readonly (typeof TASK_STATUSES)[number][]): number[] {
  return statuses.map((status) => TASK_STATUSES.indexOf(status));
}

export function referenceText(key: string, value: string, parameters: Parameters): string {
  return `task_reference(${parameters.add(key, 'text')}, ${parameters.add(value, 'text')})`;
}

/** Few tasks share a place: an index on tasks that finds them is spared. */
function locationCondition(location: string, way: Way): string {
  const isThere = `t.location_id = ${location}`;
  if (way === 'probe') return isThere;
  const listed = `SELECT l.task_id FROM locations l WHERE l.organization_id = $1::bigint AND l.id = ${location} AND l.task_id IS NOT NULL
      UNION SELECT u.task_id FROM location_uses u WHERE u.organization_id = $1::bigint AND u.location_id = ${location}`;
  return `${isThere} AND ${isAmong(listed, way)}`;
}

const COLUMNS = {
  scheduledAt: 'scheduled_at',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
  completedAt: 'completed_at',
  dueAt: 'due_at',
} as const;

export function hasRange(filter: TaskFilter, { from, to }: TimeRange): boolean {
  return (filter[from] ?? filter[to]) !== undefined;
}

function rangeCondition(filter: TaskFilter, range: TimeRange, parameters: Parameters, way: Way): string {
  if (range.at !== 'scheduledAt' || way === 'probe') return rangeText(filter, range, 't', parameters);
  const listed = `SELECT s.task_id FROM scheduled_tasks s
      WHERE s.organization_id = $1::bigint AND ${rangeText(filter, range, 's', parameters)}`;
  return isAmong(listed, way);
}

function isAmong(listed: string, way: 'seek' | 'lead'): string {
  return way === 'lead' ? `t.id = ANY (ARRAY(${listed}))` : `t.id IN (${listed})`;
}

/** The moment of the row `alias` lies between the bounds, of which there is at least one. */
export function rangeText(
  filter: TaskFilter,
  { from, to, at }: TimeRange,
  alias: string,
  parameters: Parameters,
): string {
  const column = `${alias}.${COLUMNS[at]}`;
  const [first, last] = [filter[from], filter[to]];
  const bounds: string[] = [];
  if (first !== undefined) bounds.push(`${column} >= ${parameters.add(first, 'timestamptz')}`);
  if (last !== undefined) bounds.push(`${column} <= ${parameters.add(last, 'timestamptz')}`);
  return bounds.join(' AND ');
}
