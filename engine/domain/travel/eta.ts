import { LIMITS } from '../../../schema/limits.ts';

/** Ways through a town are 1.2 to 1.4 times as long as the straight line between their ends. */
const DETOUR = 1.3;

/**
 * Kilometres an hour from door to door, with lights, traffic and looking for the house: far below what a vehicle can
 * do. Rather too slow than too fast, since it is worse to come later than told than to come earlier.
 */
const KMH: ReadonlyMap<string, number> = new Map([
  // An unhurried walk with a load.
  ['foot', 4.5],
  // Riders in town, measured door to door, mostly keep between 13 and 18.
  ['bicycle', 15],
  // Some organizations mean a motorcycle by it; its rider is early.
  ['bike', 15],
  // Passes queues, but is capped at 25 to 45 by law in most places.
  ['scooter', 22],
  ['motorcycle', 28],
  // Daytime means of large towns lie between 20 and 30.
  ['car', 25],
  ['van', 22],
  // Detours for weight and height, and slow to turn and park.
  ['truck', 18],
]);
const USUAL_KMH = 25;

/** Milliseconds since the epoch at which a vehicle that sets out at `fromMs` has gone a straight line of so many metres. */
export function etaAtMs(straightM: number, vehicleType: string | null, fromMs: number): number {
  const metersPerMs = kmhOf(vehicleType) / 3_600;
  return fromMs + (straightM * DETOUR) / metersPerMs;
}

/** The ETAs of a task, as records have them; null is none. */
export interface Etas {
  readonly etaAt: string | null;
  readonly pickupEtaAt: string | null;
}

/** Whether ETAs are worth sending after those that were sent last. */
export function hasNews(told: Etas, next: Etas): boolean {
  return isMaterial(told.etaAt, next.etaAt) || isMaterial(told.pickupEtaAt, next.pickupEtaAt);
}

/** No prediction takes an ETA back: what makes it untrue, as a new place does, clears it in the record. */
function isMaterial(previous: string | null, next: string | null): boolean {
  if (next === null) return false;
  return previous === null || Math.abs(Date.parse(next) - Date.parse(previous)) > LIMITS.etaChangeMs;
}

/** Vehicle types are free text: what is not in the table goes like a car. */
function kmhOf(vehicleType: string | null): number {
  if (vehicleType === null) return USUAL_KMH;
  return KMH.get(vehicleType) ?? KMH.get(vehicleType.trim().toLowerCase()) ?? USUAL_KMH;
}
