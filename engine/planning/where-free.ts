import { LIMITS } from '../../schema/limits.ts';
import type { TaskStatus } from '../../schema/tasks/task.ts';
import type { Place, Slot, TravelTime } from '../domain/assignment/round-view.ts';

/** How long it takes to get the goods at the place, and to hand them over: parking, stairs, a signature. */
export const PICKUP_SERVICE_MS = 180_000;
export const DROPOFF_SERVICE_MS = 180_000;

/** A task that an agent still has to carry out. Times are milliseconds since the epoch. */
export interface RouteTask {
  readonly taskId: number;
  readonly status: TaskStatus;
  readonly assignedAt: number;
  /** It stands at the door already. */
  readonly hasArrived: boolean;
  readonly readyAt: number | null;
  readonly slot: Slot | null;
  readonly pickup: Place | null;
  /** Tasks of the same key are fetched at once. */
  readonly pickupKey: string | null;
  readonly dropoff: Place | null;
}

/**
 * Where an agent will be when it has done what it has to do, and when: first what it has with it, then, place by place,
 * what it is to fetch, in the order in which it was given. A scheduled task whose time has not come is not waited for:
 * its slot keeps others away.
 */
export function whereFree(
  start: Place,
  vehicleType: string | null,
  tasks: readonly RouteTask[],
  now: number,
  travel: TravelTime,
): { readonly place: Place; readonly freeAt: number } {
  // As most agents of a round.
  if (tasks.length === 0) return { place: start, freeAt: now };
  let place = start;
  let freeAt = now;
  const go = (to: Place | null) => {
    if (!to) return;
    freeAt += travel(place, to, vehicleType).ms;
    place = to;
  };
  const bring = ({ dropoff, hasArrived }: RouteTask) => {
    if (hasArrived && dropoff) place = dropoff;
    else go(dropoff);
    freeAt += DROPOFF_SERVICE_MS;
  };
  const inOrder = [...tasks].sort((a, b) => a.assignedAt - b.assignedAt || a.taskId - b.taskId);
  const route = inOrder.slice(0, LIMITS.routeTasks);
  for (const task of route) if (task.status === 'in_transit') bring(task);
  const waiting = new Set(route.filter((task) => task.status !== 'in_transit'));
  for (const first of waiting) {
    if (first.slot && first.slot.from > freeAt) continue;
    const together = [...waiting].filter((task) => task === first || isAlike(task, first));
    go(first.pickup);
    if (first.pickup) freeAt = Math.max(freeAt, ...together.map(({ readyAt }) => readyAt ?? 0)) + PICKUP_SERVICE_MS;
    for (const task of together) {
      waiting.delete(task);
      bring(task);
    }
  }
  return { place, freeAt };
}

function isAlike(task: RouteTask, first: RouteTask): boolean {
  return task.pickupKey !== null && task.pickupKey === first.pickupKey && task.slot === null && first.slot === null;
}
