import type { CallOf } from '../../../gateway/client/document-types.ts';
import type { City, Draw, Spot } from '../city.ts';
import { peopleNames } from './people.ts';
import type { Range, Scenario, ScenarioName } from './scenarios.ts';

/** An order and its fate. Times are minutes of the simulated time, from the beginning. */
export interface Order {
  readonly number: number;
  readonly at: number;
  readonly what: string;
  readonly customer: { readonly name: string; readonly phone: string };
  readonly from: Origin;
  readonly to: Spot;
  readonly weightKg: number;
  readonly quantity: number;
  readonly readyAt: number;
  readonly windowStart: number | undefined;
  readonly windowEnd: number;
  readonly serviceMinutes: number;
  readonly fate: Fate;
}

interface Origin {
  readonly name: string;
  readonly spot: Spot;
}

/** Events in the life of an order that no planning changes. */
export interface Fate {
  /** So long after it was made its customer calls it off; most never do. */
  readonly cancelAfter: number | undefined;
  /** Why the first attempt fails. */
  readonly failureReason: string | undefined;
  /** A failed attempt is brought back instead of attempted again. */
  readonly isReturned: boolean;
}

type TaskInput = CallOf<'post', '/tasks'>['body'];

const FAILURES = ['Nobody was there', 'The address does not exist', 'The recipient refused it'];
const CANCEL_WITHIN: Range = [0, 8];
const RETURNED_ONE_IN = 3;
const MOST_PIECES = 3;
const CUSTOMERS = 400;
/** Drawn numbers have so many decimals of a minute. */
const FINE = 1_000;

/** Draws orders without end: the same ones for the same scenario, city and seed, regardless of the fleet. */
export function* drawOrders(
  scenario: Scenario,
  city: City,
  ordersPerHour: number,
  draw: Draw,
): Generator<Order, never> {
  const origins = originsOf(scenario, city, draw);
  const customers = Array.from({ length: CUSTOMERS }, (_, index) => ({
    name: peopleNames(draw),
    phone: `+491557${String(index).padStart(8, '0')}`,
  }));
  const within = ([least, most]: Range) => least + draw((most - least) * FINE + 1) / FINE;
  const isOneIn = (many: number) => draw(many) === 0;
  let at = 0;
  for (let number = 1; ; number++) {
    const readyAt = number <= scenario.opening ? at : at + within(scenario.ready);
    const windowStart = scenario.opens && at + within(scenario.opens);
    yield {
      number,
      at,
      what: scenario.goods[draw(scenario.goods.length)]!,
      customer: customers[draw(CUSTOMERS)]!,
      from: origins[draw(origins.length)]!,
      to: city.spot(draw),
      weightKg: Math.round(within(scenario.weightKg) * 10) / 10,
      quantity: 1 + draw(MOST_PIECES),
      readyAt,
      windowStart,
      windowEnd: (windowStart ?? readyAt) + within(scenario.open),
      serviceMinutes: Math.round(within(scenario.service)),
      fate: {
        cancelAfter: isOneIn(scenario.cancelledOneIn) ? within(CANCEL_WITHIN) : undefined,
        failureReason: isOneIn(scenario.failedOneIn) ? FAILURES[draw(FAILURES.length)]! : undefined,
        isReturned: isOneIn(RETURNED_ONE_IN),
      },
    };
    if (number < scenario.opening) continue;
    // Independent customers: the times between two are exponential.
    at += (-Math.log((draw(FINE) + 1) / FINE) * 60) / (ordersPerHour * waveAt(scenario.wave, at));
  }
}

/** The body that makes the task of an order. `timeOf` says when a simulated minute is, as an ISO time. */
export function taskOf(order: Order, name: ScenarioName, city: City, timeOf: (minutes: number) => string): TaskInput {
  const { number, what, customer, from, to, windowStart, quantity, weightKg } = order;
  return {
    name: `Order ${number}: ${what}`,
    taskType: 'delivery',
    autoAssign: true,
    customer,
    location: { address: city.addressOf(to), ...city.toDegrees(to) },
    pickupLocation: { address: `${from.name}, ${city.addressOf(from.spot)}`, ...city.toDegrees(from.spot) },
    packages: [{ name: what, quantity, weight: Math.round((weightKg / quantity) * 100) / 100 }],
    readyAt: timeOf(order.readyAt),
    ...(windowStart === undefined ? {} : { windowStart: timeOf(windowStart) }),
    windowEnd: timeOf(order.windowEnd),
    estimatedDuration: order.serviceMinutes,
    integrationData: { simulation: name },
  };
}

function originsOf({ origins, branches }: Scenario, city: City, draw: Draw): Origin[] {
  return Array.from({ length: origins.length * branches }, (_, index) => {
    const branch = Math.floor(index / origins.length) + 1;
    return { name: `${origins[index % origins.length]} ${branch}`, spot: city.spot(draw) };
  });
}

/** The rate against the usual one; over a whole wave their mean is 1. */
function waveAt({ height, minutes }: Scenario['wave'], at: number): number {
  const low = 2 / (1 + height);
  return low + ((height - 1) * low * (1 - Math.cos((2 * Math.PI * at) / minutes))) / 2;
}
