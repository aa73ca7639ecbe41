import type { TaskFilter } from '../../../schema/tasks/list-tasks.ts';
import { TASK_STATUSES } from '../../../schema/tasks/task.ts';
import { numberArray, textArray } from '../postgres.ts';

/** The parameters of a statement that is put together from pieces. `$1` is always the organization. */
export class Parameters {
  readonly values: (string | number | null)[];

  constructor(organizationId: number) {
    this.values = [organizationId];
  }

  /** Adds a value and returns its placeholder in the text. */
  add(value: string | number | null, type: string): string {
    this.values.push(value);
    return `$${this.values.length}::${type}`;
  }
}

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

type Way = 'seek' | 'lead' | 'probe';

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
  const window = windowCondition(filter, parameters, way);
  if (window) all.push(window);
  for (const [key, value] of filter.integrationData ?? []) {
    const listed = `SELECT r.task_id FROM task_references r
      WHERE r.organization_id = $1::bigint AND r.reference = ${referenceText(key, value, parameters)}`;
    all.push(way === 'probe' ? `EXISTS (${listed} AND r.task_id = t.id)` : isAmong(listed, way));
  }
  return all.join(' AND ') || 'true';
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

function windowCondition(filter: TaskFilter, parameters: Parameters, way: Way): string | undefined {
  const { scheduledFrom, scheduledTo } = filter;
  if (scheduledFrom === undefined && scheduledTo === undefined) return undefined;
  if (way === 'probe') return windowText(filter, 't', parameters);
  const listed = `SELECT s.task_id FROM scheduled_tasks s
      WHERE s.organization_id = $1::bigint AND ${windowText(filter, 's', parameters)}`;
  return isAmong(listed, way);
}

function isAmong(listed: string, way: 'seek' | 'lead'): string {
  return way === 'lead' ? `t.id = ANY (ARRAY(${listed}))` : `t.id IN (${listed})`;
}

/** The row `alias` is scheduled between the bounds, of which there is at least one. */
export function windowText({ scheduledFrom, scheduledTo }: TaskFilter, alias: string, parameters: Parameters): string {
  const bounds: string[] = [];
  if (scheduledFrom !== undefined)
    bounds.push(`${alias}.scheduled_at >= ${parameters.add(scheduledFrom, 'timestamptz')}`);
  if (scheduledTo !== undefined) bounds.push(`${alias}.scheduled_at <= ${parameters.add(scheduledTo, 'timestamptz')}`);
  return bounds.join(' AND ');
}
