import type { Instance } from '../../../bench/mdrp/read-instance.ts';
import { METRES_PER_DEGREE, type Place } from '../../../bench/replay/read-day.ts';

type Point = readonly [x: number, y: number];

interface Made {
  readonly restaurants: Readonly<Record<string, Point>>;
  readonly orders: readonly {
    readonly id: string;
    readonly at: Point;
    readonly restaurant: string;
    readonly placed: number;
    readonly ready: number;
  }[];
  readonly couriers: readonly { readonly id: string; readonly at: Point; readonly on: number; readonly off: number }[];
}

/** 100 metres a minute, four minutes of service at either end, target 40 minutes, 10 an order, 15 an hour guaranteed. */
export function mdrpInstance({ restaurants, orders, couriers }: Made): Instance {
  const placeOf = (id: string, [x, y]: Point): Place => {
    return { id, x, y, latitude: y / METRES_PER_DEGREE, longitude: x / METRES_PER_DEGREE };
  };
  return {
    name: 'made-up',
    orders: orders.map(({ id, at, restaurant, placed, ready }) => ({
      id,
      dropOff: placeOf(id, at),
      restaurant: placeOf(restaurant, restaurants[restaurant]!),
      placementMinute: placed,
      readyMinute: ready,
    })),
    couriers: couriers.map(({ id, at, on, off }) => ({ id, start: placeOf(id, at), onMinute: on, offMinute: off })),
    parameters: {
      metersPerMinute: 100,
      pickupServiceMinutes: 4,
      dropoffServiceMinutes: 4,
      targetMinutes: 40,
      payPerOrder: 10,
      guaranteedPayPerHour: 15,
    },
  };
}
