import { breakWithin, refusalOf, refusalOfWay } from '../assignment/eligibility.ts';
import type { FreeAgent, Place, RoundView, TravelTime } from '../assignment/round-view.ts';
import { NO_RESTS } from '../stops/rests.ts';
import { Schedule } from '../stops/schedule.ts';
import { type Bundle, startOf } from './bundle.ts';
import type { AgentMap } from './candidates.ts';
import { bring, type Delivery } from './delivery.ts';

/** The rules of a single trip. */
interface TripRules {
  readonly map: AgentMap;
  fetchAt(bundle: Bundle, reachAt: number): number;
  isKeptFrom(bundle: Bundle, agent: number): boolean;
}

/** How an agent begins its trips. */
export interface Beginning {
  readonly cost: number;
  /** The first trip: when the agent sets out, the way, and when it would be there. */
  readonly setOutAt: number;
  readonly distanceM: number;
  readonly reachAt: number;
}

export type DeliveryOf = (trip: Bundle, agent: number) => Delivery;

const IMPOSSIBLE = Number.POSITIVE_INFINITY;

/**
 * Works trips out for agents whom more binds than when they are free: stops that they wait for, breaks, the end of the
 * shift and the last way home. The present trial is in fields: a round has tens of thousands of them, which as objects
 * would keep the garbage collector busy.
 */
export class BoundAgents {
  private readonly view: RoundView;
  private readonly travel: TravelTime;
  private readonly rules: TripRules;
  private readonly later: (Schedule | undefined)[];
  /** When each is home at the latest that takes trips before its later stops alone, and these lead past its shift anyway. */
  private readonly homeBy: Float64Array;
  private readonly isOne: Uint8Array;
  private readonly freeAt = new Float64Array(1);
  private readonly coming = new Float64Array(2);
  private readonly single: Bundle[] = [];
  /** Where the agent is after what it has tried so far, and when. */
  private place: Place;
  private at = 0;
  /** The first trip that it tries. */
  private setOutAt = 0;
  private distanceM = 0;
  private reachAt = 0;

  constructor(view: RoundView, travel: TravelTime, rules: TripRules) {
    this.view = view;
    this.travel = travel;
    this.rules = rules;
    this.place = { latitude: 0, longitude: 0 };
    this.isOne = Uint8Array.from(view.agents, ({ laterStops, shift }) =>
      Number(shift !== null || laterStops.length > 0),
    );
    this.later = view.agents.map(({ place, freeAt, vehicleType, laterStops, shift }) => {
      if (laterStops.length === 0) return undefined;
      const rests = shift ? { breaks: shift.breaks, timeOff: [] } : NO_RESTS;
      return new Schedule({ place, at: Math.max(view.now, freeAt), vehicleType, rests }, laterStops, travel);
    });
    this.homeBy = Float64Array.from(view.agents, (who, agent) =>
      Math.max(endOf(who), this.homeAt(who, this.later[agent])),
    );
  }

  isBound(agent: number): boolean {
    return this.isOne[agent] === 1;
  }

  /** The cost of a single trip. */
  costOf(agent: number, trip: Bundle, delivery: Delivery): number {
    this.single[0] = trip;
    return this.cost(agent, this.single, () => delivery, IMPOSSIBLE);
  }

  /**
   * The trips where they cost least: so many of them before the stops that the agent waits for, and the rest after these.
   * The cost of putting those stops off is in it. Infinite when the agent may not take the trips, or from `limit` on.
   */
  cost(agent: number, trips: readonly Bundle[], deliveryOf: DeliveryOf, limit: number): number {
    if (!this.mayTake(agent, trips)) return IMPOSSIBLE;
    let least = limit;
    for (let before = trips.length; before >= this.fewestBefore(agent, trips); before -= 1)
      least = Math.min(least, this.with(agent, trips, before, deliveryOf, least));
    return least < limit ? least : IMPOSSIBLE;
  }

  /** How it begins them at that cost. */
  begin(agent: number, trips: readonly Bundle[], deliveryOf: DeliveryOf): Beginning {
    let best: Beginning = { cost: IMPOSSIBLE, setOutAt: 0, distanceM: 0, reachAt: 0 };
    if (!this.mayTake(agent, trips)) return best;
    for (let before = trips.length; before >= this.fewestBefore(agent, trips); before -= 1) {
      const cost = this.with(agent, trips, before, deliveryOf, best.cost);
      const { setOutAt, distanceM, reachAt } = this;
      if (cost < best.cost) best = { cost, setOutAt, distanceM, reachAt };
    }
    return best;
  }

  private fewestBefore(agent: number, trips: readonly Bundle[]): number {
    return this.later[agent] ? 0 : trips.length;
  }

  /** As far as its ways do not matter. */
  private mayTake(agent: number, trips: readonly Bundle[]): boolean {
    const { agents, settings, now } = this.view;
    for (const trip of trips)
      if (refusalOf(trip.demand, agents[agent]!, settings, now) || this.rules.isKeptFrom(trip, agent)) return false;
    return true;
  }

  /** The cost with so many of the trips before the stops that the agent waits for; infinite from `limit` on. */
  private with(agent: number, trips: readonly Bundle[], before: number, deliveryOf: DeliveryOf, limit: number): number {
    const { now, agents } = this.view;
    const who = agents[agent]!;
    const later = this.later[agent];
    let cost = 0;
    this.place = who.place;
    this.at = Math.max(now, who.freeAt);
    for (let trip = 0; trip <= trips.length; trip += 1) {
      if (trip === before && later) {
        if (trip > 0 && !this.isHomeBy(who, endOf(who))) return IMPOSSIBLE;
        cost += this.doLater(later);
      }
      if (trip < trips.length) cost += this.doTrip(who, trips[trip]!, deliveryOf(trips[trip]!, agent), trip === 0);
      // Trips make it no cheaper; stops that are begun from another place may.
      if (cost >= limit && (!later || trip >= before || cost === IMPOSSIBLE)) return IMPOSSIBLE;
    }
    return this.isHomeBy(who, before === trips.length ? this.homeBy[agent]! : endOf(who)) ? cost : IMPOSSIBLE;
  }

  private doLater(later: Schedule): number {
    const { place, coming } = this;
    later.come(place, this.at, coming);
    this.at = coming[1]!;
    this.place = later.endFrom(place);
    return coming[0]!;
  }

  /** Infinite when the agent may not take it. */
  private doTrip(who: FreeAgent, trip: Bundle, delivery: Delivery, isFirst: boolean): number {
    const { view, rules, freeAt } = this;
    const way = rules.map.way(this.place, startOf(trip.orders[0]!), who);
    let setOutAt = this.at;
    let cost = 0;
    for (;;) {
      const fetchAt = rules.fetchAt(trip, setOutAt + way.ms);
      if (refusalOfWay(who, view.settings, way.distanceM, fetchAt)) return IMPOSSIBLE;
      cost = bring(trip, delivery, fetchAt, view.now, view.settings, freeAt);
      const interrupting = breakWithin(who.shift, setOutAt, freeAt[0]!);
      if (!interrupting) break;
      setOutAt = interrupting.until;
    }
    if (isFirst) {
      this.setOutAt = setOutAt;
      this.distanceM = way.distanceM;
      this.reachAt = setOutAt + way.ms;
    }
    this.at = freeAt[0]!;
    this.place = delivery.end ?? this.place;
    return cost;
  }

  private isHomeBy(who: FreeAgent, limit: number): boolean {
    const { place, at } = this;
    return at <= limit && at + this.wayHomeMs(who, place) <= limit;
  }

  /** When it is home if nothing comes in addition. */
  private homeAt(who: FreeAgent, later: Schedule | undefined): number {
    if (!later) return Number.NEGATIVE_INFINITY;
    const { length } = later.stops;
    return later.leaveAfter(length) + this.wayHomeMs(who, later.placeAfter(length));
  }

  private wayHomeMs({ vehicleType, shift }: FreeAgent, from: Place): number {
    return shift?.home ? this.travel(from, shift.home, vehicleType).ms : 0;
  }
}

function endOf({ shift }: FreeAgent): number {
  return shift ? shift.endsAt : Number.POSITIVE_INFINITY;
}
