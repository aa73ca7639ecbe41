import { LIMITS } from '../../../schema/limits.ts';
import type { Place, TravelTime } from '../assignment/round-view.ts';
import { distanceM } from '../travel/geo.ts';
import {
  dropoffStop,
  fetchedTogether,
  isAboard,
  type OpenStop,
  pickupStop,
  type RouteTask,
  type ServiceTimes,
} from './open-stops.ts';
import { Schedule, type Start } from './schedule.ts';

/** The saving, in milliseconds, for which a task goes before one that was given earlier. */
const WORTHWHILE = 1_000;

/** An agent is away from where it had come: past the edge of arrivals by what its device may be wrong. */
const LEFT_M = LIMITS.arrivalLeaveRadiusM + LIMITS.arrivalAccuracyM;

/** An agent that sets out from where it was seen last, and when that was. */
export interface SeenStart extends Start {
  readonly seenAt: number;
}

/**
 * The order in which an agent is expected to do its open tasks, and when: first what it has with it, then what it is to
 * fetch, as it was given. Goods at one place are fetched at once, if none wait there long for others. A task goes before earlier ones only where the
 * agent would wait, for a window or a scheduled time, and only if that costs less. Where the agent stands it goes on; a
 * stop that it has left is one to come to again. The same tasks give the same order in every process, and a further task
 * seldom changes it.
 */
export function planStops(
  start: SeenStart,
  tasks: readonly RouteTask[],
  services: ServiceTimes,
  travel: TravelTime,
): Schedule<OpenStop> {
  const inTurn = tasks.map((task) => turnOf(task, start)).sort(byTurn);
  const inOrder = inTurn.slice(0, LIMITS.routeTasks).map(({ task }) => task);
  let schedule = new Schedule<OpenStop>(startAt(inOrder, start), [], travel);
  for (const task of inOrder) schedule = withTask(schedule, task, services);
  return schedule;
}

interface Turn {
  readonly task: RouteTask;
  readonly turn: number;
  /** Where the agent stands, goods that are ready come before the others. */
  readonly readyAt: number;
}

function byTurn({ task: a, turn, readyAt }: Turn, { task: b, turn: otherTurn, readyAt: otherAt }: Turn): number {
  return turn - otherTurn || readyAt - otherAt || a.assignedAt - b.assignedAt || a.taskId - b.taskId;
}

/** Nobody says why an agent left a door without an end of its task: the others need not wait until it is back there. */
function turnOf(task: RouteTask, start: SeenStart): Turn {
  if (!isThere(task)) return { task, turn: task.status === 'in_transit' ? 1 : 2, readyAt: start.at };
  if (!hasLeft(task, start)) return { task, turn: 0, readyAt: isAboard(task) ? start.at : readyFrom(task, start.at) };
  if (isAboard(task)) return { task: { ...task, arrivedAt: null }, turn: 3, readyAt: start.at };
  return { task: { ...task, pickupArrivedAt: null }, turn: 2, readyAt: start.at };
}

function readyFrom({ readyAt }: RouteTask, now: number): number {
  return Math.max(now, readyAt ?? now);
}

function isThere(task: RouteTask): boolean {
  return cameAt(task) !== null;
}

function cameAt(task: RouteTask): number | null {
  return isAboard(task) ? task.arrivedAt : task.pickupArrivedAt;
}

function hasLeft(task: RouteTask, { place: { latitude, longitude }, seenAt }: SeenStart): boolean {
  const place = nextPlace(task);
  if (!place || seenAt <= cameAt(task)!) return false;
  return distanceM(place.latitude, place.longitude, latitude, longitude) > LEFT_M;
}

function nextPlace(task: RouteTask): Place | null {
  return isAboard(task) ? task.dropoff : task.pickup;
}

function startAt([first]: readonly RouteTask[], start: Start): Start {
  if (!first || !isThere(first)) return start;
  const place = nextPlace(first);
  return place ? { ...start, place } : start;
}

function withTask(schedule: Schedule<OpenStop>, task: RouteTask, services: ServiceTimes): Schedule<OpenStop> {
  const { stops, start } = schedule;
  const dropoff = begun(dropoffStop(task, services), start.at);
  if (isAboard(task)) return schedule.with(bestPlace(schedule, [dropoff]), [dropoff]);
  const pickup = begun(pickupStop(task, services), start.at);
  const shared = stops.findIndex((_, index) => isSharedWith(schedule, index, pickup));
  if (shared < 0) {
    // The agent comes back for what is ready long after the rest.
    const isLeft = pickup.pickupKey !== null && stops.some(({ pickupKey }) => pickupKey === pickup.pickupKey);
    const added = [isLeft ? { ...pickup, arrivedAt: null } : pickup, dropoff];
    return schedule.with(bestPlace(schedule, added), added);
  }
  return broughtTogether(schedule.withOther(shared, fetchedTogether(stops[shared]!, pickup)), shared, dropoff);
}

/** Whether goods are fetched at this stop, too: all that are fetched there wait for the last, but not for long. */
function isSharedWith(schedule: Schedule<OpenStop>, index: number, pickup: OpenStop): boolean {
  const stop = schedule.stops[index]!;
  if (pickup.pickupKey === null || stop.pickupKey !== pickup.pickupKey) return false;
  const { earliest, firstFrom } = fetchedTogether(stop, pickup);
  const thereAt = schedule.beginAts[index]! - schedule.waitMs(index);
  return Math.max(earliest, thereAt) - Math.max(firstFrom, thereAt) <= LIMITS.roomyWaitMs;
}

/** Where the agent is already, less is left to do. */
function begun(stop: OpenStop, now: number): OpenStop {
  if (stop.arrivedAt === null) return stop;
  const doneMs = Math.max(0, now - Math.max(stop.arrivedAt, stop.earliest));
  return { ...stop, serviceMs: Math.max(0, stop.serviceMs - doneMs) };
}

/** After all others, or before one that the agent would wait for. */
function bestPlace(schedule: Schedule<OpenStop>, added: readonly OpenStop[]): number {
  const { stops } = schedule;
  let best = stops.length;
  if (added[0]!.arrivedAt !== null) return best;
  let least: number | undefined;
  for (let index = 0; index < stops.length; index += 1) {
    if (schedule.waitMs(index) === 0 || stops[index]!.arrivedAt !== null) continue;
    // Seldom asked for: most agents wait nowhere.
    least ??= schedule.costOfInsertion(stops.length, added) - WORTHWHILE;
    const cost = schedule.costOfInsertion(index, added);
    if (cost >= least) continue;
    least = cost;
    best = index;
  }
  return best;
}

/** Among those that are fetched at the same stop, where it costs least. */
function broughtTogether(schedule: Schedule<OpenStop>, fetched: number, dropoff: OpenStop): Schedule<OpenStop> {
  const { stops } = schedule;
  const together = new Set(stops[fetched]!.taskIds);
  let last = fetched + 1;
  while (last < stops.length && stops[last]!.kind === 'dropoff' && together.has(stops[last]!.taskIds[0]!)) last += 1;
  let best = last;
  let least = schedule.costOfInsertion(last, [dropoff]);
  for (let index = fetched + 1; index < last; index += 1) {
    const cost = schedule.costOfInsertion(index, [dropoff]);
    if (cost >= least) continue;
    least = cost;
    best = index;
  }
  return schedule.with(best, [dropoff]);
}
