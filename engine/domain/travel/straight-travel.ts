import type { TravelTime } from '../assignment/round-view.ts';
import { etaAtMs } from './eta.ts';
import { distanceM } from './geo.ts';

/** The travel time of a straight line: what is known everywhere and at once. */
export const straightTravel: TravelTime = (from, to, vehicleType) => {
  const straightM = distanceM(from.latitude, from.longitude, to.latitude, to.longitude);
  return { distanceM: straightM, ms: etaAtMs(straightM, vehicleType, 0) };
};
