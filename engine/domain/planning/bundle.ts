import type { Demand } from '../assignment/eligibility.ts';
import type { OpenOrder, Place, RoundSettings, TravelTime } from '../assignment/round-view.ts';

/** Orders that one agent fetches at one place and brings one after the other; mostly a single one. */
export interface Bundle {
  /** In the order in which they are brought. */
  readonly orders: readonly OpenOrder[];
  readonly demand: Demand;
  /** Not fetched before; minus infinity when all are ready. */
  readonly readyAt: number;
  /** How much each of its minutes weighs: 1 for fresh orders, more for those that have waited. */
  readonly urgency: number;
}

/** From the moment at which a bundle is fetched. */
export interface Delivery {
  /** Until each order is there, summed up. */
  readonly offsetSumMs: number;
  /** Until the agent is free again, and where it is then; null where it does not go anywhere. */
  readonly leavesMs: number;
  readonly end: Place | null;
}

/** After so long an order that waits weighs twice as much, up to `MOST_URGENT` times: none is always put off for others. */
const URGENT_MS = 1_800_000;
const MOST_URGENT = 10;

/** Nobody waits for what is not ready. */
function urgencyOf(orders: readonly OpenOrder[], now: number): number {
  let sum = 0;
  for (const { searchingSince, readyAt } of orders) {
    const waitedMs = Math.max(0, now - Math.max(searchingSince, readyAt ?? searchingSince));
    sum += Math.min(MOST_URGENT, 1 + waitedMs / URGENT_MS);
  }
  return sum / orders.length;
}

/** The cost of a minute of all its orders. */
export function weightOf({ orders, urgency }: Bundle): number {
  return orders.length * urgency;
}

/** Where the agent has to go first; null for nowhere. */
export function startOf({ pickup, dropoff }: OpenOrder): Place | null {
  return pickup ?? dropoff;
}

export function bundleOf(orders: readonly OpenOrder[], now: number): Bundle {
  const [first] = orders;
  const urgency = urgencyOf(orders, now);
  if (orders.length === 1 && first) {
    const { load, requiredSkills, slot, declinedBy } = first;
    const readyAt = first.readyAt ?? Number.NEGATIVE_INFINITY;
    return { orders, demand: { tasks: 1, load, requiredSkills, slot, declinedBy }, readyAt, urgency };
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
  return { orders, demand: { tasks: orders.length, load, requiredSkills, slot: null, declinedBy }, readyAt, urgency };
}

/** Orders in the order in which they are brought, and until each of them is there, summed up. */
export interface Route {
  readonly orders: readonly OpenOrder[];
  readonly offsetSumMs: number;
}

/**
 * How both are brought together: the orders of the smaller put in one by one where they delay least, into the larger as
 * it is and turned round. Of up to three orders the best way of all.
 */
export function join(one: Bundle, other: Bundle, travel: TravelTime, settings: RoundSettings): Route {
  const [base, extra] = one.orders.length >= other.orders.length ? [one, other] : [other, one];
  const straight = withOrders(base.orders, extra.orders, travel, settings);
  if (base.orders.length === 1) return straight;
  const turned = withOrders(base.orders.toReversed(), extra.orders, travel, settings);
  return turned.offsetSumMs < straight.offsetSumMs ? turned : straight;
}

function withOrders(
  orders: readonly OpenOrder[],
  extra: readonly OpenOrder[],
  travel: TravelTime,
  settings: RoundSettings,
): Route {
  let route: Route = { orders, offsetSumMs: 0 };
  for (const order of extra) route = withOrder(route.orders, order, travel, settings);
  return route;
}

function withOrder(orders: readonly OpenOrder[], order: OpenOrder, travel: TravelTime, settings: RoundSettings): Route {
  // The order moves from the first place to the last.
  const tried = [order, ...orders];
  let bestPlace = 0;
  let least = Number.POSITIVE_INFINITY;
  for (let place = 0; place < tried.length; place += 1) {
    if (place > 0) {
      tried[place - 1] = tried[place]!;
      tried[place] = order;
    }
    const { offsetSumMs } = deliveryOf(tried, travel, settings, null);
    if (offsetSumMs >= least) continue;
    least = offsetSumMs;
    bestPlace = place;
  }
  for (let place = orders.length; place > bestPlace; place -= 1) {
    tried[place] = tried[place - 1]!;
    tried[place - 1] = order;
  }
  return { orders: tried, offsetSumMs: least };
}

/**
 * How the orders are brought; what the agent does first at the door or the pickup has half of its service behind it. When
 * each is there is written to `offsetsMs`, if it is given.
 */
export function deliveryOf(
  orders: readonly OpenOrder[],
  travel: TravelTime,
  { pickupServiceMs, dropoffServiceMs }: RoundSettings,
  vehicleType: string | null,
  offsetsMs?: number[],
): Delivery {
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
    offsetsMs?.push(atMs);
    offsetSumMs += atMs;
  }
  return { offsetSumMs, leavesMs, end: place };
}
