import type { OpenOrder, RoundView } from '../assignment/round-view.ts';
import type { Beginning } from './bound-agents.ts';
import { type Bundle, startOf } from './bundle.ts';
import { bring, type Delivery } from './delivery.ts';
import type { LotMaker } from './lot-maker.ts';
import type { Matching } from './match-lots.ts';

export type Trips = readonly Bundle[];

/** The planned work of each agent in order, and its cost: the sum of the times until each order is there. */
export class Itineraries {
  private readonly view: RoundView;
  private readonly maker: LotMaker;
  private readonly trips: Trips[];
  private readonly costs: number[];
  private readonly agentOf = new Map<OpenOrder, number>();
  /** By vehicle. */
  private readonly deliveries: Map<Bundle, Delivery>[];
  /** Agents that have or had a trip from there. */
  private readonly visitors = new Map<string, Set<number>>();
  private readonly freeAt = new Float64Array(1);
  private evaluationsLeft: number;

  constructor({ lots, chosen }: Matching, view: RoundView, maker: LotMaker, evaluations: number) {
    this.view = view;
    this.maker = maker;
    this.trips = view.agents.map(() => []);
    this.costs = view.agents.map(() => 0);
    this.evaluationsLeft = evaluations;
    this.deliveries = Array.from({ length: maker.vehicles }, () => new Map());
    for (const [number, lot] of lots.entries()) {
      const agent = lot.candidates.agents[chosen[number]!];
      if (agent !== undefined) this.set(agent, [lot], lot.costs[chosen[number]!]!);
    }
  }

  get isSpent(): boolean {
    return this.evaluationsLeft <= 0;
  }

  of(agent: number): Trips {
    return this.trips[agent]!;
  }

  costOf(agent: number): number {
    return this.costs[agent]!;
  }

  /** Undefined for an order that nobody is meant for. */
  agentFor(order: OpenOrder): number | undefined {
    return this.agentOf.get(order);
  }

  visitorsOf({ pickupKey }: OpenOrder): ReadonlySet<number> | undefined {
    return pickupKey === null ? undefined : this.visitors.get(pickupKey);
  }

  set(agent: number, trips: Trips, cost: number): void {
    this.trips[agent] = trips;
    this.costs[agent] = cost;
    for (const { orders } of trips) {
      for (const order of orders) this.agentOf.set(order, agent);
      const { pickupKey } = orders[0]!;
      if (pickupKey === null) continue;
      const visitors = this.visitors.get(pickupKey);
      if (visitors) visitors.add(agent);
      else this.visitors.set(pickupKey, new Set([agent]));
    }
  }

  /**
   * The cost of these trips for this agent; infinite when it may not take one of them, or when the cost is `limit` or
   * more.
   */
  evaluate(agent: number, trips: Trips, limit = Number.POSITIVE_INFINITY): number {
    this.evaluationsLeft -= 1;
    if (this.maker.bound.isBound(agent)) return this.maker.bound.cost(agent, trips, this.delivery, limit);
    const { now, agents, settings } = this.view;
    const who = agents[agent]!;
    let place = who.place;
    let freeAt = Math.max(now, who.freeAt);
    let cost = 0;
    for (const trip of trips) {
      const start = startOf(trip.orders[0]!);
      const way = this.maker.map.way(place, start, who);
      const fetchAt = this.maker.fetchAt(trip, freeAt + way.ms);
      if (this.maker.refusal(trip, who, way.distanceM, fetchAt) || this.maker.isKeptFrom(trip, agent))
        return Number.POSITIVE_INFINITY;
      const delivery = this.delivery(trip, agent);
      cost += bring(trip, delivery, fetchAt, now, settings, this.freeAt);
      // Later orders make it no cheaper.
      if (cost >= limit) return Number.POSITIVE_INFINITY;
      freeAt = this.freeAt[0]!;
      place = delivery.end ?? place;
    }
    return cost;
  }

  /** How an agent whom more binds than when it is free begins its trips. */
  begin(agent: number, trips: Trips): Beginning {
    return this.maker.bound.begin(agent, trips, this.delivery);
  }

  private readonly delivery = (trip: Bundle, agent: number): Delivery => {
    const known = this.deliveries[this.maker.vehicleOf[agent]!]!;
    let delivery = known.get(trip);
    if (!delivery) {
      delivery = this.maker.delivery(trip, this.view.agents[agent]!);
      known.set(trip, delivery);
    }
    return delivery;
  };
}
