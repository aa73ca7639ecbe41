import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rounds } from '../../support/runner/rounds.ts';
import { assertModelAgrees } from './agreement/agreement.ts';
import { assertBurstsAgree } from './agreement/bursts.ts';

/** The same each time; tests/slow/engine/actor-agreement.test.ts draws another. */
const seed = Number(process.env['TEST_SEED'] ?? 1);
const how = `seed ${seed}: repeat with TEST_SEED=${seed}`;

test('model, memory, lists, counters and a rebuilt actor agree after every step of any history', async (t) => {
  t.diagnostic(how);
  const steps = await assertModelAgrees({
    seed,
    histories: 100,
    steps: 60,
    timeLimitMs: rounds(3_000),
    fewestSteps: 100,
  });
  assert.ok(steps >= 100, `only ${steps} steps were made`);
});

test('memory, lists, counters and a rebuilt actor agree after every burst of requests', async (t) => {
  t.diagnostic(how);
  const requests = await assertBurstsAgree({
    seed,
    histories: 100,
    steps: 8,
    timeLimitMs: rounds(2_000),
    fewestSteps: 50,
  });
  assert.ok(requests >= 50, `only ${requests} requests were made`);
});
