import { ordersFor } from './orders.ts';
import type { Load } from './scenario.ts';

/** Different requests of one connection. */
const REQUESTS_PER_CONNECTION = 192;
const KEY_DIGITS = 10;
const PATH = '/api/v1/tasks';

/** POST /tasks, one after the other. */
export const create: Load = {
  name: 'create',
  expectedStatus: 201,
  tasksPerRequest: 1,
  isAnswer: isTask,
  requestsFor: (seat) =>
    ordersFor(seat, REQUESTS_PER_CONNECTION).map((order) => ({ method: 'POST', path: PATH, ...order })),
};

/** The same, each with an Idempotency-Key that was never used before. */
export const keyedCreate: Load = {
  ...create,
  name: 'keyed-create',
  requestsFor(seat) {
    let keys = 0;
    const next = () => `${seat.seed}-${seat.connection}-${String(keys++).padStart(KEY_DIGITS, '0')}`;
    return create.requestsFor(seat).map((request) => {
      const text = next();
      return { ...request, headers: { 'idempotency-key': text }, stamps: [...request.stamps, { text, next }] };
    });
  },
};

function isTask(answer: string): boolean {
  return /"data":\{"id":[1-9]/.test(answer);
}
