import assert from 'node:assert/strict';
import { test } from 'node:test';
import { detailsOfStep } from '../../../../engine/domain/tasks/step-details.ts';
import type { TaskRecord, TaskStatus } from '../../../../schema/tasks/task.ts';

type Stepped = Parameters<typeof detailsOfStep>[0];

const task = (status: TaskStatus, fields: Partial<TaskRecord> = {}): Stepped => ({
  status,
  agentId: null,
  courierId: null,
  outcome: null,
  failureReason: null,
  ...fields,
});
const AGENT = { agentId: 7 };
const COURIER = { courierId: 3 };

/** The state before a step, the state after it, and the details that the history keeps besides the statuses. */
const STEPS: readonly (readonly [what: string, before: Stepped, after: Stepped, details: object | null])[] = [
  ['a search that begins', task('new'), task('awaiting_assignment'), null],
  ['given to an agent', task('new'), task('assigned', AGENT), { agentId: 7 }],
  ['given to an agent later', task('awaiting_assignment'), task('assigned', AGENT), { agentId: 7 }],
  ['given to a courier', task('awaiting_assignment'), task('assigned', COURIER), { courierId: 3 }],
  ['a job whose child is given away', task('new'), task('assigned'), null],
  ['taken off an agent', task('assigned', AGENT), task('awaiting_assignment'), { previousAgentId: 7 }],
  ['taken off an agent that accepted', task('accepted', AGENT), task('awaiting_assignment'), { previousAgentId: 7 }],
  ['taken off a courier', task('accepted', COURIER), task('awaiting_assignment'), { previousCourierId: 3 }],
  ['accepted', task('assigned', AGENT), task('accepted', AGENT), null],
  ['set out', task('accepted', AGENT), task('in_transit', AGENT), null],
  [
    'delivered',
    task('in_transit', AGENT),
    task('completed', { ...AGENT, outcome: 'succeeded' }),
    { outcome: 'succeeded' },
  ],
  [
    'not delivered',
    task('in_transit', AGENT),
    task('completed', { ...AGENT, outcome: 'failed', failureReason: 'nobody there' }),
    { outcome: 'failed', failureReason: 'nobody there' },
  ],
  ['cancelled', task('accepted', AGENT), task('cancelled', AGENT), null],
];

for (const [what, before, after, details] of STEPS)
  test(`the history of a task ${what} says ${JSON.stringify(details)} beside the statuses`, () => {
    assert.deepEqual(detailsOfStep(before, after), details);
  });
