import { join } from 'node:path';
import { type Day, minuteOf, numberOf, type Place, placeOf, readDay, readTable } from '../replay/read-day.ts';
import { UsageError } from '../stand/run-to-end.ts';

/** A courier's shift. Times are minutes from the start of the day. */
export interface Courier {
  readonly id: string;
  readonly start: Place;
  readonly onMinute: number;
  readonly offMinute: number;
}

export interface Parameters {
  readonly metersPerMinute: number;
  readonly pickupServiceMinutes: number;
  readonly dropoffServiceMinutes: number;
  /** From the placement of an order to its door. */
  readonly targetMinutes: number;
  readonly payPerOrder: number;
  readonly guaranteedPayPerHour: number;
}

/** A day with its couriers. */
export interface Instance extends Day {
  readonly couriers: readonly Courier[];
  readonly parameters: Parameters;
}

const COURIER_COLUMNS = ['courier', 'x', 'y', 'on_time', 'off_time'];
const PARAMETER_COLUMNS = [
  'meters_per_minute',
  'pickup service minutes',
  'dropoff service minutes',
  'target click-to-door',
  'maximum click-to-door',
  'pay per order',
  'guaranteed pay per hour',
];

/** Reads an instance of the Meal Delivery Routing Problem. Throws UsageError naming file and line. */
export function readInstance(folder: string): Instance {
  const couriers = new Map<string, Courier>();
  const day = readDay(folder);
  readTable(folder, 'couriers.txt', COURIER_COLUMNS, ([id = '', x = '', y = '', on = '', off = ''], reject) => {
    if (couriers.has(id)) reject(`courier ${id} stands here twice`);
    const onMinute = minuteOf('on_time', on, reject);
    const offMinute = minuteOf('off_time', off, reject);
    if (offMinute < onMinute) reject(`courier ${id} ends before it begins`);
    couriers.set(id, { id, start: placeOf(id, x, y, reject), onMinute, offMinute });
  });
  if (couriers.size === 0) throw new UsageError(`${join(folder, 'couriers.txt')}: holds no couriers`);
  return { ...day, couriers: [...couriers.values()], parameters: readParameters(folder) };
}

function readParameters(folder: string): Parameters {
  const name = 'instance_parameters.txt';
  const found: Parameters[] = [];
  readTable(folder, name, PARAMETER_COLUMNS, (cells, reject) => {
    const numbers = PARAMETER_COLUMNS.map((column, index) => {
      const number = numberOf(column, cells[index]!, reject);
      return number >= 0 ? number : reject(`${column} is below 0`);
    });
    const [metersPerMinute, pickupServiceMinutes, dropoffServiceMinutes, targetMinutes] = numbers as Four;
    const [payPerOrder, guaranteedPayPerHour] = numbers.slice(-2) as [number, number];
    if (metersPerMinute === 0) reject('meters_per_minute is 0');
    const times = { metersPerMinute, pickupServiceMinutes, dropoffServiceMinutes, targetMinutes };
    found.push({ ...times, payPerOrder, guaranteedPayPerHour });
  });
  const [parameters, ...more] = found;
  if (!parameters || more.length > 0)
    throw new UsageError(`${join(folder, name)}: holds ${found.length} lines of parameters, one is due`);
  return parameters;
}

type Four = [number, number, number, number];
