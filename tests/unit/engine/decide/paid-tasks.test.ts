import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deadlineOf } from '../../../../engine/domain/tasks/task-deadline.ts';
import { paidTasks } from '../../../../engine/org/commit/list-upkeep.ts';
import type { TaskRecord } from '../../../../schema/tasks/task.ts';
import { NOW, TASK } from './decide-fixture.ts';
import { CUSTOMER, pay, stateOf } from './payment-fixture.ts';

const unpaid: TaskRecord = stateOf('by an agent', 'in_transit').findTask(TASK)!.task;
const paid: TaskRecord = { ...unpaid, paymentId: 31, version: unpaid.version + 1, updatedAt: NOW };
const done: TaskRecord = { ...paid, status: 'completed', version: paid.version + 1 };

test('a payment from the wallet changes nothing of its task but what is written of tasks that were paid', () => {
  const state = stateOf('by an agent', 'in_transit', { fields: { customerId: CUSTOMER } });
  const { task } = state.findTask(TASK)!;
  const before = { ...task, deadlineAt: deadlineOf(task) };
  const after = pay(state, 'wallet').draft.findTask(TASK)!.task;
  assert.notEqual(after.paymentId, before.paymentId);
  assert.deepEqual([...paidTasks([{ before, after }])], [TASK]);
});

test('a task that changes otherwise, before its payment or after it, is written whole', () => {
  const started: TaskRecord = { ...unpaid, notes: 'at the door', version: unpaid.version + 1 };
  const wholes = [
    [{ before: null, after: paid }],
    [{ before: unpaid, after: { ...paid, notes: 'at the door' } }],
    [{ before: unpaid, after: started }],
    [
      { before: unpaid, after: started },
      { before: started, after: { ...paid, notes: 'at the door' } },
    ],
    [
      { before: unpaid, after: paid },
      { before: paid, after: done },
    ],
  ];
  for (const changes of wholes) assert.deepEqual([...paidTasks(changes)], []);
});

test('a payment in place of another in the same batch is one change', () => {
  const again: TaskRecord = { ...paid, paymentId: 32, version: paid.version + 1 };
  const changes = [
    { before: unpaid, after: paid },
    { before: paid, after: again },
  ];
  assert.deepEqual([...paidTasks(changes)], [TASK]);
});
