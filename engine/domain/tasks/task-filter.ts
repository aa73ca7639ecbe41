import type { CustomerRecord } from '../../../schema/customers/customer.ts';
import type { LocationRecord } from '../../../schema/customers/location.ts';
import type { BoundingBox } from '../../../schema/fleet/position.ts';
import type { PackageRecord } from '../../../schema/tasks/package.ts';
import type { TaskRecord } from '../../../schema/tasks/task.ts';
import { type TaskFilter, TIME_RANGES } from '../../../schema/tasks/task-filter.ts';
import { isInBox } from '../bounding-box.ts';
import { phoneDigitsOf, searchable } from '../search-text.ts';
import { dueAtOf, isDelayed } from './delay.ts';

/** The records beside a task that a filter may look into. */
export interface Belongings {
  readonly customer: Pick<CustomerRecord, 'firstName' | 'lastName' | 'phoneE164'> | null;
  readonly location: Pick<LocationRecord, 'latitude' | 'longitude'> | null;
  readonly packages: readonly Pick<PackageRecord, 'barcode'>[];
}

/** Whether a filter looks beyond the task's own record. */
function needsBelongings({ search, bbox }: TaskFilter): boolean {
  return search !== undefined || bbox !== undefined;
}

/**
 * Whether a list with this filter holds the task; says the same as the SQL of
 * engine/store/task-lists/task-list-conditions.ts.
 */
export function matchesFilter(task: TaskRecord, filter: TaskFilter, belongings?: Belongings): boolean {
  return (
    isOfKind(task, filter) &&
    isNamed(task, filter) &&
    isInState(task, filter) &&
    TIME_RANGES.every(({ from, to, at }) => isBetween(filter[from], filter[to], () => momentOf(task, at))) &&
    hasIntegrationData(task.integrationData, filter) &&
    (!needsBelongings(filter) || hasBelongings(task, filter, belongings))
  );
}

/** The filter among the tasks of one agent; null stands for all tasks. */
export function narrowToAgent(filter: TaskFilter, agentId: number | null): TaskFilter {
  if (agentId === null) return filter;
  const isAsked = filter.agentId?.includes(agentId) ?? true;
  return { ...filter, agentId: [isAsked ? agentId : 0] };
}

function isOfKind(task: TaskRecord, { status, taskType, channelId, timeToServe }: TaskFilter): boolean {
  if (status && !status.includes(task.status)) return false;
  if (taskType && !taskType.includes(task.taskType)) return false;
  if (channelId !== undefined && task.channelId !== channelId) return false;
  return !timeToServe || task.timeToServe === timeToServe;
}

function isNamed(task: TaskRecord, { customerId, agentId, locationId, parentId, code }: TaskFilter): boolean {
  if (customerId !== undefined && task.customerId !== customerId) return false;
  if (agentId && (task.agentId === null || !agentId.includes(task.agentId))) return false;
  if (locationId !== undefined && task.locationId !== locationId) return false;
  if (parentId !== undefined && task.parentId !== parentId) return false;
  return !code || code.includes(task.code);
}

function isInState(task: TaskRecord, filter: TaskFilter): boolean {
  const { outcome, autoAssignmentStatus, courierType, unassigned } = filter;
  if (outcome && task.outcome !== outcome) return false;
  if (autoAssignmentStatus && task.autoAssignmentStatus !== autoAssignmentStatus) return false;
  if (courierType && task.courierType !== courierType) return false;
  if (filter.isDelayed !== undefined && isDelayed(task) !== filter.isDelayed) return false;
  return unassigned === undefined || (task.agentId === null && task.courierId === null) === unassigned;
}

function momentOf(task: TaskRecord, at: (typeof TIME_RANGES)[number]['at']): string | null {
  return at === 'dueAt' ? dueAtOf(task) : task[at];
}

/** Moments are ISO 8601 UTC in milliseconds, which compare as text. */
function isBetween(from: string | undefined, to: string | undefined, momentOf: () => string | null): boolean {
  if (from === undefined && to === undefined) return true;
  const moment = momentOf();
  if (moment === null) return false;
  return !(from !== undefined && moment < from) && !(to !== undefined && moment > to);
}

function hasIntegrationData(data: TaskRecord['integrationData'], { integrationData: wanted }: TaskFilter): boolean {
  return wanted === undefined || wanted.every(([key, value]) => data !== null && textOf(data, key) === value);
}

/** The text of a scalar at the top level; objects, arrays and null have none. */
function textOf(data: Readonly<Record<string, unknown>>, key: string): string | undefined {
  const value = Object.hasOwn(data, key) ? data[key] : null;
  return typeof value === 'object' || value === undefined ? undefined : String(value);
}

function hasBelongings(task: TaskRecord, { search, bbox }: TaskFilter, belongings: Belongings | undefined): boolean {
  if (!belongings) throw new RangeError('this filter looks into records beside the task');
  if (bbox && !isWithin(bbox, belongings.location)) return false;
  return search === undefined || isFound(task, search, belongings);
}

function isWithin(bbox: BoundingBox, place: Belongings['location']): boolean {
  return place !== null && isInBox(bbox, place.latitude, place.longitude);
}

function isFound({ code, name }: TaskRecord, search: string, { customer, packages }: Belongings): boolean {
  const wanted = searchable(search);
  const texts = [code, name, ...packages.flatMap(({ barcode }) => barcode ?? [])];
  if (customer) texts.push(fullNameOf(customer));
  if (texts.some((text) => searchable(text).includes(wanted))) return true;
  const digits = phoneDigitsOf(search);
  return digits !== '' && (customer?.phoneE164?.slice(1).includes(digits) ?? false);
}

function fullNameOf({ firstName, lastName }: NonNullable<Belongings['customer']>): string {
  return lastName === '' ? firstName : `${firstName} ${lastName}`;
}
