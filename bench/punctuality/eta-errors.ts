import type { RouteTask } from '../../engine/domain/stops/open-stops.ts';
import { predictedTimes } from '../../engine/domain/stops/predicted-times.ts';
import { NO_RESTS } from '../../engine/domain/stops/rests.ts';
import type { DayRecord } from '../mdrp/day-record.ts';
import { instanceTravel, MINUTE_MS } from '../mdrp/instance-travel.ts';
import type { Instance } from '../mdrp/read-instance.ts';
import type { Verdict } from '../report/summarize.ts';
import { formatTable } from '../report/table.ts';
import { type CarriedOrder, type CourierDay, daysInTraffic, placeAt } from './noisy-day.ts';

export const STRAIGHT_RULE =
  'the way from the courier straight to the door, as if it were its next one: the rule before';

/** Mean absolute errors of the ETA at the moment when an order is accepted, in minutes. */
export interface EtaErrors {
  readonly name: string;
  readonly orders: number;
  readonly stops: number;
  readonly straight: number;
}

/** Both rules at the same moments of the same day in traffic, by the same ways: none knows of the traffic. */
export function etaErrorsOf(instance: Instance, record: DayRecord, seed: number): EtaErrors {
  const { metersPerMinute, pickupServiceMinutes, dropoffServiceMinutes } = instance.parameters;
  const travel = instanceTravel(metersPerMinute);
  const services = {
    pickupServiceMs: pickupServiceMinutes * MINUTE_MS,
    dropoffServiceMs: dropoffServiceMinutes * MINUTE_MS,
  };
  const ids = new Map(instance.orders.map(({ id }, index) => [id, index]));
  let [stops, straight, orders] = [0, 0, 0];
  for (const day of daysInTraffic(instance, record, seed)) {
    for (const carried of day.orders) {
      const { acceptedAt: now, order, dropoff } = carried;
      const start = { place: placeAt(day, now), at: now, seenAt: now, vehicleType: null, rests: NO_RESTS };
      const tasks = openAt(day, now).map((open) => routeTaskOf(open, ids.get(open.order.id)!, now));
      const { etaAt } = predictedTimes(start, tasks, services, travel).get(ids.get(order.id)!)!;
      stops += Math.abs(etaAt - dropoff.beganAt);
      straight += Math.abs(now + travel(start.place, order.dropOff, null).ms - dropoff.beganAt);
      orders += 1;
    }
  }
  const mean = (sum: number) => sum / orders / MINUTE_MS;
  return { name: instance.name, orders, stops: mean(stops), straight: mean(straight) };
}

/** The orders that the courier has accepted by then, and whose doors it has not left. */
function openAt({ orders }: CourierDay, now: number): CarriedOrder[] {
  return orders.filter(({ acceptedAt, dropoff }) => acceptedAt <= now && dropoff.leftAt > now);
}

/** As its record would be at that moment: what comes later is not known. */
function routeTaskOf(
  { order, acceptedAt, trip, pickup, dropoff }: CarriedOrder,
  taskId: number,
  now: number,
): RouteTask {
  const { window, readyMinute, restaurant } = order;
  const isAboard = pickup.leftAt <= now;
  const known = (at: number) => (at <= now ? at : null);
  return {
    taskId,
    status: isAboard ? 'in_transit' : 'accepted',
    assignedAt: acceptedAt,
    readyAt: readyMinute * MINUTE_MS,
    windowStart: window ? window.from * MINUTE_MS : null,
    dueAt: window ? window.until * MINUTE_MS : null,
    serviceMs: null,
    slot: null,
    pickup: restaurant,
    pickupKey: `${restaurant.id} ${trip}`,
    dropoff: order.dropOff,
    pickupArrivedAt: known(pickup.arrivedAt),
    pickedUpAt: known(pickup.leftAt),
    arrivedAt: known(dropoff.arrivedAt),
  };
}

export function etaErrorTable(days: readonly EtaErrors[]): string {
  const rows = days.map(({ name, orders, stops, straight }) => [
    name,
    `${orders}`,
    stops.toFixed(2),
    straight.toFixed(2),
    `${((1 - stops / straight) * 100).toFixed(0)} %`,
  ]);
  return formatTable(['day', 'orders', 'etaAt', 'straight line', 'less'], rows);
}

export function judgeEtaErrors(days: readonly EtaErrors[]): Verdict {
  return {
    claim: 'on each day the mean error of etaAt at acceptance is less than that of the straight line',
    measured: days.map(({ stops, straight }) => `${stops.toFixed(2)} of ${straight.toFixed(2)} min`).join(', '),
    met: days.every(({ stops, straight }) => stops < straight),
  };
}
