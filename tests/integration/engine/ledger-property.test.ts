import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rounds } from '../../support/runner/rounds.ts';
import { assertMoneyAgrees } from './ledger/money-histories.ts';

/** The same each time; tests/slow/engine/ledger.test.ts draws another. */
const seed = Number(process.env['TEST_SEED'] ?? 1);

test('no money appears or vanishes, and books, payments, memory and a plain model agree after every step', async (t) => {
  t.diagnostic(`seed ${seed}: repeat with TEST_SEED=${seed}`);
  const made = await assertMoneyAgrees({
    seed,
    histories: 60,
    steps: 50,
    timeLimitMs: rounds(6_000),
    fewestOperations: 40,
  });
  assert.ok(made >= 40, `only ${made} operations were made`);
});
