import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RoundRows } from '../../../engine/store/planning/round-store.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { hint, NOBODY, openRoundScheduler, searching, settle } from './hand-rounds.ts';

const BEFORE_END = LIMITS.roundBeforeEndMs;
const MINUTE = { batchingWindowMs: 60_000 };

test('a round comes before a search ends, whose end is known from the start or later', async () => {
  for (const [known, later, at] of [
    [10_000, null, 10_000 - BEFORE_END],
    [null, 8_000, 10_000 - BEFORE_END],
    [50_000, 8_000, 10_000 - BEFORE_END],
    [90_000, null, 60_000],
    [null, BEFORE_END - 1, 2_000],
  ] as const) {
    const { scheduler, time, times } = openRoundScheduler(() => NOBODY);
    scheduler.nudge([{ ...searching(1, MINUTE), endsInMs: known }]);
    await time.pass(2_000);
    if (later !== null) scheduler.nudge([{ ...searching(1, MINUTE), endsInMs: later }]);
    await time.pass(58_000);
    assert.deepEqual(times(), [at]);
  }
});

test('a round that took long begins so much earlier before a search ends', async () => {
  let end = (_rows: RoundRows) => {};
  const reading = new Promise<RoundRows>((resolve) => (end = resolve));
  const { scheduler, time, times } = openRoundScheduler(() => (times().length === 1 ? reading : NOBODY));
  scheduler.nudge([{ ...searching(1, MINUTE), endsInMs: 0 }]);
  await time.pass(3_000);
  end(NOBODY);
  await settle();
  hint(scheduler, { ...searching(1, MINUTE), endsInMs: 20_000 });
  await time.pass(50_000);
  assert.deepEqual(times(), [0, 3_000 + 20_000 - BEFORE_END - 3_000]);
});

test('no search that ends brings a round forward into the pause after a failure, or into the turn of others', async () => {
  const soon = () => ({ ...searching(1, MINUTE), endsInMs: 1_000 });
  const failing = openRoundScheduler(() => {
    throw new Error('away');
  });
  failing.scheduler.nudge([soon()]);
  await failing.time.pass(200);
  failing.scheduler.nudge([soon()]);
  await failing.time.pass(LIMITS.roundRetryMs);
  assert.deepEqual(failing.times(), [0, LIMITS.roundRetryMs]);

  const taken = [700, 0];
  const waiting = openRoundScheduler(() => NOBODY, { take: async () => taken.shift()!, giveBack: async () => {} });
  waiting.scheduler.nudge([soon()]);
  await waiting.time.pass(200);
  waiting.scheduler.nudge([soon()]);
  await waiting.time.pass(1_000);
  assert.deepEqual(waiting.times(), [700]);
});
