import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertModelAgrees } from '../../integration/engine/agreement/agreement.ts';
import { assertBurstsAgree } from '../../integration/engine/agreement/bursts.ts';

const seed = Number(process.env['TEST_SEED'] ?? Date.now() % 1_000_000);
const how = `seed ${seed}: repeat with TEST_SEED=${seed}`;
const MINUTES = 60_000;

test('model and engine agree over minutes of long histories', async (t) => {
  t.diagnostic(how);
  const steps = await assertModelAgrees({
    seed,
    histories: 10_000,
    steps: 150,
    timeLimitMs: 6 * MINUTES,
    fewestSteps: 5_000,
  });
  assert.ok(steps >= 5_000, `only ${steps} steps were made`);
});

test('memory and Postgres agree over minutes of bursts', async (t) => {
  t.diagnostic(how);
  const requests = await assertBurstsAgree({
    seed,
    histories: 10_000,
    steps: 20,
    timeLimitMs: 4 * MINUTES,
    fewestSteps: 5_000,
  });
  assert.ok(requests >= 5_000, `only ${requests} requests were made`);
});
