import type { Order, Place } from '../replay/read-day.ts';
import { percentile } from '../statistics.ts';
import type { Carried, DayRecord } from './day-record.ts';
import type { Courier, Instance } from './read-instance.ts';

/** Times are minutes. */
export interface Measures {
  readonly delivered: number;
  readonly undelivered: number;
  /** From placement to the door, of the orders that were delivered. */
  readonly clickToDoor: MeanAndP90;
  /** From the moment at which the meal was ready to its pickup. */
  readonly readyToPickup: MeanAndP90;
  /** How far click-to-door is past the target: the mean over all delivered orders; one in time counts 0. */
  readonly overageMean: number;
  /** (Driving + service) / shifts. */
  readonly utilisation: number;
  readonly ordersPerBundle: number;
  readonly costPerOrder: number;
  readonly declined: number;
  readonly punctuality: Punctuality;
}

/** Counts orders with a window: one that is served after its end is late, and one that is never served is late too. */
export interface Punctuality {
  readonly late: number;
  readonly onTimeShare: number;
  /** Minutes past the end of the window, of the orders that were served; in time is 0. */
  readonly lateMean: number;
  readonly lateP95: number;
  /** At the door, for the window to open. */
  readonly waitingMean: number;
}

interface MeanAndP90 {
  readonly mean: number;
  readonly p90: number;
}

/** A record that does not follow from its own decisions by the rules of the instance. */
export class WrongRecord extends Error {}

const MINUTE_MS = 60_000;
/** The rounding of a time in milliseconds, which may be a sum of halves. */
const ROUNDING_MS = 1e-3;

/**
 * Carries out every decision of a record again, by the rules and on the plane of the raw instance, compares the times
 * that it claims, and takes the measures from its own times. It shares no code with the replay, on purpose. Throws
 * WrongRecord.
 */
export function checkRecord(instance: Instance, record: DayRecord): Measures {
  const orders = new Map(instance.orders.map((order) => [order.id, order]));
  const couriers = new Map(instance.couriers.map((courier) => [courier.id, new Shift(courier, instance)]));
  const delivered: Delivered[] = [];
  for (const carried of record.assignments) {
    const shift = couriers.get(carried.courierId) ?? wrong(carried, 'no such courier');
    const carriedOrders = carried.orderIds.map((id) => {
      const order = orders.get(id) ?? wrong(carried, `order ${id} does not exist or is delivered twice`);
      orders.delete(id);
      return order;
    });
    delivered.push(...shift.carry(carried, carriedOrders));
  }
  return measuresOf(instance, record, delivered, [...couriers.values()]);
}

interface Delivered {
  readonly order: Order;
  readonly pickedUp: number;
  /** When the courier begins to hand it over, and how long it has waited at the door for that. */
  readonly served: number;
  readonly waited: number;
  readonly droppedOff: number;
}

/** Mean click-to-door if every order were fetched the moment it is ready and brought straight: a bound, no plan. */
export function leastClickToDoor({ orders, parameters }: Instance): number {
  const { pickupServiceMinutes, dropoffServiceMinutes, metersPerMinute } = parameters;
  const service = (pickupServiceMinutes + dropoffServiceMinutes) / 2;
  const minutes = orders.map(({ placementMinute, readyMinute, restaurant, dropOff }) => {
    return readyMinute - placementMinute + service + minutesBetween(restaurant, dropOff, metersPerMinute);
  });
  return sumOf(minutes) / orders.length;
}

/** A courier's day in minutes. */
class Shift {
  readonly courier: Courier;
  private readonly parameters: Instance['parameters'];
  private place: Place;
  private free: number;
  worked = 0;
  orders = 0;

  constructor(courier: Courier, { parameters }: Instance) {
    this.courier = courier;
    this.parameters = parameters;
    this.place = courier.start;
    this.free = courier.onMinute;
  }

  carry(carried: Carried, orders: readonly Order[]): Delivered[] {
    const { pickupServiceMinutes: pickup, dropoffServiceMinutes: dropoff } = this.parameters;
    const decided = carried.decidedAt / MINUTE_MS;
    const restaurant = orders[0]?.restaurant ?? wrong(carried, 'without orders');
    if (orders.some((order) => order.restaurant.id !== restaurant.id)) wrong(carried, 'orders of several restaurants');
    if (orders.some((order) => order.placementMinute > decided)) wrong(carried, 'decided before it was placed');
    if (decided < this.courier.onMinute) wrong(carried, 'decided before the shift');

    const way = this.minutesTo(restaurant);
    const arrival = Math.max(decided, this.free) + way + pickup / 2;
    const pickedUp = Math.max(arrival, ...orders.map((order) => order.readyMinute));
    if (pickedUp > this.courier.offMinute) wrong(carried, 'picked up after the shift');
    if (differs(pickedUp, carried.pickedUpAt)) wrong(carried, `picked up at minute ${pickedUp} in truth`);
    this.worked += way + pickup;
    this.orders += orders.length;
    this.place = restaurant;
    this.free = pickedUp + pickup / 2;
    return orders.map((order, index) => {
      const leg = this.minutesTo(order.dropOff);
      const waited = Math.max(0, (order.window?.from ?? 0) - this.free - leg);
      const served = this.free + leg + waited;
      const droppedOff = served + dropoff / 2;
      if (differs(droppedOff, carried.droppedOffAt[index]))
        wrong(carried, `dropped off at minute ${droppedOff} in truth`);
      this.worked += leg + dropoff;
      this.place = order.dropOff;
      this.free = droppedOff + dropoff / 2;
      return { order, pickedUp, served, waited, droppedOff };
    });
  }

  private minutesTo(place: Place): number {
    return minutesBetween(this.place, place, this.parameters.metersPerMinute);
  }
}

/** The least number of whole minutes that is enough, found without dividing a root, so that nothing is rounded. */
function minutesBetween(from: Place, to: Place, metersPerMinute: number): number {
  const squared = (to.x - from.x) ** 2 + (to.y - from.y) ** 2;
  let minutes = Math.max(0, Math.floor(Math.sqrt(squared) / metersPerMinute) - 1);
  while ((minutes * metersPerMinute) ** 2 < squared) minutes += 1;
  return minutes;
}

function measuresOf(
  { orders, parameters }: Instance,
  { assignments, declined }: DayRecord,
  delivered: readonly Delivered[],
  shifts: readonly Shift[],
): Measures {
  const clickToDoor = delivered.map(({ order, droppedOff }) => droppedOff - order.placementMinute);
  const readyToPickup = delivered.map(({ order, pickedUp }) => pickedUp - order.readyMinute);
  const minutesOf = ({ courier }: Shift) => courier.offMinute - courier.onMinute;
  const payOf = (shift: Shift) =>
    Math.max(parameters.payPerOrder * shift.orders, (parameters.guaranteedPayPerHour * minutesOf(shift)) / 60);
  const overage = clickToDoor.map((minutes) => Math.max(0, minutes - parameters.targetMinutes));
  return {
    delivered: delivered.length,
    undelivered: orders.length - delivered.length,
    clickToDoor: meanAndP90(clickToDoor),
    readyToPickup: meanAndP90(readyToPickup),
    overageMean: sumOf(overage) / delivered.length,
    utilisation: sumOf(shifts.map(({ worked }) => worked)) / sumOf(shifts.map(minutesOf)),
    ordersPerBundle: delivered.length / assignments.length,
    costPerOrder: sumOf(shifts.map(payOf)) / delivered.length,
    declined: declined.length,
    punctuality: punctualityOf(orders, delivered),
  };
}

function punctualityOf(orders: readonly Order[], delivered: readonly Delivered[]): Punctuality {
  const lateness = delivered
    .map(({ order, served }) => Math.max(0, served - (order.window?.until ?? Number.POSITIVE_INFINITY)))
    .sort((a, b) => a - b);
  const late = lateness.filter((minutes) => minutes > 0).length + orders.length - delivered.length;
  return {
    late,
    onTimeShare: 1 - late / orders.length,
    lateMean: sumOf(lateness) / lateness.length,
    lateP95: lateness.length === 0 ? Number.NaN : percentile(lateness, 0.95),
    waitingMean: sumOf(delivered.map(({ waited }) => waited)) / delivered.length,
  };
}

/** NaN of nothing. */
function meanAndP90(values: readonly number[]): MeanAndP90 {
  if (values.length === 0) return { mean: Number.NaN, p90: Number.NaN };
  return {
    mean: sumOf(values) / values.length,
    p90: percentile(
      values.toSorted((a, b) => a - b),
      0.9,
    ),
  };
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function differs(minutes: number, claimedMs: number | undefined): boolean {
  return claimedMs === undefined || Math.abs(minutes * MINUTE_MS - claimedMs) > ROUNDING_MS;
}

function wrong({ courierId, orderIds, decidedAt }: Carried, problem: string): never {
  throw new WrongRecord(`${orderIds.join(', ')} by ${courierId} at minute ${decidedAt / MINUTE_MS}: ${problem}`);
}
