import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Plan } from '../../../../../gateway/console/couriers/plan-words.ts';
import { readPlan } from '../../../../../gateway/console/couriers/read-plan.ts';
import type { Answer } from '../../../../../gateway/console/live/protocol.ts';
import { LIMITS } from '../../../../../schema/limits.ts';

const PLAN: Plan = { offers: [], unplanned: [] };

/** The choice of a courier for these tasks, of which couriers have some, and the tasks that it asked about. */
async function shownFor(
  ids: readonly number[],
  taken: readonly number[],
  answer: Answer<Plan> = { ok: true, status: 200, data: PLAN },
) {
  const asked: unknown[] = [];
  const found = await readPlan(
    ids,
    async () => taken,
    async ({ body }) => {
      asked.push(body);
      return answer;
    },
  );
  return { found, asked };
}

test('a task that a courier has needs no plan to be handed over, and the others are planned without it', async () => {
  assert.deepEqual(await shownFor([1], [1]), { found: { plan: null, tasks: 0, fault: null }, asked: [] });
  const { found, asked } = await shownFor([1, 2, 3], [2]);
  assert.deepEqual([found, asked], [{ plan: PLAN, tasks: 2, fault: null }, [{ taskIds: [1, 3] }]]);
});

test('for more tasks than a plan takes the choice says so in words, and asks nothing', async () => {
  const ids = Array.from({ length: LIMITS.previewTasks + 1 }, (_, index) => index + 1);
  const { found, asked } = await shownFor(ids, []);
  assert.equal(found.fault, 'There is no plan for more than 500 tasks at once. The courier gets all 501 tasks.');
  assert.deepEqual(asked, []);
  assert.equal((await shownFor(ids, [7])).found.fault, null);
});

test('a refusal of the plan is shown in words', async () => {
  const failure = { status: 409, code: 'INVALID_STATUS_TRANSITION', message: 'no', details: { from: 'completed' } };
  const { found } = await shownFor([1], [], { ok: false, failure });
  assert.equal(found.fault, 'This does not work any more: the task is completed.');
});
