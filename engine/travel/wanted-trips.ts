import { LIMITS } from '../../schema/limits.ts';
import type { OpenOrder, Place, RoundView } from '../domain/assignment/round-view.ts';
import { PlaceIndex } from '../domain/planning/place-index.ts';
import { distanceM } from '../domain/travel/geo.ts';
import { cellOf } from './place-cell.ts';

/** From cells to cells. */
export type Trips = Map<number, Set<number>>;

/** The ways that a round is about to ask for. */
export interface WantedTrips {
  /** A place in each of the cells. */
  readonly places: ReadonlyMap<number, Place>;
  readonly byMode: ReadonlyMap<string, Trips>;
}

/**
 * To each order from the agents nearest to it; from where it is fetched to where it is brought; and on to the nearest
 * of those that may travel with it. LIMITS.tripsOfRound at most. `modeOf` is undefined for vehicles that are not asked
 * for.
 */
export function wantedTrips(view: RoundView, modeOf: (vehicleType: string | null) => string | undefined): WantedTrips {
  const wanted = new TripCollector();
  const { agents } = view;
  const modeOfAgent = agents.map(({ isStale, vehicleType }) => (isStale ? undefined : modeOf(vehicleType)));
  const modes = new Set(modeOfAgent.filter((mode) => mode !== undefined));
  const takingPart = [...agents.keys()].filter((agent) => modeOfAgent[agent] !== undefined);
  const nearestAgents = new PlaceIndex(agents, takingPart);
  for (const { pickup, dropoff } of view.orders) {
    const start = pickup ?? dropoff;
    if (start === null) continue;
    for (const agent of nearestAgents.nearest(start, LIMITS.tripAgents))
      wanted.add(modeOfAgent[agent]!, agents[agent]!.place, start);
    if (pickup !== null && dropoff !== null) for (const mode of modes) wanted.add(mode, pickup, dropoff);
  }
  for (const dropoffs of dropoffsTogether(view.orders)) {
    const neighbours = new PlaceIndex(dropoffs, [...dropoffs.keys()]);
    for (const { place } of dropoffs)
      for (const neighbour of neighbours.nearest(place, LIMITS.tripNeighbours + 1))
        for (const mode of modes) wanted.add(mode, place, dropoffs[neighbour]!.place);
  }
  return wanted;
}

/** Where orders go that are fetched at the same place, if there is more than one. */
function dropoffsTogether(orders: readonly OpenOrder[]): { readonly place: Place }[][] {
  const byPickup = new Map<string, { readonly place: Place }[]>();
  for (const { pickupKey, dropoff } of orders) {
    if (pickupKey === null || dropoff === null) continue;
    const dropoffs = byPickup.get(pickupKey);
    if (dropoffs) dropoffs.push({ place: dropoff });
    else byPickup.set(pickupKey, [{ place: dropoff }]);
  }
  return [...byPickup.values()].filter((dropoffs) => dropoffs.length > 1);
}

/** Collects ways that can be asked for, LIMITS.tripsOfRound at most. */
export class TripCollector implements WantedTrips {
  readonly places = new Map<number, Place>();
  readonly byMode = new Map<string, Trips>();
  #count = 0;

  /** Whether the way is among those that are asked for. */
  add(mode: string, from: Place, to: Place): boolean {
    const [start, end] = [cellOf(from), cellOf(to)];
    if (start === end) return false;
    if (this.byMode.get(mode)?.get(start)?.has(end)) return true;
    if (this.#count >= LIMITS.tripsOfRound) return false;
    if (distanceM(from.latitude, from.longitude, to.latitude, to.longitude) > LIMITS.routingDistanceM) return false;
    const trips = this.byMode.get(mode) ?? new Map<number, Set<number>>();
    this.byMode.set(mode, trips);
    const ends = trips.get(start) ?? new Set<number>();
    trips.set(start, ends);
    ends.add(end);
    this.#count += 1;
    if (!this.places.has(start)) this.places.set(start, from);
    if (!this.places.has(end)) this.places.set(end, to);
    return true;
  }
}
