import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertMoneyAgrees } from '../../integration/engine/ledger/money-histories.ts';

const seed = Number(process.env['TEST_SEED'] ?? Date.now() % 1_000_000);
const MINUTES = 60_000;

test('no money appears or vanishes over minutes of long histories', async (t) => {
  t.diagnostic(`seed ${seed}: repeat with TEST_SEED=${seed}`);
  const options = { seed, histories: 10_000, steps: 100, timeLimitMs: 4 * MINUTES, fewestOperations: 1_000 };
  const made = await assertMoneyAgrees(options);
  t.diagnostic(`${made} operations`);
  assert.ok(made >= 1_000, `only ${made} operations were made`);
});
