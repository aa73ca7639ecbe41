import type { TravelTime } from '../../engine/domain/assignment/round-view.ts';
import { METRES_PER_DEGREE } from '../replay/read-day.ts';

export const MINUTE_MS = 60_000;

/** Coordinates have at most six decimals: rounded to that, they are again the numbers of the file. */
const DECIMALS = 1e6;

/**
 * The instance's own travel time, whole minutes begun, for places in degrees. It goes back to the plane of the data
 * first: the distance on the globe is a hair longer or shorter, and at a full minute a hair makes a minute.
 */
export function instanceTravel(metersPerMinute: number): TravelTime {
  return (from, to) => {
    const east = metres(to.longitude) - metres(from.longitude);
    const north = metres(to.latitude) - metres(from.latitude);
    const distanceM = Math.sqrt(east * east + north * north);
    return { distanceM, ms: Math.ceil(distanceM / metersPerMinute) * MINUTE_MS };
  };
}

function metres(degrees: number): number {
  return Math.round(degrees * METRES_PER_DEGREE * DECIMALS) / DECIMALS;
}
