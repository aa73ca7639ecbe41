import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stepsOf } from '../../../../engine/domain/tasks/steps-of-agent.ts';
import type { HistoryStepView } from '../../../../schema/tasks/task-history.ts';

const [OWN, OTHER] = [7, 8];
const to = (toStatus: string, details: object | null = null) => ({ kind: 'status_changed', toStatus, details });
const paid = (method: string) => ({ kind: 'payment', toStatus: null, details: { method } });
const PACKAGE = { kind: 'package_status_changed', toStatus: null, details: { to: 'picked_up' } };
const asked = (agentId: number) => ({ kind: 'assignment_request', toStatus: null, details: { agentId } });

for (const [what, steps, own] of [
  [
    'its own time',
    [to('new'), to('assigned', { agentId: OWN }), to('accepted'), PACKAGE, to('in_transit')],
    [0, 1, 2, 3, 4],
  ],
  [
    'nothing of the time of another agent',
    [
      to('assigned', { agentId: OTHER }),
      to('accepted'),
      PACKAGE,
      to('awaiting_assignment', { previousAgentId: OTHER }),
      PACKAGE,
    ],
    [4],
  ],
  [
    'nothing of the time of an external courier',
    [
      to('assigned', { courierId: 3 }),
      to('accepted'),
      to('awaiting_assignment', { previousCourierId: 3 }),
      to('assigned', { agentId: OWN }),
    ],
    [3],
  ],
  [
    'that it lost the task, and got it back',
    [
      to('assigned', { agentId: OWN }),
      to('awaiting_assignment', { previousAgentId: OWN }),
      to('assigned', { agentId: OWN }),
    ],
    [0, 1, 2],
  ],
  ['who asked it, and no other', [asked(OTHER), asked(OWN), to('awaiting_assignment')], [1, 2]],
  ['the cash it took', [to('assigned', { agentId: OWN }), paid('cash'), paid('online'), paid('wallet')], [0, 1]],
  [
    'no cash of others',
    [
      paid('cash'),
      to('assigned', { agentId: OTHER }),
      paid('cash'),
      to('awaiting_assignment', { previousAgentId: OTHER }),
    ],
    [],
  ],
] as const) {
  test(`an agent reads ${what}`, () => {
    const all = steps.map((step, sequence) => ({ ...step, sequence }) as unknown as HistoryStepView);
    assert.deepEqual(
      stepsOf(OWN, all).map(({ sequence }) => sequence),
      own,
    );
  });
}

test('of a reassignment an agent reads its own part', () => {
  const handOver = (agentId: number, previousAgentId: number) => ({
    kind: 'reassigned',
    toStatus: 'in_transit',
    details: { agentId, previousAgentId },
  });
  const steps = [handOver(OWN, OTHER), PACKAGE, handOver(OTHER, OWN), PACKAGE, handOver(9, OTHER), handOver(OWN, 9)];
  const read = stepsOf(OWN, steps as unknown as HistoryStepView[]);
  assert.deepEqual(
    read.map(({ details }) => details),
    [{ agentId: OWN }, PACKAGE.details, { previousAgentId: OWN }, { agentId: OWN }],
  );
});

test('an agent reads neither who came into question nor why not', () => {
  const details = { reason: 'skills', counts: {}, nearest: [{ agentId: OTHER }], lacking: 'skills' };
  const [step] = stepsOf(OWN, [{ kind: 'updated', toStatus: null, details } as unknown as HistoryStepView]);
  assert.deepEqual(step!.details, { reason: 'skills' });
});
