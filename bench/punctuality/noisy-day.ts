import type { Place, TravelTime } from '../../engine/domain/assignment/round-view.ts';
import type { Carried, DayRecord } from '../mdrp/day-record.ts';
import { instanceTravel, MINUTE_MS } from '../mdrp/instance-travel.ts';
import type { Courier, Instance } from '../mdrp/read-instance.ts';
import type { Order } from '../replay/read-day.ts';
import { seededNumbers } from '../scenarios/seeded-numbers.ts';

/** The spread of the logarithm of a way's length in time: two ways of three are within a quarter of their usual time. */
const SPREAD = 0.25;
const DRAWS = 1_000_000;

export const NOISE_RULE =
  `each way takes its usual time × a log-normal number of its own with mean 1 and spread ${SPREAD} of the logarithm; ` +
  'couriers carry out the decisions of the planner in their order, and nothing else is by chance';

/** A stop as it was, in milliseconds from the start of the day. */
export interface PastStop {
  readonly kind: 'pickup' | 'dropoff';
  readonly place: Place;
  readonly arrivedAt: number;
  readonly beganAt: number;
  readonly leftAt: number;
}

/** An order as its courier carried it. */
export interface CarriedOrder {
  readonly order: Order;
  readonly acceptedAt: number;
  /** Those of one pickup have the same. */
  readonly trip: number;
  readonly pickup: PastStop;
  readonly dropoff: PastStop;
}

/** A courier's day: its orders in the order in which they were given. */
export interface CourierDay {
  readonly start: Place;
  readonly orders: readonly CarriedOrder[];
}

/** The decisions of a day in traffic. The same seed makes the same traffic. */
export function daysInTraffic(instance: Instance, { assignments }: DayRecord, seed: number): CourierDay[] {
  const usual = instanceTravel(instance.parameters.metersPerMinute);
  const draw = seededNumbers(seed);
  const travel: TravelTime = (from, to, vehicleType) => {
    const { distanceM, ms } = usual(from, to, vehicleType);
    return { distanceM, ms: ms * Math.exp(SPREAD * normal(draw) - SPREAD ** 2 / 2) };
  };
  const orders = new Map(instance.orders.map((order) => [order.id, order]));
  return instance.couriers.map((courier) => {
    const trips = assignments.filter(({ courierId }) => courierId === courier.id);
    return courierDay(courier, trips, { instance, orders, travel });
  });
}

interface Traffic {
  readonly instance: Instance;
  readonly orders: ReadonlyMap<string, Order>;
  readonly travel: TravelTime;
}

/** The rules of the replay, over other ways. */
function courierDay(courier: Courier, trips: readonly Carried[], { instance, orders, travel }: Traffic): CourierDay {
  const { pickupServiceMinutes, dropoffServiceMinutes } = instance.parameters;
  const pickupMs = pickupServiceMinutes * MINUTE_MS;
  const carried: CarriedOrder[] = [];
  let place: Place = courier.start;
  let at = courier.onMinute * MINUTE_MS;
  const visit = (kind: PastStop['kind'], to: Place, notBefore: number, serviceMs: number): PastStop => {
    const arrivedAt = at + travel(place, to, null).ms;
    const beganAt = Math.max(arrivedAt, notBefore);
    [place, at] = [to, beganAt + serviceMs];
    return { kind, place: to, arrivedAt, beganAt, leftAt: at };
  };
  for (const [trip, { decidedAt, orderIds }] of trips.entries()) {
    const taken = orderIds.map((id) => orders.get(id)!);
    at = Math.max(at, decidedAt);
    const readyAt = Math.max(...taken.map(({ readyMinute }) => readyMinute * MINUTE_MS));
    const pickup = visit('pickup', taken[0]!.restaurant, readyAt - pickupMs / 2, pickupMs);
    for (const order of taken) {
      const opensAt = (order.window?.from ?? 0) * MINUTE_MS;
      const dropoff = visit('dropoff', order.dropOff, opensAt, dropoffServiceMinutes * MINUTE_MS);
      carried.push({ order, acceptedAt: decidedAt, trip, pickup, dropoff });
    }
  }
  return { start: courier.start, orders: carried };
}

/** Where the courier of that day is: at a stop, or on the straight line from one to the next. */
export function placeAt({ start, orders }: CourierDay, now: number): Place {
  const stops = [...new Set(orders.flatMap(({ pickup, dropoff }) => [pickup, dropoff]))];
  let last: { readonly place: Place; readonly leftAt: number } | undefined;
  for (const stop of stops) {
    if (stop.arrivedAt <= now) {
      last = stop;
      continue;
    }
    const from = last?.place ?? start;
    const setOutAt = stop.kind === 'pickup' ? Math.max(last?.leftAt ?? 0, acceptedBefore(orders, stop)) : last!.leftAt;
    const share = Math.min(1, Math.max(0, (now - setOutAt) / (stop.arrivedAt - setOutAt || 1)));
    return {
      latitude: from.latitude + share * (stop.place.latitude - from.latitude),
      longitude: from.longitude + share * (stop.place.longitude - from.longitude),
    };
  }
  return last?.place ?? start;
}

function acceptedBefore(orders: readonly CarriedOrder[], pickup: PastStop): number {
  return orders.find((order) => order.pickup === pickup)!.acceptedAt;
}

/** Box and Muller, 1958. */
function normal(draw: (bound: number) => number): number {
  const [one, other] = [(draw(DRAWS) + 1) / DRAWS, draw(DRAWS) / DRAWS];
  return Math.sqrt(-2 * Math.log(one)) * Math.cos(2 * Math.PI * other);
}
