import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Answer } from '../../../../../gateway/console/live/protocol.ts';
import { MOST_PAYMENTS, paymentsOf } from '../../../../../gateway/console/records/task-payments.ts';

const PAGE = 100;

/** An API with so many payments of task 8, numbered from 1000 down, and with payment 30 of another task. */
function apiWith(count: number) {
  const asked: string[] = [];
  const read = async <T>(path: string): Promise<Answer<T>> => {
    asked.push(path);
    const answer = (data: unknown): Answer<T> => ({ ok: true, status: 200, data: data as T });
    if (path === '/payments/30') return answer({ id: 30, taskId: 7 });
    const from = Number(new URL(path, 'http://127.0.0.1').searchParams.get('cursor'));
    const ids = Array.from({ length: Math.min(PAGE, count - from) }, (_, index) => 1_000 - from - index);
    const next = from + PAGE < count ? `${from + PAGE}` : null;
    return answer({ items: ids.map((id) => ({ id, taskId: 8 })), nextCursor: next });
  };
  return { asked, read };
}

async function shown(count: number, paymentId: number | null) {
  const { asked, read } = apiWith(count);
  const answer = await paymentsOf({ id: 8, paymentId }, read);
  assert.ok(answer.ok);
  return { ids: answer.data.items.map(({ id }) => id), hasMore: answer.data.hasMore, asked };
}

test('a task that was attempted again shows the payment of the failed one, by one more read', async () => {
  const first = '/payments?taskId=8&limit=100';
  assert.deepEqual(await shown(0, 30), { ids: [30], hasMore: false, asked: [first, '/payments/30'] });
  assert.deepEqual(await shown(1, 30), { ids: [1_000, 30], hasMore: false, asked: [first, '/payments/30'] });
  assert.deepEqual(await shown(1, 1_000), { ids: [1_000], hasMore: false, asked: [first] });
  assert.deepEqual(await shown(0, null), { ids: [], hasMore: false, asked: [first] });
});

test('all payments of a task are shown, up to a bound, and beyond it the panel says so', async () => {
  const { ids, hasMore } = await shown(250, 1_000);
  assert.deepEqual([ids.length, hasMore], [250, false]);
  const full = await shown(MOST_PAYMENTS, null);
  assert.deepEqual([full.ids.length, full.hasMore], [MOST_PAYMENTS, false]);
  const many = await shown(MOST_PAYMENTS + 1, null);
  assert.deepEqual([many.ids.length, many.hasMore, many.asked.length], [MOST_PAYMENTS, true, 3]);
});

test('a refusal is the answer', async () => {
  const refusal: Answer<never> = { ok: false, failure: { status: 0, code: null, message: 'cut', details: null } };
  assert.deepEqual(await paymentsOf({ id: 8, paymentId: null }, async () => refusal), refusal);
});
