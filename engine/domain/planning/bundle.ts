import type { Demand } from '../eligibility.ts';
import type { OpenOrder, Place, RoundSettings, TravelTime } from './round-view.ts';

/** Orders that one agent fetches at one place and brings one after the other; mostly a single one. */
export interface Bundle {
  /** In the order in which they are brought. */
  readonly orders: readonly OpenOrder[];
  readonly demand: Demand;
  /** Not fetched before; minus infinity when all are ready. */
  readonly readyAt: number;
}

/** From the moment at which a bundle is fetched. */
export interface Delivery {
  /** Until each order is there. */
  readonly offsetsMs: readonly number[];
  readonly offsetSumMs: number;
  /** Until the agent is free again, and where it is then; null where it does not go anywhere. */
  readonly leavesMs: number;
  readonly end: Place | null;
}

/** After so long an order that waits weighs twice as much, up to `MOST_URGENT` times: none is always put off for others. */
const URGENT_MS = 1_800_000;
const MOST_URGENT = 10;

/** How much each minute of these orders weighs; of fresh ones, 1. Nobody waits for what is not ready. */
export function urgencyOf(orders: readonly OpenOrder[], now: number): number {
  let sum = 0;
  for (const { searchingSince, readyAt } of orders) {
    const waitedMs = Math.max(0, now - Math.max(searchingSince, readyAt ?? searchingSince));
    sum += Math.min(MOST_URGENT, 1 + waitedMs / URGENT_MS);
  }
  return sum / orders.length;
}

/** Where the agent has to go first; null for nowhere. */
export function startOf({ pickup, dropoff }: OpenOrder): Place | null {
  return pickup ?? dropoff;
}

export function bundleOf(orders: readonly OpenOrder[]): Bundle {
  const [first] = orders;
  if (orders.length === 1 && first) {
    return { orders, demand: { tasks: 1, ...demandFields(first) }, readyAt: first.readyAt ?? Number.NEGATIVE_INFINITY };
  }
  const load = { weightKg: 0, volumeM3: 0, packages: 0 };
  let readyAt = Number.NEGATIVE_INFINITY;
  for (const order of orders) {
    load.weightKg += order.load.weightKg;
    load.volumeM3 += order.load.volumeM3;
    load.packages += order.load.packages;
    readyAt = Math.max(readyAt, order.readyAt ?? Number.NEGATIVE_INFINITY);
  }
  const requiredSkills = orders.flatMap((order) => order.requiredSkills);
  const declinedBy = orders.flatMap((order) => order.declinedBy);
  return { orders, demand: { tasks: orders.length, load, requiredSkills, slot: null, declinedBy }, readyAt };
}

function demandFields({ load, requiredSkills, slot, declinedBy }: OpenOrder): Omit<Demand, 'tasks'> {
  return { load, requiredSkills, slot, declinedBy };
}

/**
 * Both together, the orders of the smaller put in one by one where they delay least, into the larger as it is and turned
 * round: of up to three orders the best way of all.
 */
export function join(one: Bundle, other: Bundle, travel: TravelTime, settings: RoundSettings): Bundle {
  const [base, extra] = one.orders.length >= other.orders.length ? [one, other] : [other, one];
  const ways = [base.orders, ...(base.orders.length > 1 ? [base.orders.toReversed()] : [])].map((start) => {
    let route: Route = { orders: start, sumMs: 0 };
    for (const order of extra.orders) route = withOrder(route, order, travel, settings);
    return route;
  });
  return bundleOf(ways.reduce((best, way) => (way.sumMs < best.sumMs ? way : best)).orders);
}

interface Route {
  readonly orders: readonly OpenOrder[];
  readonly sumMs: number;
}

function withOrder({ orders }: Route, order: OpenOrder, travel: TravelTime, settings: RoundSettings): Route {
  let best: Route = { orders, sumMs: Number.POSITIVE_INFINITY };
  for (let place = 0; place <= orders.length; place += 1) {
    const tried = orders.toSpliced(place, 0, order);
    const sumMs = deliveryOf(tried, travel, settings, null).offsetSumMs;
    if (sumMs < best.sumMs) best = { orders: tried, sumMs };
  }
  return best;
}

/** How the orders are brought; what the agent does first at the door or the pickup has half of its service behind it. */
export function deliveryOf(
  orders: readonly OpenOrder[],
  travel: TravelTime,
  { pickupServiceMs, dropoffServiceMs }: RoundSettings,
  vehicleType: string | null,
): Delivery {
  const offsetsMs: number[] = [];
  let place = startOf(orders[0]!);
  let leavesMs = orders[0]!.pickup ? pickupServiceMs / 2 : 0;
  let offsetSumMs = 0;
  for (const { dropoff } of orders) {
    let atMs = leavesMs;
    if (dropoff) {
      atMs += place === dropoff || !place ? 0 : travel(place, dropoff, vehicleType).ms;
      atMs += dropoffServiceMs / 2;
      leavesMs = atMs + dropoffServiceMs / 2;
      place = dropoff;
    }
    offsetsMs.push(atMs);
    offsetSumMs += atMs;
  }
  return { offsetsMs, offsetSumMs, leavesMs, end: place };
}
