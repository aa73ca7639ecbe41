import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkUnassignment, judgeAssignment } from '../../../../engine/domain/tasks/task-machine.ts';
import { TASK_STATUSES, type TaskStatus } from '../../../../schema/tasks/task.ts';

const AMINA = { id: 7, isActive: true };
const GONE = { id: 8, isActive: false };

const task = (status: TaskStatus, agentId: number | null = null, childIds: readonly number[] | null = null) => ({
  status,
  agentId,
  courierId: null,
  childIds,
});

/** The result of a request: a code, or the action. */
function told(verdict: ReturnType<typeof judgeAssignment>): string {
  return verdict.kind === 'refused' ? verdict.refusal.code : verdict.kind;
}

const ASSIGN: Readonly<Record<TaskStatus, string>> = {
  new: 'change',
  awaiting_assignment: 'change',
  assigned: 'INVALID_STATUS_TRANSITION',
  accepted: 'INVALID_STATUS_TRANSITION',
  in_transit: 'INVALID_STATUS_TRANSITION',
  completed: 'INVALID_STATUS_TRANSITION',
  cancelled: 'INVALID_STATUS_TRANSITION',
};
const UNASSIGNABLE: ReadonlySet<TaskStatus> = new Set(['assigned', 'accepted']);

for (const status of TASK_STATUSES) {
  test(`a task in ${status} may ${ASSIGN[status] === 'change' ? '' : 'not '}be given to an agent`, () => {
    assert.equal(told(judgeAssignment(task(status, 9), AMINA)), ASSIGN[status]);
  });

  test(`a task in ${status} may ${UNASSIGNABLE.has(status) ? '' : 'not '}be taken from its agent`, () => {
    const expected = UNASSIGNABLE.has(status) ? undefined : 'INVALID_STATUS_TRANSITION';
    assert.equal(checkUnassignment(task(status))?.code, expected);
  });

  test(`a job in ${status} is neither given nor taken: its parts are`, () => {
    assert.equal(told(judgeAssignment(task(status, null, [3]), AMINA)), 'STATUS_DERIVED');
    assert.equal(checkUnassignment(task(status, null, [3]))?.code, 'STATUS_DERIVED');
  });
}

test('an agent who is not active gets nothing; what it has it is given again', () => {
  assert.equal(told(judgeAssignment(task('new'), GONE)), 'AGENT_NOT_ACTIVE');
  assert.equal(told(judgeAssignment(task('assigned', GONE.id), GONE)), 'unchanged');
});

test('the agent who has a task is given it again until it is accepted', () => {
  assert.equal(told(judgeAssignment(task('assigned', AMINA.id), AMINA)), 'unchanged');
  assert.equal(told(judgeAssignment(task('accepted', AMINA.id), AMINA)), 'INVALID_STATUS_TRANSITION');
});

test('a refusal names where the task is, where it was to go, and where it may', () => {
  const { details } = checkUnassignment(task('in_transit'))!;
  assert.deepEqual(details, { from: 'in_transit', to: 'awaiting_assignment', allowed: ['completed', 'cancelled'] });
  assert.equal(checkUnassignment(task('new'))!.message, 'Nobody has the task');
});
