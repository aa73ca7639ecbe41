import type { LoadRequest, Scenario } from './scenario.ts';
import { seededNumbers } from './seeded-numbers.ts';

/** Customers who order again and again. */
const KNOWN_CUSTOMERS = 2_000;
/** One request in so many comes from somebody new, so that inserting a customer never stops being part of the work. */
const NEW_CUSTOMER_EVERY = 16;
/** Different requests of one connection, encoded before the run: making them must not cost the generator's CPU. */
const REQUESTS_PER_CONNECTION = 192;
/** New customers that one run can have. */
const NEW_CUSTOMERS_PER_SEED = 500_000;

const STREETS = ['Harbour Road', 'Mill Lane', 'Station Street', 'Orchard Way', 'Castle Hill', 'Market Square'];
const GOODS = ['Groceries', 'Two pizzas', 'Spare parts', 'Flowers', 'Documents', 'Medicine'];

/** POST /tasks as an integrator sends it: an inline customer, a drop-off, one package, a note. */
export const create: Scenario = {
  name: 'create',
  expectedStatus: 201,
  isAnswer: (body) => /"data":\{"id":[1-9]/.test(body),
  requestsFor(connection, seed) {
    const draw = seededNumbers(seed * 65_537 + connection);
    const nextNewcomer = newcomers(connection, seed);
    return Array.from({ length: REQUESTS_PER_CONNECTION }, (_, index) => {
      const label = `${seed}-${connection}-${index}`;
      const isNew = index % NEW_CUSTOMER_EVERY === NEW_CUSTOMER_EVERY - 1;
      return isNew ? newCustomerRequest(label, draw, nextNewcomer) : knownCustomerRequest(label, draw);
    });
  },
  targets: [
    { connections: 64, peerRatio: 5, ceilingShare: 0.4 },
    { connections: 256, peerRatio: 8, ceilingShare: 0.55 },
  ],
};

type Draw = (bound: number) => number;

function knownCustomerRequest(label: string, draw: Draw): LoadRequest {
  return post(taskBody(label, draw, draw(KNOWN_CUSTOMERS)));
}

/** The body is cut where the phone number goes, so that only joining is left to do when it is sent. */
function newCustomerRequest(label: string, draw: Draw, nextNewcomer: () => number): LoadRequest {
  const placeholder = KNOWN_CUSTOMERS;
  const [before = '', after = ''] = taskBody(label, draw, placeholder).split(phoneOf(placeholder));
  const setupRequest = (request: LoadRequest) => ({ ...request, body: `${before}${phoneOf(nextNewcomer())}${after}` });
  return { ...post(`${before}${phoneOf(placeholder)}${after}`), setupRequest };
}

/** Numbers that no other connection and no other seed uses. */
function newcomers(connection: number, seed: number): () => number {
  const stride = 1_024;
  let next = KNOWN_CUSTOMERS + 1 + seed * NEW_CUSTOMERS_PER_SEED + (connection % stride);
  return () => {
    next += stride;
    return next;
  };
}

function post(body: string): LoadRequest {
  return { method: 'POST', path: '/api/v1/tasks', body };
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

/** A possible number that nobody has. */
function phoneOf(customer: number): string {
  return `+491555${String(customer % 100_000_000).padStart(8, '0')}`;
}
