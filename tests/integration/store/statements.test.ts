import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { DeadlineError } from '../../../engine/runtime/deadline.ts';
import { retried } from '../../../engine/store/statements.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { useDatabase } from '../../support/system/use-database.ts';

const database = useDatabase();
const hasty = database.connect({ statementTimeoutMs: 50 });
/** Longer than all pauses between attempts together. */
const PAUSES_MS = LIMITS.statementAttempts ** 2 * LIMITS.statementPauseMs;

test('a statement that took longer than its connection allows is not sent again', async () => {
  let sent = 0;
  const ask = () => {
    sent += 1;
    return hasty`SELECT pg_sleep(30)`;
  };
  await assert.rejects(retried(ask, 20_000, 'sleeping'), { code: '57014' });
  assert.equal(sent, 1);
});

test('a statement whose connection was lost is sent again on another one', async () => {
  let sent = 0;
  const ask = () => {
    sent += 1;
    return database.sql`
      SELECT 7 AS seven, CASE WHEN ${sent}::int = 1 THEN pg_terminate_backend(pg_backend_pid()) END AS ended`;
  };
  assert.deepEqual([...(await retried(ask, 20_000, 'asking'))], [{ seven: 7, ended: null }]);
  assert.equal(sent, 2);
});

test('nothing is sent after the deadline, when the caller has its refusal', async () => {
  let sent = 0;
  const ask = async () => {
    sent += 1;
    await delay(200);
    throw Object.assign(new Error('terminating connection'), { code: '57P01' });
  };
  await assert.rejects(retried(ask, 100, 'asking'), DeadlineError);
  await delay(200 + PAUSES_MS);
  assert.equal(sent, 1);
});
