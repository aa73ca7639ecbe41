import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CommitHints } from '../../../engine/bus/commit-hints.ts';
import type { Scheduler } from '../../../engine/runtime/clock.ts';

test('what is committed while hints gather leaves in one message, each organization once', () => {
  const sent: (readonly number[])[] = [];
  const timers: (() => void)[] = [];
  const scheduler: Scheduler = {
    after: (_delayMs, task) => {
      timers.push(task);
      return () => {};
    },
    every: () => () => {},
    soon: (task) => task(),
  };
  const hints = new CommitHints(scheduler, (organizationIds) => sent.push(organizationIds));
  for (const organizationId of [7, 7, 8, 7]) hints.announce(organizationId);
  for (const fire of timers.splice(0)) fire();
  hints.announce(9);
  for (const fire of timers.splice(0)) fire();
  assert.deepEqual(sent, [[7, 8], [9]]);
});
