import type { TravelTime } from '../assignment/round-view.ts';
import type { OpenStop, RouteTask, ServiceTimes } from './open-stops.ts';
import { planStops, type SeenStart } from './plan-stops.ts';
import type { Schedule } from './schedule.ts';

/** When an agent is expected where one of its tasks leads. Milliseconds since the epoch. */
export interface PredictedTimes {
  /** At the pickup; null where the goods are aboard, or nothing is fetched. */
  readonly pickupEtaAt: number | null;
  /** At the place, when it may begin there: for a window that is closed yet, when that opens. */
  readonly etaAt: number;
  /** The stops of others before that. */
  readonly stopsBefore: number;
}

/**
 * The predicted times of an agent's open tasks, by task: the sum of ways, services and waits along its stops.
 */
export function predictedTimes(
  start: SeenStart,
  tasks: readonly RouteTask[],
  services: ServiceTimes,
  travel: TravelTime,
): ReadonlyMap<number, PredictedTimes> {
  return timesOf(planStops(start, tasks, services, travel));
}

export function timesOf({ stops, arriveAts, beginAts }: Schedule<OpenStop>): ReadonlyMap<number, PredictedTimes> {
  const times = new Map<number, PredictedTimes>();
  const pickups = new Map<number, number>();
  for (const [index, { kind, taskIds }] of stops.entries()) {
    if (kind === 'pickup') {
      for (const taskId of taskIds) pickups.set(taskId, arriveAts[index]!);
      continue;
    }
    const taskId = taskIds[0]!;
    const pickupEtaAt = pickups.get(taskId) ?? null;
    times.set(taskId, { pickupEtaAt, etaAt: beginAts[index]!, stopsBefore: index - (pickupEtaAt === null ? 0 : 1) });
  }
  return times;
}
