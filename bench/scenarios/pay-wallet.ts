import type { Load } from './scenario.ts';

/**
 * POST /payments/wallet: each request pays another task, once. `seed` of the seat is the id of the first one; each
 * connection takes every `connections`-th from there.
 */
export const payWallet: Load = {
  name: 'pay-wallet',
  expectedStatus: 201,
  tasksPerRequest: 1,
  isAnswer: (answer) => /"data":\{"id":[1-9]\d*,"taskId":\d+,"method":"wallet","status":"succeeded"/.test(answer),
  requestsFor({ seed, connection, connections }) {
    let taken = 0;
    const next = () => String(seed + connection + connections * taken++);
    // The text that the stamp overwrites: all task ids of a run have the same length.
    const text = String(seed);
    const body = `{"taskId":${text},"amount":"1.00","currency":"USD"}`;
    return [{ method: 'POST', path: '/api/v1/payments/wallet', body, stamps: [{ text, next }] }];
  },
};
