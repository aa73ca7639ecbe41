import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decideChangePackageStatus } from '../../../../engine/org/decide/tasks/change-package-status.ts';
import { decidePickUpTask } from '../../../../engine/org/decide/tasks/pick-up-task.ts';
import { TASK_STATUSES, type TaskRecord } from '../../../../schema/tasks/task.ts';
import {
  callerOf,
  decideOn,
  NOW,
  OTHER_AGENT,
  OWN_AGENT,
  PACKAGE,
  type Shape,
  stateWith,
  TASK,
} from './decide-fixture.ts';

const ACCEPTED = '2031-05-01T11:30:00.000Z';
const EARLIER = '2031-05-01T11:40:00.000Z';
const under = (status: TaskRecord['status'], fields: Partial<TaskRecord> = {}, shape: Shape = 'by an agent') =>
  stateWith(shape, status, { fields: { pickupLocationId: 20, acceptedAt: ACCEPTED, ...fields } });

function pickUp(state = under('accepted'), given: { occurredAt?: string; agentId?: number; taskId?: number } = {}) {
  const { occurredAt, agentId = OWN_AGENT, taskId = TASK } = given;
  const command = { kind: 'pick-up-task', caller: callerOf('agent', agentId), taskId, input: { occurredAt } } as const;
  return decideOn(state, (draft, context) => decidePickUpTask(draft, command, context));
}

function outcomeOf({ decision, draft }: ReturnType<typeof pickUp>): string {
  if (!decision.ok) return [decision.refusal.code, decision.refusal.details?.['violations'] ?? []].flat().join(': ');
  return draft.changes.length > 0 ? 'picked up' : 'unchanged';
}

describe('picking up', () => {
  test('is written and told as one change, as of when it was', () => {
    const { draft } = pickUp(under('accepted'), { occurredAt: EARLIER });
    const [put, tell, ...more] = draft.changes;
    assert.ok(put?.kind === 'put-task' && more.length === 0);
    assert.deepEqual([put.task.pickedUpAt, put.task.updatedAt, put.task.version], [EARLIER, NOW, 5]);
    assert.deepEqual(tell, {
      kind: 'tell',
      type: 'task.picked_up',
      taskId: TASK,
      extra: { agentId: OWN_AGENT, at: EARLIER },
      step: { kind: 'picked_up', at: EARLIER, details: { agentId: OWN_AGENT } },
    });
  });

  const expected: Readonly<Record<string, string>> = { accepted: 'picked up', in_transit: 'picked up' };
  for (const status of TASK_STATUSES) {
    test(`in ${status}: ${expected[status] ?? 'refused'}`, () => {
      assert.equal(outcomeOf(pickUp(under(status))), expected[status] ?? 'PICKUP_NOT_EXPECTED');
      // Sent once more, by a driver who had no answer.
      assert.equal(outcomeOf(pickUp(under(status, { pickedUpAt: EARLIER }))), 'unchanged');
    });
  }

  for (const [what, result, outcome] of [
    ['without a pickup place', pickUp(under('accepted', { pickupLocationId: null })), 'NO_PICKUP_PLACE'],
    ['of a job', pickUp(under('accepted', {}, 'a job'), { agentId: OWN_AGENT }), 'NOT_FOUND'],
    ['of a task of another agent', pickUp(under('accepted'), { agentId: OTHER_AGENT }), 'NOT_FOUND'],
    ['of an unknown task', pickUp(under('accepted'), { taskId: TASK + 50 }), 'NOT_FOUND'],
    [
      'in the future',
      pickUp(under('accepted'), { occurredAt: '2031-05-01T12:00:00.001Z' }),
      'VALIDATION_FAILED: occurredAt must not be in the future',
    ],
    ['at the moment of the previous step', pickUp(under('accepted'), { occurredAt: ACCEPTED }), 'picked up'],
    [
      'before the previous step',
      pickUp(under('accepted'), { occurredAt: '2031-05-01T11:29:59.999Z' }),
      `VALIDATION_FAILED: occurredAt must not be before the previous step (${ACCEPTED})`,
    ],
  ] as const) {
    test(`${what}: ${outcome}`, () => assert.equal(outcomeOf(result), outcome));
  }

  test('of a job is refused for staff, too', () => {
    const command = { kind: 'pick-up-task', caller: callerOf('dispatcher'), taskId: TASK, input: {} } as const;
    const { decision } = decideOn(under('accepted', {}, 'a job'), (draft, context) =>
      decidePickUpTask(draft, command, context),
    );
    assert.ok(!decision.ok && decision.refusal.code === 'STATUS_DERIVED');
  });
});

describe('the first package that is picked up', () => {
  function changePackage(
    fields: Partial<TaskRecord>,
    status: TaskRecord['status'] = 'accepted',
    shape: Shape = 'by an agent',
  ) {
    const state = stateWith(shape, status, { packageStatus: 'picking_up', fields });
    const input = { status: 'picked_up' } as const;
    const command = {
      kind: 'change-package-status',
      caller: callerOf('dispatcher'),
      packageId: PACKAGE,
      input,
    } as const;
    const { draft } = decideOn(state, (one, context) => decideChangePackageStatus(one, command, context));
    const types = draft.changes.flatMap((change) => (change.kind === 'tell' ? change.type : []));
    return { pickedUpAt: draft.findTask(TASK)!.task.pickedUpAt, types };
  }
  const both = ['package.status_changed', 'task.picked_up'];

  for (const status of ['assigned', 'accepted', 'in_transit'] as const) {
    test(`says so of its task in ${status}, in the same change`, () => {
      assert.deepEqual(changePackage({ pickupLocationId: 20 }, status), { pickedUpAt: NOW, types: both });
    });
  }

  for (const [what, fields, pickedUpAt, status] of [
    ['where nothing is fetched', { pickupLocationId: null }, null, 'accepted'],
    ['where it is known', { pickupLocationId: 20, pickedUpAt: EARLIER }, EARLIER, 'accepted'],
    ['where nobody has the task', { pickupLocationId: 20 }, null, 'new'],
  ] as const) {
    test(`says nothing of its task ${what}`, () => {
      assert.deepEqual(changePackage(fields, status), { pickedUpAt, types: both.slice(0, 1) });
    });
  }

  test('says nothing of a job, whose children are picked up', () => {
    const changed = changePackage({ pickupLocationId: 20 }, 'accepted', 'a job');
    assert.deepEqual(changed, { pickedUpAt: null, types: both.slice(0, 1) });
  });
});
