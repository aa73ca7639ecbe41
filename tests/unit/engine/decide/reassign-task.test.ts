import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decideReassignTask } from '../../../../engine/org/decide/exceptions/reassign-task.ts';
import type { OrgState } from '../../../../engine/org/state/org-state.ts';
import { CALLER_ROLES } from '../../../../schema/accounts/role.ts';
import type { ReassignTask } from '../../../../schema/commands.ts';
import { TASK_STATUSES, type TaskRecord, type TaskStatus } from '../../../../schema/tasks/task.ts';
import {
  agentRecord,
  callerOf,
  decideOn,
  NOW,
  OTHER_AGENT,
  OWN_AGENT,
  openRequest,
  PACKAGE,
  type Shape,
  type StateOptions,
  searchThatAsks,
  stateWith,
  TASK,
} from './decide-fixture.ts';

function stateOf(shape: Shape, status: TaskStatus, options: StateOptions = {}): OrgState {
  const state = stateWith(shape, status, options);
  for (const [id, isActive] of [
    [OWN_AGENT, true],
    [OTHER_AGENT, true],
    [IDLE, false],
  ] as const)
    state.apply({ kind: 'put-agent', agent: agentRecord({ id, isActive }) }, 0);
  return state;
}
const IDLE = 9;

function reassign(
  state: OrgState,
  input: Partial<ReassignTask['input']> = {},
  { caller = callerOf('dispatcher'), taskId = TASK }: Partial<Pick<ReassignTask, 'caller' | 'taskId'>> = {},
) {
  const wanted = { agentId: OTHER_AGENT, ...input };
  return decideOn(state, (draft, context) =>
    decideReassignTask(draft, { kind: 'reassign-task', caller, taskId, input: wanted }, context),
  );
}

function codeOf({ decision, draft }: ReturnType<typeof reassign>): string {
  if (decision.ok) return draft.changes.length === 0 ? 'same' : 'ok';
  assert.deepEqual(draft.changes, []);
  return decision.refusal.code;
}

const SERVED: readonly TaskStatus[] = ['assigned', 'accepted', 'in_transit'];

describe('a reassignment', () => {
  for (const shape of ['by an agent', 'by an external courier', 'a child'] as const) {
    test(`of ${shape} works while a courier has the task`, () => {
      for (const status of TASK_STATUSES) {
        const expected = SERVED.includes(status) ? 'ok' : 'INVALID_STATUS_TRANSITION';
        assert.equal(codeOf(reassign(stateOf(shape, status))), expected, status);
      }
    });
  }

  test('of a job is refused in every status', () => {
    for (const status of TASK_STATUSES) {
      assert.equal(codeOf(reassign(stateOf('a job', status))), 'STATUS_DERIVED', status);
    }
  });

  test('a reassignment is for dispatchers and administrators', () => {
    for (const role of CALLER_ROLES) {
      const caller = callerOf(role, role === 'agent' ? OWN_AGENT : null);
      const may = !['agent', 'integration'].includes(role);
      assert.equal(codeOf(reassign(stateOf('by an agent', 'accepted'), {}, { caller })), may ? 'ok' : 'FORBIDDEN');
    }
  });

  for (const [status, keepStatus, times] of [
    ['assigned', false, [NOW, null, null]],
    ['assigned', true, [NOW, null, null]],
    ['accepted', false, [NOW, null, null]],
    ['accepted', true, [NOW, NOW, null]],
    ['in_transit', false, [NOW, null, null]],
    ['in_transit', true, [NOW, NOW, NOW]],
  ] as const) {
    test(`from ${status}${keepStatus ? ' that is kept' : ''} has the times of the new agent, and one event`, () => {
      const before = '2031-05-01T09:00:00.000Z';
      const visits = { arrivedAt: before, etaAt: before, pickupEtaAt: before, pickupArrivedAt: before };
      const at = { assignedAt: before, acceptedAt: before, startedAt: before, pickedUpAt: before, ...visits };
      const { draft } = reassign(stateOf('by an agent', status, { fields: at }), { keepStatus, reason: 'flat tyre' });
      const { task } = draft.findTask(TASK)!;
      const to = keepStatus ? status : 'assigned';
      assert.deepEqual([task.status, task.agentId, task.arrivedAt, task.etaAt], [to, OTHER_AGENT, null, null]);
      assert.deepEqual([task.pickupEtaAt, task.pickupArrivedAt], [null, null]);
      assert.equal(task.pickedUpAt, keepStatus ? before : null);
      assert.deepEqual([task.assignedAt, task.acceptedAt, task.startedAt], times);
      const told = draft.changes.flatMap((change) => (change.kind === 'tell' ? change : []));
      const why = { reason: 'flat tyre', previousAgentId: OWN_AGENT };
      const [type, extra] =
        to === 'assigned'
          ? ['task.status_changed', { previousStatus: status, status: to, ...why }]
          : ['task.updated', { changed: ['agentId'], ...why }];
      const details = { agentId: OTHER_AGENT, previousAgentId: OWN_AGENT };
      const [step, reason, reasonCode] = [{ kind: 'reassigned', fromStatus: status, toStatus: to }, 'flat tyre', null];
      assert.deepEqual(told, [
        { kind: 'tell', type, taskId: TASK, extra, step: { ...step, reason, reasonCode, details } },
      ]);
    });
  }

  test('a reassignment leaves packages as they are, and names those in custody', () => {
    for (const [packageStatus, named] of [
      ['pending', undefined],
      ['picked_up', [PACKAGE]],
      ['delivering', [PACKAGE]],
      ['delivered', undefined],
    ] as const) {
      const { draft } = reassign(stateOf('by an agent', 'in_transit', { packageStatus }));
      const tell = draft.changes.find((change) => change.kind === 'tell')!;
      assert.deepEqual(tell.step.details!['packageIdsInCustody'], named, packageStatus);
      assert.equal(draft.findPackage(PACKAGE)!.record.status, packageStatus);
    }
  });

  test('a reassignment moves the load from one agent to the other', () => {
    const { draft } = reassign(stateOf('by an agent', 'in_transit'));
    const ids = (agentId: number) => draft.heldBy(agentId).map(({ taskId }) => taskId);
    assert.deepEqual([ids(OWN_AGENT), ids(OTHER_AGENT)], [[], [TASK]]);
  });

  test('a reassignment takes an external courier off', () => {
    const { draft } = reassign(stateOf('by an external courier', 'accepted'));
    const { courierId, courierType, courier, agentId } = draft.findTask(TASK)!.task;
    assert.deepEqual([courierId, courierType, courier, agentId], [null, 'internal', null, OTHER_AGENT]);
  });

  test('withdraws an open offer as taken, and ends the search', () => {
    const request = openRequest();
    const fields = { search: searchThatAsks(request), autoAssignmentStatus: 'offered' } as const;
    const { draft } = reassign(stateOf('by an agent', 'assigned', { fields }));
    const { status, rejectionReason } = draft.findRequest(request.id)!;
    const { search, autoAssignmentStatus } = draft.findTask(TASK)!.task;
    assert.deepEqual(
      [status, rejectionReason, search, autoAssignmentStatus],
      ['cancelled', 'taken', null, 'cancelled'],
    );
  });

  test('to the very agent who is asked gives it the task, and takes it from nobody', () => {
    const request = openRequest();
    const fields = { search: searchThatAsks(request), autoAssignmentStatus: 'offered' } as const;
    const state = stateOf('by an agent', 'assigned', { fields });
    const { draft } = reassign(state, { agentId: OWN_AGENT, fromAgentId: OWN_AGENT, reason: 'by phone' });
    const { status, rejectionReason } = draft.findRequest(request.id)!;
    const { agentId, search, autoAssignmentStatus, assignedAt } = draft.findTask(TASK)!.task;
    assert.deepEqual(
      [status, rejectionReason, search, autoAssignmentStatus],
      ['cancelled', 'withdrawn', null, 'cancelled'],
    );
    assert.deepEqual([agentId, assignedAt], [OWN_AGENT, NOW]);
    const tell = draft.changes.find((change) => change.kind === 'tell')!;
    assert.deepEqual([tell.extra!['previousAgentId'], tell.step.details], [null, { agentId: OWN_AGENT }]);
  });

  test('to an asked agent that is not active any more is refused', () => {
    const request = openRequest({ agentId: IDLE });
    const fields = { agentId: IDLE, search: searchThatAsks(request), autoAssignmentStatus: 'offered' } as const;
    const state = stateOf('by an agent', 'assigned', { fields });
    assert.equal(codeOf(reassign(state, { agentId: IDLE })), 'AGENT_NOT_ACTIVE');
  });

  test('of a child is followed by its job', () => {
    const { draft } = reassign(stateOf('a child', 'in_transit'));
    assert.equal(draft.findTask(102)!.task.status, 'assigned');
  });
});

describe('a reassignment is refused', () => {
  const served = (fields: Partial<TaskRecord> = {}) => stateOf('by an agent', 'accepted', { fields });
  for (const [name, input, expected] of [
    ['to an agent that is not there', { agentId: 99 }, 'NOT_FOUND'],
    ['to an agent that is not active', { agentId: IDLE }, 'AGENT_NOT_ACTIVE'],
    ['when another agent has the task by now', { fromAgentId: OTHER_AGENT }, 'TASK_MOVED_ON'],
    ['when the task has moved on', { fromStatus: 'assigned' }, 'TASK_MOVED_ON'],
    ['never from what it is', { fromAgentId: OWN_AGENT, fromStatus: 'accepted' }, 'ok'],
    ['not to the agent that has it, where nothing changes', { agentId: OWN_AGENT }, 'same'],
  ] as const) {
    test(name, () => assert.equal(codeOf(reassign(served(), input)), expected));
  }

  test('with what happened', () => {
    const { decision } = reassign(served(), { fromAgentId: OTHER_AGENT });
    assert.ok(!decision.ok);
    assert.deepEqual(decision.refusal.details, { status: 'accepted', agentId: OWN_AGENT });
  });

  test('for an unknown task', () => {
    assert.equal(codeOf(reassign(served(), {}, { taskId: 999 })), 'NOT_FOUND');
  });
});
