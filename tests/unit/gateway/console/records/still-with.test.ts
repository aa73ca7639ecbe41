import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Answer } from '../../../../../gateway/console/live/protocol.ts';
import { stillWith, type TaskPage } from '../../../../../gateway/console/records/still-with.ts';

const page = (ids: readonly number[], nextCursor: string | null): Answer<TaskPage> => ({
  ok: true,
  status: 200,
  data: { items: ids.map((id) => ({ id })), nextCursor },
});

test('tasks that the agent has no more are left out, and the others may stand on any page', async () => {
  const asked: string[] = [];
  const pages = [page([1, 9], 'a b'), page([3], null)];
  const answer = await stillWith(7, [1, 2, 3], async (path) => {
    asked.push(path);
    return pages[asked.length - 1]!;
  });
  assert.deepEqual(answer.ok && answer.data, [1, 3]);
  const first = '/tasks?agentId=7&status=assigned,accepted,in_transit&limit=100';
  assert.deepEqual(asked, [first, `${first}&cursor=a%20b`]);
});

test('a refusal is the answer: nothing counts as being with the agent', async () => {
  const refusal: Answer<TaskPage> = { ok: false, failure: { status: 0, code: null, message: 'cut', details: null } };
  assert.deepEqual(await stillWith(7, [1], async () => refusal), refusal);
});
