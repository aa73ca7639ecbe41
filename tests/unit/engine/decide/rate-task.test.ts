import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decideRateTask } from '../../../../engine/org/decide/tasks/rate-task.ts';
import { encodeFollowed } from '../../../../engine/views/parts/followed-task.ts';
import { TASK_STATUSES, type TaskRecord } from '../../../../schema/tasks/task.ts';
import type { Followed } from '../../../../schema/tasks/tracking.ts';
import { callerOf, courierRecord, decideOn, NOW, stateWith, TASK } from './decide-fixture.ts';

const caller = callerOf('system');
const rate = (state = stateWith('by an agent', 'completed'), taskId = TASK) =>
  decideOn(state, (draft, context) =>
    decideRateTask(draft, { kind: 'rate-task', caller, taskId, input: { score: 4, comment: 'Kind' } }, context),
  );

test('a rating is written, told, and answered as it is shown', () => {
  const { decision, draft } = rate();
  const [put, tell, ...more] = draft.changes;
  assert.ok(put?.kind === 'put-task' && more.length === 0);
  assert.deepEqual([put.task.rating, put.task.version], [{ score: 4, comment: 'Kind', at: NOW }, 5]);
  const told = { rating: { score: 4, comment: 'Kind', ratedAt: NOW } };
  assert.deepEqual(tell, {
    kind: 'tell',
    type: 'task.rated',
    taskId: TASK,
    extra: told,
    step: { kind: 'rated', details: told },
  });
  const json = JSON.stringify({ score: 4, comment: 'Kind', ratedAt: NOW });
  assert.deepEqual(decision, { ok: true, status: 201, shown: { kind: 'written', json } });
});

test('only a completed task is rated, and once', () => {
  for (const status of TASK_STATUSES) {
    const { decision } = rate(stateWith('by an agent', status));
    assert.equal(
      decision.ok ? 'rated' : decision.refusal.code,
      status === 'completed' ? 'rated' : 'TASK_NOT_COMPLETED',
    );
  }
  const rating = { score: 1, comment: null, at: NOW };
  const again = rate(stateWith('by an agent', 'completed', { fields: { rating } }));
  assert.ok(!again.decision.ok && again.decision.refusal.code === 'TASK_ALREADY_RATED');
  const unknown = rate(undefined, 9_999);
  assert.ok(!unknown.decision.ok && unknown.decision.refusal.code === 'NOT_FOUND');
});

/** The facts that a link to the task rests on. */
function follow(...[shape, status, options]: Parameters<typeof stateWith>): Followed {
  const state = stateWith(shape, status, options);
  const bundle = state.bundleOf(state.findTask(TASK)!);
  return JSON.parse(encodeFollowed(bundle, state.organization)) as Followed;
}

const at = (hour: number) => `2031-05-01T${String(hour).padStart(2, '0')}:00:00.000Z`;

test('the followed agent of a task is known only while the task is on its way', () => {
  for (const status of TASK_STATUSES) {
    assert.equal(follow('by an agent', status).task.agentId, status === 'in_transit' ? 7 : null, status);
  }
  assert.equal(follow('a job', 'in_transit').task.agentId, null);
  assert.equal(follow('a job', 'in_transit').children[0]!.agentId, 7);
});

test('of an external courier the first name is shown, and no more', () => {
  const courier = courierRecord({ name: ' Nadia  Okafor ', phoneNumber: '1', countryCode: '+1' });
  const { task } = follow('by an external courier', 'in_transit', { fields: { courier } });
  assert.deepEqual([task.shown.agent, task.agentId], [{ firstName: 'Nadia' }, null]);
});

test('a task ends when it is completed or cancelled; one that was cancelled long ago, when it was touched last', () => {
  const endOf = (status: TaskRecord['status'], fields: Partial<TaskRecord>) =>
    follow('by an agent', status, { fields: { updatedAt: at(11), ...fields } }).task.endedAt;
  assert.equal(endOf('completed', { completedAt: at(9) }), at(9));
  assert.equal(endOf('cancelled', { cancelledAt: at(10) }), at(10));
  assert.equal(endOf('cancelled', {}), at(11));
  assert.equal(endOf('in_transit', { startedAt: at(9) }), null);
});

test('the steps are those that were made, in their order', () => {
  const { task } = follow('by an agent', 'cancelled', { fields: { assignedAt: at(9), cancelledAt: at(10) } });
  assert.deepEqual(task.shown.timeline, [
    { status: 'new', at: at(8) },
    { status: 'assigned', at: at(9) },
    { status: 'cancelled', at: at(10) },
  ]);
});

test('an ETA is shown while it is one, and a window as far as there is one', () => {
  const fields = { etaAt: at(13), windowEnd: at(14) };
  const shown = (status: TaskRecord['status'], more: Partial<TaskRecord> = {}) =>
    follow('by an agent', status, { fields: { ...fields, ...more } }).task.shown;
  assert.deepEqual([shown('in_transit').etaAt, shown('completed').etaAt], [at(13), null]);
  assert.deepEqual(shown('new').window, { start: null, end: at(14) });
  assert.deepEqual(shown('new', { scheduledAt: at(12) }).window, { start: at(12), end: at(14) });
});
