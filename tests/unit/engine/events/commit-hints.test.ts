import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CommitHints, type HintKind } from '../../../../engine/bus/commit-hints.ts';
import type { Scheduler } from '../../../../engine/runtime/clock.ts';

test('commits within one gathering of hints leave in one message of each kind, each organization once', () => {
  const sent: [HintKind, readonly number[]][] = [];
  const timers: (() => void)[] = [];
  const scheduler: Scheduler = {
    after: (_delayMs, task) => {
      timers.push(task);
      return () => {};
    },
    every: () => () => {},
    soon: (task) => task(),
  };
  const hints = new CommitHints(scheduler, (kind, organizationIds) => sent.push([kind, organizationIds]));
  for (const organizationId of [7, 7, 8, 7]) hints.announce(organizationId, ['committed']);
  hints.announce(8, ['committed', 'payments']);
  hints.announce(6, []);
  for (const fire of timers.splice(0)) fire();
  hints.announce(9, ['committed']);
  for (const fire of timers.splice(0)) fire();
  assert.deepEqual(sent, [
    ['committed', [7, 8]],
    ['payments', [8]],
    ['committed', [9]],
  ]);
});
