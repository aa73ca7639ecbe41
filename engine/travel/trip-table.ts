import type { TravelTime } from '../domain/assignment/round-view.ts';
import { straightTravel } from '../domain/travel/straight-travel.ts';
import { cellOf } from './place-cell.ts';

/** The known travel times of a round: data alone, so that another thread can have them. */
export interface TripTable {
  /** The index in `modes` of a vehicle of the round; others use the straight line. */
  readonly modeOfVehicle: ReadonlyMap<string | null, number>;
  readonly modes: readonly KnownTrips[];
}

/** Trips of one mode, between cells: the same index in each list is the same trip. */
export interface KnownTrips {
  readonly from: Float64Array;
  readonly to: Float64Array;
  readonly ms: Float64Array;
  /** Straight metres in a millisecond, all in all, for what is not known; null when too few are known to tell. */
  readonly metersPerMs: number | null;
}

/** Looks travel times up; null knows none. Distances are straight ones, for every way. */
export function travelOver(table: TripTable | null): TravelTime {
  if (table === null) return straightTravel;
  const modes = table.modes.map((trips) => ({ msBetween: indexed(trips), metersPerMs: trips.metersPerMs }));
  return (from, to, vehicleType) => {
    const straight = straightTravel(from, to, vehicleType);
    const mode = modes[table.modeOfVehicle.get(vehicleType) ?? -1];
    if (mode === undefined) return straight;
    const { distanceM } = straight;
    const known = mode.msBetween.get(cellOf(from))?.get(cellOf(to));
    return { distanceM, ms: known ?? (mode.metersPerMs === null ? straight.ms : distanceM / mode.metersPerMs) };
  };
}

function indexed({ from, to, ms }: KnownTrips): ReadonlyMap<number, ReadonlyMap<number, number>> {
  const byStart = new Map<number, Map<number, number>>();
  for (const [index, start] of from.entries()) {
    const ends = byStart.get(start) ?? new Map<number, number>();
    byStart.set(start, ends);
    ends.set(to[index]!, ms[index]!);
  }
  return byStart;
}
