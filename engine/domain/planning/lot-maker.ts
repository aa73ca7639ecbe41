import { LIMITS } from '../../../schema/limits.ts';
import { refusalOf, refusalOfWay } from '../assignment/eligibility.ts';
import type { FreeAgent, OpenOrder, PassedOver, RoundView, TravelTime } from '../assignment/round-view.ts';
import { LATE_WEIGHT } from '../stops/lateness.ts';
import { BoundAgents } from './bound-agents.ts';
import { type Bundle, bundleOf, earliestOf, startOf, weightOf } from './bundle.ts';
import { AgentMap, type Candidate, type Candidates } from './candidates.ts';
import { bring, type Delivery, deliveryOf, join, type Route } from './delivery.ts';
import type { Lot } from './match-lots.ts';

/**
 * Leaving an order out is dearer than anybody's way to it; how long it has been looked for comes on top, so that of
 * orders that cannot all be taken the one that waits gets its turn.
 */
const LEFT_OUT_MS = 300 * 86_400_000;
/** Agents looked at for an order beside many others from the same place. */
const CANDIDATES_PER_ORDER = 24;
/** Takers near the pickup that are enough for an order that many agents may not take; with fewer, others are looked for. */
const ENOUGH_TAKERS = 8;
/** Agents looked at in a round for orders that those near the pickup will not do for, and at least for each of these. */
const LOOKS = 200_000;
const LEAST_LOOKS = 50;

/** Makes lots of a round's orders, and says who may take them at what cost. */
export class LotMaker {
  private readonly view: RoundView;
  private readonly travel: TravelTime;
  readonly map: AgentMap;
  readonly bound: BoundAgents;
  /** Orders for which the preferred agent is asked before all others. */
  private readonly keptFor = new Map<OpenOrder, number>();
  private readonly agentNumbers: ReadonlyMap<number, number>;
  /** The mode of each agent, as a number. */
  readonly vehicleOf: Int32Array;
  /** The delivery of the lot that is being made, by vehicle; undefined where nobody has asked. */
  private readonly deliveries: (Delivery | undefined)[];
  private readonly freeAt = new Float64Array(1);
  private readonly sums = new Float64Array(2);

  constructor(view: RoundView, travel: TravelTime) {
    this.view = view;
    this.travel = travel;
    this.map = new AgentMap(view, travel);
    this.bound = new BoundAgents(view, travel, this);
    this.agentNumbers = new Map(view.agents.map(({ agentId }, number) => [agentId, number]));
    const vehicles = new Map<string | null, number>();
    this.vehicleOf = Int32Array.from(view.agents, ({ vehicleType }) => {
      if (!vehicles.has(vehicleType)) vehicles.set(vehicleType, vehicles.size);
      return vehicles.get(vehicleType)!;
    });
    this.deliveries = new Array(vehicles.size).fill(undefined);
  }

  /** How many different ones there are. */
  get vehicles(): number {
    return this.deliveries.length;
  }

  /** Every order as a lot of its own. */
  singles(): Lot[] {
    const groups = new Map<string, OpenOrder[]>();
    const lots: Lot[] = [];
    const apart: OpenOrder[] = [];
    for (const order of this.view.orders) {
      if (order.pickupKey === null || order.preferredAgentId !== null) apart.push(order);
      else {
        const group = groups.get(order.pickupKey);
        if (group) group.push(order);
        else groups.set(order.pickupKey, [order]);
      }
    }
    for (const group of groups.values()) this.fromOnePlace(group, lots, apart);
    const looks = Math.max(LEAST_LOOKS, Math.floor(LOOKS / apart.length));
    for (const order of apart) lots.push(this.alone(order, looks));
    return lots;
  }

  /** Both together. */
  joined(one: Lot, other: Lot): Lot {
    return this.lotOf(bundleOf(this.route(one, other).orders, this.view.now), baseOf(one, other).candidates);
  }

  /** How both are brought together. */
  route(one: Bundle, other: Bundle): Route {
    const { travel, view } = this;
    const fetchAt = Math.max(this.earliest(one), this.earliest(other));
    return join(one, other, { travel, settings: view.settings, now: view.now, fetchAt, sums: this.sums });
  }

  /**
   * A lower bound for the cost of both together on this route when each agent costs its worth in addition, among the
   * agents that may take the larger, by what the usual vehicle takes.
   */
  leastTogether({ orders }: Route, one: Lot, other: Lot, worthOf: Float64Array): number {
    const { view, freeAt } = this;
    const { candidates, costs } = baseOf(one, other);
    const bundle = bundleOf(orders, view.now);
    const delivery = deliveryOf(orders, this.travel, view.settings, null);
    const [weight, leastMs] = [weightOf(bundle), bundle.urgency * delivery.offsetSumMs];
    const [earliest, entryMs] = [this.earliest(bundle), this.entryMs(bundle)];
    let least = Number.POSITIVE_INFINITY;
    for (let at = 0; at < costs.length; at += 1) {
      if (costs[at] === Number.POSITIVE_INFINITY) continue;
      const fetchAt = Math.max(earliest, candidates.reachAts[at]! + entryMs);
      const worth = worthOf[candidates.agents[at]!]!;
      // Windows and lateness make it no cheaper.
      if (weight * (fetchAt - view.now) + leastMs + worth >= least) continue;
      const cost = bring(bundle, delivery, fetchAt, view.now, view.settings, freeAt);
      least = Math.min(least, cost + worth);
    }
    return least;
  }

  /**
   * A lower bound for the cost of fetching both together when each agent costs its worth in addition, among the agents
   * that may take the larger: without the delivery, and without a check whether any agent may take both.
   */
  leastFetching(one: Lot, other: Lot, worthOf: Float64Array): number {
    const { now } = this.view;
    const { candidates, costs } = baseOf(one, other);
    const weight = weightOf(one) + weightOf(other);
    const earliest = Math.max(this.earliest(one), this.earliest(other));
    const entryMs = this.entryMs(one);
    let least = Number.POSITIVE_INFINITY;
    for (let at = 0; at < costs.length; at += 1) {
      if (costs[at] === Number.POSITIVE_INFINITY) continue;
      const fetchAt = Math.max(earliest, candidates.reachAts[at]! + entryMs);
      const cost = weight * (fetchAt - now) + worthOf[candidates.agents[at]!]!;
      if (cost < least) least = cost;
    }
    return least;
  }

  /** The loss of both lots' orders by travelling together on this route, with any agent. */
  delayOnRoute({ offsetSumMs, priceMs }: Route, one: Lot, other: Lot): number {
    const [earliest, otherEarliest] = [this.earliest(one), this.earliest(other)];
    const begin = Math.max(earliest, otherEarliest);
    const waitMs = one.orders.length * (begin - earliest) + other.orders.length * (begin - otherEarliest);
    return offsetSumMs - one.leastOffsetSumMs - other.leastOffsetSumMs + waitMs + priceMs;
  }

  /** Whether one of the orders is kept for somebody else. */
  isKeptFrom({ orders }: Bundle, agent: number): boolean {
    if (this.keptFor.size === 0) return false;
    for (const order of orders) if ((this.keptFor.get(order) ?? agent) !== agent) return true;
    return false;
  }

  /** When it is fetched by an agent who could be there at `reachAt`: it is there, has parked, and all is ready. */
  fetchAt(bundle: Bundle, reachAt: number): number {
    return Math.max(this.earliest(bundle), reachAt + this.entryMs(bundle));
  }

  delivery({ orders }: Bundle, { vehicleType }: FreeAgent): Delivery {
    return deliveryOf(orders, this.travel, this.view.settings, vehicleType);
  }

  refusal(bundle: Bundle, who: FreeAgent, distanceM: number, fetchAt: number): PassedOver | undefined {
    const { settings, now } = this.view;
    return refusalOf(bundle.demand, who, settings, now) ?? refusalOfWay(who, settings, distanceM, fetchAt);
  }

  refusalOfCandidate(bundle: Bundle, { agent, distanceM, reachAt }: Candidate): PassedOver | undefined {
    const who = this.view.agents[agent]!;
    const reason = this.refusal(bundle, who, distanceM, this.fetchAt(bundle, reachAt));
    if (reason || who.shift === null || this.isKeptFrom(bundle, agent)) return reason;
    const cost = this.bound.costOf(agent, bundle, this.delivery(bundle, who));
    return cost === Number.POSITIVE_INFINITY ? 'ends_before' : undefined;
  }

  /** They share their candidates, except those of which too few would do: these are put apart. */
  private fromOnePlace(group: readonly OpenOrder[], lots: Lot[], apart: OpenOrder[]): void {
    const shared = this.map.near(startOf(group[0]!), group.length);
    const inTurn = [...group].sort((a, b) => readyOf(a) - readyOf(b) || a.placedAt - b.placedAt || a.taskId - b.taskId);
    for (const [turn, order] of inTurn.entries()) {
      const lot = this.lotOf(bundleOf([order], this.view.now), windowOf(shared, turn));
      if (takers(lot) >= (isParticular(order) ? ENOUGH_TAKERS : 1)) lots.push(lot);
      else apart.push(order);
    }
  }

  /** With candidates of its own. */
  private alone(order: OpenOrder, looks: number): Lot {
    const { agents, settings, now } = this.view;
    const bundle = bundleOf([order], now);
    const place = startOf(order);
    const preferred = this.preferred(order);
    if (preferred !== undefined) {
      const { distanceM, reachAt } = this.map.candidate(preferred, place);
      const lot = this.lotOf(bundle, { agents: [preferred], distancesM: [distanceM], reachAts: [reachAt] });
      if (hasTaker(lot)) {
        this.keptFor.set(order, preferred);
        return lot;
      }
    }
    const isFit = (agent: number) => refusalOf(bundle.demand, agents[agent]!, settings, now) === undefined;
    const lot = this.lotOf(bundle, this.map.near(place, 1, { isFit, looks }));
    if (hasTaker(lot) || lot.costs.length === 0) return lot;
    const isInTime = (agent: number) => this.refusalOfCandidate(bundle, this.map.candidate(agent, place)) === undefined;
    return this.lotOf(bundle, this.map.near(place, 1, { isFit: isInTime, looks }));
  }

  private preferred({ preferredAgentId }: OpenOrder): number | undefined {
    const number = preferredAgentId === null ? undefined : this.agentNumbers.get(preferredAgentId);
    if (number === undefined) return undefined;
    const { freeAt } = this.view.agents[number]!;
    return freeAt <= this.view.now + LIMITS.preferredPatienceMs ? number : undefined;
  }

  private lotOf(bundle: Bundle, candidates: Candidates): Lot {
    const { orders, demand, readyAt, urgency } = bundle;
    const { now } = this.view;
    const { agents, distancesM, reachAts } = candidates;
    const [entryMs, earliest] = [this.entryMs(bundle), this.earliest(bundle)];
    const costs = new Array<number>(agents.length);
    let leastOffsetSumMs = Number.POSITIVE_INFINITY;
    const { deliveries, vehicleOf, bound } = this;
    deliveries.fill(undefined);
    for (let at = 0; at < agents.length; at += 1) {
      const agent = agents[at]!;
      const who = this.view.agents[agent]!;
      const fetchAt = Math.max(earliest, reachAts[at]! + entryMs);
      if (this.refusal(bundle, who, distancesM[at]!, fetchAt) || this.isKeptFrom(bundle, agent)) {
        costs[at] = Number.POSITIVE_INFINITY;
        continue;
      }
      const vehicle = vehicleOf[agent]!;
      let delivery = deliveries[vehicle];
      if (!delivery) {
        delivery = this.delivery(bundle, who);
        deliveries[vehicle] = delivery;
        leastOffsetSumMs = Math.min(leastOffsetSumMs, delivery.offsetSumMs);
      }
      costs[at] = bound.isBound(agent)
        ? bound.costOf(agent, bundle, delivery)
        : bring(bundle, delivery, fetchAt, now, this.view.settings, this.freeAt);
    }
    let price = 0;
    // However far ahead it is: that is in every cost, as urgent as it is.
    const aheadMs = earliest - now;
    for (const { searchingSince, windowStart, dueAt } of orders) {
      price += LEFT_OUT_MS + urgency * Math.max(aheadMs, (windowStart ?? now) - now) + (now - searchingSince);
      if (dueAt !== null) price += LATE_WEIGHT * Math.max(0, earliest - Math.max(dueAt, now));
    }
    return { orders, demand, readyAt, urgency, isTimed: bundle.isTimed, candidates, costs, leastOffsetSumMs, price };
  }

  /** From being at the place to having it in hand. */
  private entryMs({ orders }: Bundle): number {
    return orders[0]!.pickup ? this.view.settings.pickupServiceMs / 2 : 0;
  }

  private earliest({ orders, readyAt }: Bundle): number {
    return Math.max(this.view.now, earliestOf(orders[0]!.slot, readyAt));
  }
}

/** The one whose candidates count for both. */
function baseOf(one: Lot, other: Lot): Lot {
  return one.orders.length >= other.orders.length ? one : other;
}

function readyOf({ readyAt, placedAt }: OpenOrder): number {
  return readyAt ?? placedAt;
}

/** Whether those who are near will often not do. */
function isParticular({ requiredSkills, slot }: OpenOrder): boolean {
  return requiredSkills.length > 0 || slot !== null;
}

function takers({ costs }: Lot): number {
  let count = 0;
  for (const cost of costs) if (cost < Number.POSITIVE_INFINITY) count += 1;
  return count;
}

export function hasTaker({ costs }: Lot): boolean {
  return costs.some((cost) => cost < Number.POSITIVE_INFINITY);
}

/**
 * Where many orders share one pickup, each looks at a few agents in its turn: if every order looked at the nearest,
 * most would be left out.
 */
function windowOf(candidates: Candidates, turn: number): Candidates {
  const { agents, distancesM, reachAts } = candidates;
  if (agents.length <= CANDIDATES_PER_ORDER) return candidates;
  const last = agents.length - CANDIDATES_PER_ORDER;
  const begin = Math.min(last, Math.max(0, (turn % agents.length) - CANDIDATES_PER_ORDER / 2));
  const end = begin + CANDIDATES_PER_ORDER;
  return {
    agents: agents.slice(begin, end),
    distancesM: distancesM.slice(begin, end),
    reachAts: reachAts.slice(begin, end),
  };
}
