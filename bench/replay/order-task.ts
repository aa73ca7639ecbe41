import type { TaskView } from '../../schema/tasks/task-view.ts';
import type { Order, Place } from './read-day.ts';

/** One order as a task: the body to post, and the fields to read back. */
export interface OrderTask {
  readonly order: Order;
  readonly idempotencyKey: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly expected: ExpectedTask;
}

/** The fields that the task must show in every read; an expectation names only those that the order decides. */
type ExpectedTask = Pick<TaskView, 'name' | 'code' | 'taskType' | 'status' | 'timeToServe' | 'readyAt' | 'notes'> & {
  readonly customer: {
    readonly user: Readonly<Record<'firstName' | 'lastName' | 'countryCode' | 'phoneNumber', string>>;
  };
  readonly location: ExpectedPlace;
  readonly pickupLocation: ExpectedPlace;
  readonly packages: readonly { readonly name: string; readonly quantity: number; readonly status: string }[];
};

interface ExpectedPlace {
  readonly address: string;
  readonly latitude: string;
  readonly longitude: string;
}

interface Naming {
  /** Unique to this replay, so that the same day can be posted again. */
  readonly runId: string;
  readonly dayName: string;
  /** Midnight (UTC) that the minutes of the data count from, in milliseconds. */
  readonly dayStartMs: number;
  /** Distinguishes the order from all others of the run. */
  readonly number: number;
}

const MINUTE_MS = 60_000;

/** Drop-off as location, restaurant as pickupLocation. Names and phones are made up: the data has none. */
export function orderTask(order: Order, { runId, dayName, dayStartMs, number }: Naming): OrderTask {
  const code = `${dayName}-${order.id}-${runId}`;
  const name = `Order ${order.id} of ${dayName}`;
  const nationalNumber = `1555${String(number).padStart(8, '0')}`;
  const dropOff = placeInput(`Drop-off of ${order.id}`, order.dropOff);
  const pickup = placeInput(`Restaurant ${order.restaurant.id}`, order.restaurant);
  const readyAt = new Date(dayStartMs + order.readyMinute * MINUTE_MS).toISOString();
  const notes = `Placed in minute ${order.placementMinute}`;
  return {
    order,
    idempotencyKey: `replay-${code}`,
    body: {
      name,
      code,
      taskType: 'delivery',
      readyAt,
      notes,
      customer: { name: `Customer ${number}`, phone: `+49${nationalNumber}` },
      location: dropOff,
      pickupLocation: pickup,
      packages: [{ name: `Meal of ${order.id}`, quantity: 1 }],
    },
    expected: {
      name,
      code,
      taskType: 'delivery',
      status: 'new',
      timeToServe: 'asap',
      readyAt,
      notes,
      customer: {
        user: { firstName: 'Customer', lastName: String(number), countryCode: '+49', phoneNumber: nationalNumber },
      },
      location: placeView(dropOff),
      pickupLocation: placeView(pickup),
      packages: [{ name: `Meal of ${order.id}`, quantity: 1, status: 'pending' }],
    },
  };
}

interface PlaceInput {
  readonly address: string;
  readonly latitude: number;
  readonly longitude: number;
}

function placeInput(label: string, { x, y, latitude, longitude }: Place): PlaceInput {
  return { address: `${label}, ${x} m east, ${y} m north`, latitude, longitude };
}

/** The API shows degrees as text with eight decimals: a millimetre. */
function placeView({ address, latitude, longitude }: PlaceInput): ExpectedPlace {
  return { address, latitude: latitude.toFixed(8), longitude: longitude.toFixed(8) };
}
