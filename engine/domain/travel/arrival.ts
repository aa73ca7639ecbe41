import { LIMITS } from '../../../schema/limits.ts';
import type { StopPlace, TaskRecord } from '../../../schema/tasks/task.ts';
import { distanceM } from './geo.ts';

export interface Place {
  readonly latitude: number;
  readonly longitude: number;
}

/** A point on an agent's way. Metres, metres a second; NaN stands for what the device did not say. */
export interface WayPoint extends Place {
  readonly accuracy: number;
  readonly speed: number;
  readonly recordedAtMs: number;
}

/** Where a stay began, and when. */
interface Stay extends Place {
  readonly sinceMs: number;
}

/**
 * The agent's relation to the place of one task.
 * - `away`: not near.
 * - `near`: it came within the radius, and stays within `arrivalStayM` of the start of the stay, if it stays.
 * - `arrived`: for good. The next agent of the task starts again, at `away`.
 */
export type Arrival =
  | { readonly kind: 'away' }
  | ({ readonly kind: 'near' } & Stay)
  | ({ readonly kind: 'arrived' } & Stay);

export const AWAY: Arrival = { kind: 'away' };

/**
 * Where an agent that comes by has arrived for its task; null for nowhere. In transit that is where the task is delivered;
 * before that the agent may only pass there. It is the pickup once the agent has accepted, until it has the goods: who is
 * merely asked may stand there for something else.
 */
export function awaitedAt({
  status,
  arrivedAt,
  pickupArrivedAt,
  pickedUpAt,
}: Pick<TaskRecord, 'status' | 'arrivedAt' | 'pickupArrivedAt' | 'pickedUpAt'>): StopPlace | null {
  if (status === 'in_transit') return arrivedAt === null ? 'dropoff' : null;
  return status === 'accepted' && pickupArrivedAt === null && pickedUpAt === null ? 'pickup' : null;
}

/** Whether somebody is expected where a task is delivered. */
export function isExpected({ status, arrivedAt }: Pick<TaskRecord, 'status' | 'arrivedAt'>): boolean {
  return (status === 'assigned' || status === 'accepted' || status === 'in_transit') && arrivedAt === null;
}

/** Points that are vaguer than this say nothing of arrivals. */
export function isPrecise({ accuracy }: Pick<WayPoint, 'accuracy'>): boolean {
  return !(accuracy > LIMITS.arrivalAccuracyM);
}

/**
 * The state after a further point; points come in the order of their times. A vaguer point must be nearer to count as
 * near and farther to count as away: by half of its accuracy.
 * A stay of `arrivalDwellMs` is an arrival. Driving past is none, on a way of any length through the circle, because it
 * leads on. One point at which the agent stands is an arrival too, since many devices fall silent when they no longer
 * move.
 */
export function approach(state: Arrival, place: Place, point: WayPoint): Arrival {
  if (state.kind === 'arrived' || !isPrecise(point)) return state;
  const distance = distanceM(place.latitude, place.longitude, point.latitude, point.longitude);
  const doubt = (Number.isNaN(point.accuracy) ? LIMITS.arrivalAssumedAccuracyM : point.accuracy) / 2;
  if (distance - doubt > LIMITS.arrivalLeaveRadiusM) return AWAY;
  const stay = state.kind === 'near' && isStaying(state, point) ? state : stayFrom(point);
  // An agent that leads on between the circles is still near, but stays nowhere: passing twice is no stay.
  if (distance + doubt > LIMITS.arrivalRadiusM) return state.kind === 'near' ? stay : state;
  const stands = point.speed < LIMITS.arrivalStandingMetersPerSecond;
  const hasArrived = stands || point.recordedAtMs - stay.sinceMs >= LIMITS.arrivalDwellMs;
  return hasArrived ? { ...stay, kind: 'arrived' } : stay;
}

function isStaying(stay: Stay, point: WayPoint): boolean {
  return distanceM(stay.latitude, stay.longitude, point.latitude, point.longitude) <= LIMITS.arrivalStayM;
}

/** Copied: positions are changed in place. */
function stayFrom({ latitude, longitude, recordedAtMs }: WayPoint): Extract<Arrival, { kind: 'near' }> {
  return { kind: 'near', latitude, longitude, sinceMs: recordedAtMs };
}
