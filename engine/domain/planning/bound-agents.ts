import { breakWithin } from '../assignment/eligibility.ts';
import type { FreeAgent, PassedOver, Place, RoundView, Shift, TravelTime } from '../assignment/round-view.ts';
import { NO_RESTS } from '../stops/rests.ts';
import { Schedule } from '../stops/schedule.ts';
import { type Bundle, startOf } from './bundle.ts';
import type { AgentMap } from './candidates.ts';
import { bring, type Delivery } from './delivery.ts';

/** The rules of a single trip. */
interface TripRules {
  readonly map: AgentMap;
  fetchAt(bundle: Bundle, reachAt: number): number;
  refusal(bundle: Bundle, who: FreeAgent, distanceM: number, fetchAt: number): PassedOver | undefined;
  isKeptFrom(bundle: Bundle, agent: number): boolean;
}

/** How an agent begins its trips. */
export interface Beginning {
  readonly cost: number;
  /** Of the first trip: when the agent sets out, the way, and when it would be there. */
  readonly setOutAt: number;
  readonly distanceM: number;
  readonly reachAt: number;
}

const IMPOSSIBLE: Beginning = { cost: Number.POSITIVE_INFINITY, setOutAt: 0, distanceM: 0, reachAt: 0 };

/** An agent on its way through its trips. */
interface Progress {
  place: Place;
  at: number;
  cost: number;
  first: Omit<Beginning, 'cost'> | undefined;
}

/**
 * Works trips out for agents whom more binds than when they are free: stops that they wait for, breaks, the end of the
 * shift and the last way home.
 */
export class BoundAgents {
  private readonly view: RoundView;
  private readonly travel: TravelTime;
  private readonly rules: TripRules;
  private readonly later = new Map<number, Schedule>();
  private readonly isOne: Uint8Array;
  private readonly freeAt = new Float64Array(1);

  constructor(view: RoundView, travel: TravelTime, rules: TripRules) {
    this.view = view;
    this.travel = travel;
    this.rules = rules;
    this.isOne = Uint8Array.from(view.agents, ({ laterStops, shift }) =>
      Number(shift !== null || laterStops.length > 0),
    );
    for (const [agent, { place, freeAt, vehicleType, laterStops, shift }] of view.agents.entries()) {
      if (laterStops.length === 0) continue;
      const rests = shift ? { breaks: shift.breaks, timeOff: [] } : NO_RESTS;
      const start = { place, at: Math.max(view.now, freeAt), vehicleType, rests };
      this.later.set(agent, new Schedule(start, laterStops, travel));
    }
  }

  isBound(agent: number): boolean {
    return this.isOne[agent] === 1;
  }

  /** Of a single trip. */
  costOf(agent: number, trip: Bundle, delivery: Delivery): number {
    return this.best(agent, [trip], () => delivery).cost;
  }

  /**
   * The trips where they cost least: so many of them before the stops that the agent waits for, and the rest after these.
   * The cost of putting those stops off is in it. Infinite when the agent may not take the trips.
   */
  best(agent: number, trips: readonly Bundle[], delivery: (trip: Bundle) => Delivery): Beginning {
    const later = this.later.get(agent);
    let best = IMPOSSIBLE;
    for (let before = trips.length; before >= (later ? 0 : trips.length); before -= 1) {
      const tried = this.with(agent, trips, before, later, delivery);
      if (tried.cost < best.cost) best = tried;
    }
    return best;
  }

  private with(
    agent: number,
    trips: readonly Bundle[],
    before: number,
    later: Schedule | undefined,
    delivery: (trip: Bundle) => Delivery,
  ): Beginning {
    const { now, agents } = this.view;
    const who = agents[agent]!;
    const progress: Progress = { place: who.place, at: Math.max(now, who.freeAt), cost: 0, first: undefined };
    for (let trip = 0; trip <= trips.length; trip += 1) {
      if (trip === before && later) this.doLater(progress, later);
      if (trip < trips.length && !this.doTrip(progress, agent, trips[trip]!, delivery(trips[trip]!))) return IMPOSSIBLE;
    }
    if (who.shift && !this.isHomeInTime(progress, who, who.shift)) return IMPOSSIBLE;
    return progress.first ? { cost: progress.cost, ...progress.first } : { ...IMPOSSIBLE, cost: progress.cost };
  }

  private doLater(progress: Progress, later: Schedule): void {
    const { place, at } = progress;
    progress.cost += later.costOfComing(0, place, at);
    progress.at = later.leaveAfterComing(place, at);
    progress.place = later.endFrom(place);
  }

  /** False when the agent may not take it. */
  private doTrip(progress: Progress, agent: number, trip: Bundle, delivery: Delivery): boolean {
    const { view, rules } = this;
    const who = view.agents[agent]!;
    const way = rules.map.way(progress.place, startOf(trip.orders[0]!), who);
    let setOutAt = progress.at;
    let cost = 0;
    for (;;) {
      const fetchAt = rules.fetchAt(trip, setOutAt + way.ms);
      if (rules.refusal(trip, who, way.distanceM, fetchAt) || rules.isKeptFrom(trip, agent)) return false;
      cost = bring(trip, delivery, fetchAt, view.now, view.settings, this.freeAt);
      const interrupting = breakWithin(who.shift, setOutAt, this.freeAt[0]!);
      if (!interrupting) break;
      setOutAt = interrupting.until;
    }
    progress.first ??= { setOutAt, distanceM: way.distanceM, reachAt: setOutAt + way.ms };
    progress.cost += cost;
    progress.at = this.freeAt[0]!;
    progress.place = delivery.end ?? progress.place;
    return true;
  }

  private isHomeInTime({ place, at }: Progress, { vehicleType }: FreeAgent, { endsAt, home }: Shift): boolean {
    return at + (home ? this.travel(place, home, vehicleType).ms : 0) <= endsAt;
  }
}
