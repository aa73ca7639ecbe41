import { readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { UsageError } from '../stand/run-to-end.ts';

export interface Place {
  readonly id: string;
  /** Metres on the plane of the data. */
  readonly x: number;
  readonly y: number;
  /** Degrees. */
  readonly latitude: number;
  readonly longitude: number;
}

/** An order of the day. Times are minutes from its start. */
export interface Order {
  readonly id: string;
  readonly dropOff: Place;
  readonly restaurant: Place;
  readonly placementMinute: number;
  readonly readyMinute: number;
  /** When it may be served at its door; the data has none. */
  readonly window?: Window;
}

/** Minutes from the start of the day: served before `from` it may not be, and after `until` it is late. */
export interface Window {
  readonly from: number;
  readonly until: number;
}

export interface Day {
  readonly name: string;
  /** As they were placed; those of the same minute as they stand in the file. */
  readonly orders: readonly Order[];
}

/** Metres of one degree on a sphere with the Earth's mean radius: puts the plane at the equator, undistorted. */
export const METRES_PER_DEGREE = 111_195.08;

const ORDER_COLUMNS = ['order', 'x', 'y', 'placement_time', 'restaurant', 'ready_time'];
const RESTAURANT_COLUMNS = ['restaurant', 'x', 'y'];

/**
 * Reads a day of the Meal Delivery Routing Problem (Reyes, Erera, Savelsbergh, Sahasrabudhe, O'Neil, 2018): a folder
 * with the tab-separated orders.txt and restaurants.txt. Throws UsageError naming file and line.
 */
export function readDay(folder: string): Day {
  const restaurants = new Map<string, Place>();
  readTable(folder, 'restaurants.txt', RESTAURANT_COLUMNS, ([id = '', x = '', y = ''], reject) => {
    if (restaurants.has(id)) reject(`restaurant ${id} stands here twice`);
    restaurants.set(id, placeOf(id, x, y, reject));
  });
  const orders = new Map<string, Order>();
  readTable(
    folder,
    'orders.txt',
    ORDER_COLUMNS,
    ([id = '', x = '', y = '', placed = '', from = '', ready = ''], reject) => {
      if (orders.has(id)) reject(`order ${id} stands here twice`);
      const restaurant = restaurants.get(from) ?? reject(`restaurant ${from} is not in restaurants.txt`);
      const placementMinute = minuteOf('placement_time', placed, reject);
      const readyMinute = minuteOf('ready_time', ready, reject);
      if (readyMinute < placementMinute) reject(`order ${id} is ready before it is placed`);
      orders.set(id, { id, dropOff: placeOf(id, x, y, reject), restaurant, placementMinute, readyMinute });
    },
  );
  if (orders.size === 0) throw new UsageError(`${join(folder, 'orders.txt')}: holds no orders`);
  const placed = [...orders.values()].sort((a, b) => a.placementMinute - b.placementMinute);
  return { name: basename(resolve(folder)), orders: placed };
}

type Reject = (problem: string) => never;

/** Hands the cells of each line to `take`; reports a rejected line with file and line. Throws UsageError. */
export function readTable(
  folder: string,
  name: string,
  columns: readonly string[],
  take: (cells: readonly string[], reject: Reject) => void,
): void {
  const path = join(folder, name);
  const [header, ...lines] = readText(path).split(/\r?\n/);
  const wanted = columns.join('\t');
  if (header !== wanted)
    throw new UsageError(`${path}:1: the header must be "${columns.join('<tab>')}", it is "${header}"`);
  for (const [index, line] of lines.entries()) {
    if (line === '') continue;
    const reject: Reject = (problem) => {
      throw new UsageError(`${path}:${index + 2}: ${problem}`);
    };
    const cells = line.split('\t');
    if (cells.length !== columns.length) reject(`${cells.length} columns, ${columns.length} are due: "${line}"`);
    if (!/^[\w.-]{1,64}$/.test(cells[0]!)) reject(`"${cells[0]}" is no id`);
    take(cells, reject);
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${(error as Error).message}`);
  }
}

export function placeOf(id: string, xText: string, yText: string, reject: Reject): Place {
  const [x, y] = [numberOf('x', xText, reject), numberOf('y', yText, reject)];
  const [latitude, longitude] = [y / METRES_PER_DEGREE, x / METRES_PER_DEGREE];
  if (Math.abs(latitude) > 90 || Math.abs(longitude) > 180) reject(`x ${x}, y ${y} is no place on Earth`);
  return { id, x, y, latitude, longitude };
}

export function numberOf(column: string, text: string, reject: Reject): number {
  return /^-?\d{1,12}(\.\d{1,6})?$/.test(text) ? Number(text) : reject(`${column} "${text}" is no number`);
}

export function minuteOf(column: string, text: string, reject: Reject): number {
  return /^\d{1,5}$/.test(text) ? Number(text) : reject(`${column} "${text}" is no minute of a day`);
}
