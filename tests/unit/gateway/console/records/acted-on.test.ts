import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { takeBack } from '../../../../../gateway/console/attention/remedies.ts';
import type { Answer, ApiCall } from '../../../../../gateway/console/live/protocol.ts';
import { reportOf } from '../../../../../gateway/console/records/acted-on.ts';
import { LIMITS } from '../../../../../schema/limits.ts';

const FAILURE = { status: 503, code: null, message: 'away', details: null };
const reason = (taskId: number) => ({ taskId, words: 'a job' });

describe('the report of an action', () => {
  const table = [
    ['all done', { done: 3, refused: [] }, 3, [true, false, null, 0]],
    ['one refused', { done: 0, refused: [reason(1)] }, 1, [false, false, 'a job', 0]],
    ['some refused', { done: 2, refused: [reason(1)] }, 3, [false, true, null, 0]],
    ['a failure', { done: 0, refused: [], failure: FAILURE }, 3, [false, false, 'away', 3]],
    [
      'some refused and then a failure',
      { done: 497, refused: [reason(1)], failure: FAILURE },
      700,
      [false, true, 'away', 202],
    ],
  ] as const;
  for (const [name, result, asked, [isWhole, isListed, fault, unconfirmed]] of table)
    test(name, () => assert.deepEqual(reportOf(result, asked), { isWhole, isListed, fault, unconfirmed }));
});

const MANY = Array.from({ length: LIMITS.actionTasks + 200 }, (_, at) => at + 1);

/** A service that takes so many calls and is away then. The calls are kept as the action and the number of its tasks. */
function service(most: number) {
  const calls: [action: string, tasks: number][] = [];
  const ask = async <T>({ body }: ApiCall): Promise<Answer<T>> => {
    const { action, taskIds } = body as { readonly action: string; readonly taskIds: readonly number[] };
    calls.push([action, taskIds.length]);
    if (calls.length > most) return { ok: false, failure: FAILURE };
    const items = taskIds.map((taskId) => ({ taskId, status: 'done' }));
    return { ok: true, status: 200, data: { items, done: taskIds.length, failed: 0 } as T };
  };
  return { calls, ask };
}

test('more tasks than one call takes are taken back in several', async () => {
  const { calls, ask } = service(4);
  const { isDone, words } = await takeBack(ask, MANY);
  const parts = [LIMITS.actionTasks, 200].flatMap((tasks) => [
    ['unassign', tasks],
    ['auto_assign', tasks],
  ]);
  assert.deepEqual(calls, parts);
  assert.equal(isDone, true);
  assert.match(words, /^700 tasks taken back/);
});

test('a failure on the way says how many tasks were taken back', async () => {
  const { isDone, words } = await takeBack(service(2).ask, MANY);
  assert.deepEqual([isDone, words], [false, '500 tasks taken back, 200 not: away']);
  assert.equal((await takeBack(service(0).ask, MANY)).words, 'away');
});
