import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { connectPostgres, type Sql } from '../../../../engine/store/postgres.ts';
import { forPages } from '../../../../engine/store/task-lists/task-list-store.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/stores.ts';

const LOCK = 1;

let database: TestDatabase;
let pages: Sql;
let other: Sql;

before(async () => {
  database = await createTestDatabase();
  const options = { name: 'test', statementTimeoutMs: 10_000 };
  pages = connectPostgres(forPages(database.url), { ...options, connections: 2 });
  other = connectPostgres(database.url, { ...options, connections: 1 });
});
after(async () => {
  await pages.end({ timeout: 5 });
  await other.end({ timeout: 5 });
  await database.drop();
});

test('a page waits for no slow one while another connection is free', async () => {
  const waitForLock = () => pages`SELECT pg_advisory_xact_lock(${LOCK})`;
  // On either connection, since nothing is sent behind a statement that is still to be prepared.
  await Promise.all([waitForLock(), waitForLock()]);
  await other`SELECT pg_advisory_lock(${LOCK})`;
  let isSlowOneDone = false;
  const slow = waitForLock().then(() => {
    isSlowOneDone = true;
  });
  const quick = Array.from({ length: 10 }, (_, index) => pages<{ index: number }[]>`SELECT ${index}::int AS index`);
  const answers = await Promise.all(quick);
  assert.deepEqual(
    answers.map(([row]) => row!.index),
    answers.map((_, index) => index),
  );
  assert.equal(isSlowOneDone, false);
  await other`SELECT pg_advisory_unlock(${LOCK})`;
  await slow;
});
