import type { TaskStatus } from '../../../schema/tasks/task.ts';
import type { Place, Slot, Stop } from '../assignment/round-view.ts';

/** A task that an agent still has to carry out. Times are milliseconds since the epoch. */
export interface RouteTask {
  readonly taskId: number;
  readonly status: TaskStatus;
  readonly assignedAt: number;
  readonly readyAt: number | null;
  readonly windowStart: number | null;
  readonly dueAt: number | null;
  /** At its place; null is as long as usual. */
  readonly serviceMs: number | null;
  readonly slot: Slot | null;
  readonly pickup: Place | null;
  /** Tasks of the same key are fetched at once. */
  readonly pickupKey: string | null;
  readonly dropoff: Place | null;
  /** When the agent reached the pickup and the place, and when it had the goods; null while it has not. */
  readonly pickupArrivedAt: number | null;
  readonly pickedUpAt: number | null;
  readonly arrivedAt: number | null;
}

/** How long agents usually are at the pickup and at the place. */
export interface ServiceTimes {
  readonly pickupServiceMs: number;
  readonly dropoffServiceMs: number;
}

export interface OpenStop extends Stop {
  readonly kind: 'pickup' | 'dropoff';
  /** More than one where they are fetched at once. */
  readonly taskIds: readonly number[];
  readonly pickupKey: string | null;
  /** When the first of them may be begun, while `earliest` is for the last. */
  readonly firstFrom: number;
  /** The agent is there already: since when. */
  readonly arrivedAt: number | null;
}

/** Whether the agent has the goods, as far as anybody said. */
export function isAboard({ status, pickup, pickedUpAt }: RouteTask): boolean {
  return status === 'in_transit' || pickup === null || pickedUpAt !== null;
}

/**
 * Where the goods are fetched. Half of the service comes before they are ready: parking, finding the counter.
 */
export function pickupStop(task: RouteTask, { pickupServiceMs }: ServiceTimes): OpenStop {
  const { taskId, pickup, pickupKey, readyAt, slot, pickupArrivedAt } = task;
  const readyFrom = readyAt === null ? Number.NEGATIVE_INFINITY : readyAt - pickupServiceMs / 2;
  const earliest = Math.max(readyFrom, slot?.from ?? readyFrom);
  return {
    kind: 'pickup',
    taskIds: [taskId],
    pickupKey: slot ? null : pickupKey,
    place: pickup,
    earliest,
    firstFrom: earliest,
    serviceMs: pickupServiceMs,
    dueAt: null,
    weight: 0,
    arrivedAt: pickupArrivedAt,
  };
}

export function dropoffStop(task: RouteTask, { dropoffServiceMs }: ServiceTimes): OpenStop {
  const { taskId, dropoff, pickup, windowStart, dueAt, serviceMs, slot, arrivedAt } = task;
  const opensAt = windowStart ?? Number.NEGATIVE_INFINITY;
  const earliest = pickup ? opensAt : Math.max(opensAt, slot?.from ?? opensAt);
  return {
    kind: 'dropoff',
    taskIds: [taskId],
    pickupKey: null,
    place: dropoff,
    earliest,
    firstFrom: earliest,
    serviceMs: serviceMs ?? dropoffServiceMs,
    dueAt,
    weight: 1,
    arrivedAt,
  };
}

/** Both fetched at once: when the last of them is ready. */
export function fetchedTogether(one: OpenStop, other: OpenStop): OpenStop {
  return {
    ...one,
    taskIds: [...one.taskIds, ...other.taskIds],
    earliest: Math.max(one.earliest, other.earliest),
    firstFrom: Math.min(one.firstFrom, other.firstFrom),
    arrivedAt: one.arrivedAt ?? other.arrivedAt,
  };
}
