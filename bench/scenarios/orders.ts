import type { LoadSeat, Stamp } from './scenario.ts';
import { seededNumbers } from './seeded-numbers.ts';

/** Customers that order again and again. */
const KNOWN_CUSTOMERS = 2_000;
/** One order in so many comes from a new customer, so that inserting customers never stops being part of the work. */
const NEW_CUSTOMER_EVERY = 16;
/** New customers that one run can have. */
const NEW_CUSTOMERS_PER_SEED = 500_000;

const STREETS = ['Harbour Road', 'Mill Lane', 'Station Street', 'Orchard Way', 'Castle Hill', 'Market Square'];
const GOODS = ['Groceries', 'Two pizzas', 'Spare parts', 'Flowers', 'Documents', 'Medicine'];

/** A task as an integrator sends it: an inline customer, a drop-off, one package, a note. */
export interface Order {
  readonly body: string;
  /** The phone number of a new customer, for an order that has one. */
  readonly stamps: readonly Stamp[];
}

/** The same orders for the same seat; those of another connection or seed have other new customers. */
export function ordersFor(seat: LoadSeat, count: number): Order[] {
  const { connection, seed } = seat;
  const draw = seededNumbers(seed * 65_537 + connection);
  const nextNewcomer = newcomers(seat);
  return Array.from({ length: count }, (_, index) => {
    const label = `${seed}-${connection}-${index}`;
    const isNew = index % NEW_CUSTOMER_EVERY === NEW_CUSTOMER_EVERY - 1;
    const customer = isNew ? nextNewcomer() : draw(KNOWN_CUSTOMERS);
    const stamps = isNew ? [{ text: phoneOf(customer), next: () => phoneOf(nextNewcomer()) }] : [];
    return { body: taskBody(label, draw, customer), stamps };
  });
}

type Draw = (bound: number) => number;

/** Numbers that no other connection and no other seed uses. */
function newcomers({ connection, connections, seed }: LoadSeat): () => number {
  let next = KNOWN_CUSTOMERS + 1 + seed * NEW_CUSTOMERS_PER_SEED + connection;
  return () => {
    next += connections;
    return next;
  };
}

function taskBody(label: string, draw: Draw, customer: number): string {
  const house = 1 + draw(200);
  return JSON.stringify({
    name: `Delivery ${label}`,
    taskType: 'delivery',
    customer: { name: `Customer ${customer}`, phone: phoneOf(customer) },
    location: {
      address: `${house} ${STREETS[draw(STREETS.length)]}, order ${label}`,
      latitude: 51 + draw(1_000_000) / 1_000_000,
      longitude: 6 + draw(1_000_000) / 1_000_000,
      apartment: `${1 + draw(40)}`,
    },
    packages: [{ description: `${GOODS[draw(GOODS.length)]} for ${label}`, quantity: 1 + draw(3), weight: 1.5 }],
    notes: 'Ring twice. Leave it with the neighbour when nobody opens.',
  });
}

/** A possible number that no customer has. */
function phoneOf(customer: number): string {
  return `+491555${String(customer % 100_000_000).padStart(8, '0')}`;
}
