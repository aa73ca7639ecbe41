import type { Courier, Instance } from '../mdrp/read-instance.ts';
import { METRES_PER_DEGREE, type Order, type Place } from '../replay/read-day.ts';
import { seededNumbers } from '../scenarios/seeded-numbers.ts';

/**
 * Where pickups and doors are, as in Solomon's classes: `r` anywhere, `c` around a few centres, `rc` half and half. The
 * number is the width of the windows: 1 narrow, 2 wide. "Algorithms for the vehicle routing and scheduling problems with
 * time window constraints", Operations Research 35 (1987). Each order has a pickup of its own, as in Li and Lim's pickup
 * and delivery problems (2001); orders become known in the course of the day.
 */
export const MADE_UP_CLASSES = ['r1', 'r2', 'c1', 'c2', 'rc1', 'rc2'] as const;
export type MadeUpClass = (typeof MADE_UP_CLASSES)[number];

export const MADE_UP_RULE =
  'own generator, after Solomon (1987) and Li and Lim (2001): 240 orders in 8 hours on 10 × 10 km, each with its own ' +
  'pickup, places uniform (r), around 6 centres (c) or half and half (rc), 17 couriers; windows of 20–40 minutes (1) or ' +
  '60–120 (2), whose middle lies 30–80 minutes after the order is placed';

const SIDE_M = 10_000;
const CENTRES = 6;
/** How far a place lies from its centre, to each side. */
const SPREAD_M = 900;
const ORDERS = 240;
const COURIERS = 17;
const DAY_MINUTES = 480;
/** Couriers bring what was placed last. */
const EVENING_MINUTES = 180;
const WIDTHS = { narrow: [20, 40], wide: [60, 120] } as const;
const MIDDLE_AFTER = [30, 80] as const;
/** About the straight line at 20 km/h. */
const METERS_PER_MINUTE = 333;

type Draw = (bound: number) => number;

/** The same class and seed make the same day. */
export function madeUpDay(kind: MadeUpClass, seed: number): Instance {
  const draw = seededNumbers(seed * 101 + MADE_UP_CLASSES.indexOf(kind));
  const centres = Array.from({ length: CENTRES }, () => [draw(SIDE_M), draw(SIDE_M)] as const);
  const point = (isClustered: boolean): readonly [number, number] => {
    if (!isClustered) return [draw(SIDE_M), draw(SIDE_M)];
    const [x, y] = centres[draw(CENTRES)]!;
    return [x + draw(2 * SPREAD_M) - SPREAD_M, y + draw(2 * SPREAD_M) - SPREAD_M];
  };
  const isClustered = () => kind.startsWith('c') || (kind.startsWith('rc') && draw(2) === 0);
  const somewhere = (id: string): Place => placeAt(id, point(isClustered()));
  const width = kind.endsWith('1') ? WIDTHS.narrow : WIDTHS.wide;
  const orders: Order[] = Array.from({ length: ORDERS }, (_, number) => {
    const placementMinute = draw(DAY_MINUTES);
    const middle = placementMinute + between(MIDDLE_AFTER, draw);
    const half = between(width, draw) / 2;
    return {
      id: `o${number}`,
      placementMinute,
      readyMinute: placementMinute + draw(15),
      restaurant: somewhere(`p${number}`),
      dropOff: somewhere(`o${number}`),
      window: { from: Math.round(middle - half), until: Math.round(middle + half) },
    };
  });
  const couriers: Courier[] = Array.from({ length: COURIERS }, (_, number) => ({
    id: `c${number}`,
    start: somewhere(`c${number}`),
    onMinute: 0,
    offMinute: DAY_MINUTES + EVENING_MINUTES,
  }));
  return {
    name: `${kind}, seed ${seed}`,
    orders: orders.sort((one, other) => one.placementMinute - other.placementMinute),
    couriers,
    parameters: {
      metersPerMinute: METERS_PER_MINUTE,
      pickupServiceMinutes: 4,
      dropoffServiceMinutes: 4,
      targetMinutes: 40,
      payPerOrder: 10,
      guaranteedPayPerHour: 15,
    },
  };
}

/** Both ends included. */
function between([least, most]: readonly [number, number], draw: Draw): number {
  return least + draw(most - least + 1);
}

function placeAt(id: string, [x, y]: readonly [number, number]): Place {
  return { id, x, y, latitude: y / METRES_PER_DEGREE, longitude: x / METRES_PER_DEGREE };
}
