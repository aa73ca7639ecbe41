import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedProbe } from '../../../../gateway/operations/shared-probe.ts';

test('a store is asked once for all who ask at the same time, and again when its answer is old', async () => {
  const answers: ((isReachable: boolean) => void)[] = [];
  let nowMs = 0;
  const probe = sharedProbe(() => new Promise((resolve) => answers.push(resolve)), { monotonic: () => nowMs });

  const first = [probe(), probe()];
  nowMs = 900;
  first.push(probe());
  assert.equal(answers.length, 1);
  answers[0]!(true);
  assert.deepEqual(await Promise.all(first), [true, true, true]);

  nowMs = 1_149;
  assert.equal(await probe(), true);
  assert.equal(answers.length, 1);

  nowMs = 1_150;
  const next = probe();
  assert.equal(answers.length, 2);
  answers[1]!(false);
  assert.equal(await next, false);
});
