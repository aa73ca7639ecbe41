import type { OpenOrder, Place, PlannedStop, RoundSettings, TravelTime } from '../assignment/round-view.ts';
import { latePrice } from '../stops/lateness.ts';
import { type Bundle, startOf } from './bundle.ts';

/** How orders that are fetched at one moment are brought, one after the other; nobody waits for windows here. */
export interface Delivery {
  /** From the moment at which they are fetched until each order is there, summed up. */
  readonly offsetSumMs: number;
  /** Until the agent is free again, and where it is then; null where it does not go anywhere. */
  readonly leavesMs: number;
  readonly end: Place | null;
  /** From the moment at which the agent leaves the stop before, or fetches, to being at each door. */
  readonly legsMs: readonly number[];
}

/** When an agent is free after a delivery: written to, since an object for each would be one of a million in a round. */
export type FreeAt = Float64Array;

/**
 * The cost of a delivery that starts at `fetchAt`: how long after `now` each order is there, with the price of what is
 * late. Writes to `freeAt` when the agent is free then.
 */
export function bring(
  { orders, urgency, isTimed }: Bundle,
  delivery: Delivery,
  fetchAt: number,
  now: number,
  { dropoffServiceMs }: RoundSettings,
  freeAt: FreeAt,
): number {
  if (!isTimed) {
    freeAt[0] = fetchAt + delivery.leavesMs;
    return urgency * (orders.length * (fetchAt - now) + delivery.offsetSumMs);
  }
  const { legsMs } = delivery;
  let at = fetchAt;
  let [costMs, price] = [0, 0];
  for (let stop = 0; stop < orders.length; stop += 1) {
    const { windowStart, dueAt, serviceMs, dropoff } = orders[stop]!;
    at += legsMs[stop]!;
    if (windowStart !== null && at < windowStart) at = windowStart;
    costMs += at - now;
    if (dueAt !== null && at > dueAt) price += latePrice(at, dueAt, now);
    if (dropoff) at += serviceMs ?? dropoffServiceMs;
  }
  freeAt[0] = at;
  return urgency * costMs + price;
}

/** The stops at the doors. */
export function dropoffsOf(
  { orders }: Bundle,
  { legsMs }: Delivery,
  fetchAt: number,
  now: number,
  { dropoffServiceMs }: RoundSettings,
): PlannedStop[] {
  let at = fetchAt;
  return orders.map(({ taskId, dropoff, windowStart, dueAt, serviceMs }, stop) => {
    const arriveAt = at + legsMs[stop]!;
    const beginAt = Math.max(arriveAt, windowStart ?? arriveAt);
    at = beginAt + (dropoff ? (serviceMs ?? dropoffServiceMs) : 0);
    const lateMs = Math.max(0, beginAt - (dueAt ?? beginAt));
    return { kind: 'dropoff', taskIds: [taskId], arriveMs: arriveAt - now, waitMs: beginAt - arriveAt, lateMs };
  });
}

/** Orders in the order in which they are brought, and what that costs from the moment at which they are fetched. */
export interface Route {
  readonly orders: readonly OpenOrder[];
  /** Until each of them is there, summed up, without waiting for windows. */
  readonly offsetSumMs: number;
  /** The price of what is late even so. */
  readonly priceMs: number;
}

/** Where and when orders are brought together. */
interface Joining {
  readonly travel: TravelTime;
  readonly settings: RoundSettings;
  readonly now: number;
  /** When they are fetched, as far as that is known. */
  readonly fetchAt: number;
  readonly sums: Float64Array;
}

/**
 * How both are brought together: the orders of the smaller put in one by one where they delay least, into the larger as
 * it is and turned round. Of up to three orders the best way of all.
 */
export function join(one: Bundle, other: Bundle, joining: Joining): Route {
  const [base, extra] = one.orders.length >= other.orders.length ? [one, other] : [other, one];
  const straight = withOrders(base.orders, extra.orders, joining);
  if (base.orders.length === 1) return straight;
  const turned = withOrders(base.orders.toReversed(), extra.orders, joining);
  return turned.costMs < straight.costMs ? turned : straight;
}

/** A route with its cost, and what that is made of. */
interface PricedRoute extends Route {
  readonly costMs: number;
}

function withOrders(orders: readonly OpenOrder[], extra: readonly OpenOrder[], joining: Joining): PricedRoute {
  let route: PricedRoute = { orders, offsetSumMs: 0, priceMs: 0, costMs: 0 };
  for (const order of extra) route = withOrder(route.orders, order, joining);
  return route;
}

function withOrder(orders: readonly OpenOrder[], order: OpenOrder, joining: Joining): PricedRoute {
  // The order moves from the first place to the last.
  const tried = [order, ...orders];
  let bestPlace = 0;
  let least = Number.POSITIVE_INFINITY;
  let [offsetSumMs, priceMs] = [0, 0];
  const sums = joining.sums;
  for (let place = 0; place < tried.length; place += 1) {
    if (place > 0) {
      tried[place - 1] = tried[place]!;
      tried[place] = order;
    }
    const costMs = routeCost(tried, joining);
    if (costMs >= least) continue;
    least = costMs;
    offsetSumMs = sums[0]!;
    priceMs = sums[1]!;
    bestPlace = place;
  }
  for (let place = orders.length; place > bestPlace; place -= 1) {
    tried[place] = tried[place - 1]!;
    tried[place - 1] = order;
  }
  return { orders: tried, offsetSumMs, priceMs, costMs: least };
}

/** Writes the sum of the offsets and the price to `sums`. */
function routeCost(
  orders: readonly OpenOrder[],
  { travel, settings: { pickupServiceMs, dropoffServiceMs }, now, fetchAt, sums }: Joining,
): number {
  let place = startOf(orders[0]!);
  let offsetMs = orders[0]!.pickup ? pickupServiceMs / 2 : 0;
  let waitMs = 0;
  let [offsetSumMs, waitSumMs, priceMs] = [0, 0, 0];
  for (let stop = 0; stop < orders.length; stop += 1) {
    const { dropoff, windowStart, dueAt, serviceMs } = orders[stop]!;
    if (dropoff && place && place !== dropoff) offsetMs += travel(place, dropoff, null).ms;
    offsetSumMs += offsetMs;
    if (windowStart !== null) waitMs = Math.max(waitMs, windowStart - fetchAt - offsetMs);
    waitSumMs += waitMs;
    if (dueAt !== null) priceMs += latePrice(fetchAt + offsetMs + waitMs, dueAt, now);
    if (!dropoff) continue;
    offsetMs += serviceMs ?? dropoffServiceMs;
    place = dropoff;
  }
  sums[0] = offsetSumMs;
  sums[1] = priceMs;
  return offsetSumMs + waitSumMs + priceMs;
}

/** How the orders are brought; what the agent does first at the pickup has half of its service behind it. */
export function deliveryOf(
  orders: readonly OpenOrder[],
  travel: TravelTime,
  { pickupServiceMs, dropoffServiceMs }: RoundSettings,
  vehicleType: string | null,
): Delivery {
  let place = startOf(orders[0]!);
  let leavesMs = 0;
  let offsetSumMs = 0;
  let leg = orders[0]!.pickup ? pickupServiceMs / 2 : 0;
  const legsMs = new Array<number>(orders.length);
  for (let stop = 0; stop < orders.length; stop += 1) {
    const { dropoff, serviceMs } = orders[stop]!;
    if (dropoff && place && place !== dropoff) leg += travel(place, dropoff, vehicleType).ms;
    legsMs[stop] = leg;
    leavesMs += leg;
    offsetSumMs += leavesMs;
    leg = 0;
    if (!dropoff) continue;
    leavesMs += serviceMs ?? dropoffServiceMs;
    place = dropoff;
  }
  return { offsetSumMs, leavesMs, end: place, legsMs };
}
