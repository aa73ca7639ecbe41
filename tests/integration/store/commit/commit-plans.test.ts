import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OrgBatch } from '../../../../engine/org/apply/org-batch.ts';
import { encodeBatch } from '../../../../engine/org/commit/encode-batch.ts';
import { encodeGroup } from '../../../../engine/org/commit/encode-group.ts';
import { createReleaser, type Releaser } from '../../../../engine/runtime/lifecycle.ts';
import { createRandomSource } from '../../../../engine/runtime/random.ts';
import { type CommitStore, createCommitStore } from '../../../../engine/store/actor/commit-store.ts';
import type { Sql } from '../../../../engine/store/postgres.ts';
import type { TaskRecord } from '../../../../schema/tasks/task.ts';
import { seedOrganization, withSql } from '../../../support/seeds/seed.ts';
import { createMigratedDatabase, type TestDatabase } from '../../../support/stores.ts';
import { until } from '../../../support/until.ts';
import { taskRecord, writeTasks } from '../task-writer.ts';

/** So many that finding one costs more than nothing. */
const OTHERS = 2_000;
const CHANGES = 30;

async function startStore(releaser: Releaser): Promise<{ store: CommitStore; database: TestDatabase }> {
  const database = await createMigratedDatabase();
  releaser.push('database', () => database.drop());
  const store = createCommitStore(database.url, { statementTimeoutMs: 30_000, deadlineMs: 30_000 });
  releaser.push('store', () => store.stop());
  return { store, database };
}

/** Task 1 of an organization, which each call makes or changes by a commit of its own. */
function taskThatChanges(store: CommitStore, organizationId: number): () => Promise<void> {
  let before: TaskRecord | null = null;
  return async () => {
    const version = (before?.version ?? 0) + 1;
    const task = taskRecord({ organizationId, id: 1, version, notes: `changed ${version}` });
    const batch = new OrgBatch(organizationId, 1, version - 1);
    batch.lastSequence = version;
    batch.lastAt = task.updatedAt;
    batch.tasks.set(1, { record: task, expectedVersion: version - 1 });
    batch.taskChanges.push({ before, after: task });
    before = task;
    await store.commit(encodeGroup(createRandomSource().uuid(), [encodeBatch(batch, 1)], []));
  };
}

function writeOthers(sql: Sql, organizationId: number): Promise<void> {
  return writeTasks(
    sql,
    Array.from({ length: OTHERS }, (_, index) => taskRecord({ organizationId, id: index + 2 })),
  );
}

test('the statement that writes one changed task is planned for the first of many commits, not for each', async () => {
  const releaser = createReleaser(() => {});
  try {
    const { store, database } = await startStore(releaser);
    await withSql(database.url, async (sql) => {
      await sql`CREATE EXTENSION pg_stat_statements`;
      for (const [setting, value] of [
        ['track', 'all'],
        ['track_planning', 'on'],
      ]) {
        await sql.unsafe(`ALTER DATABASE ${database.name} SET pg_stat_statements.${setting} = '${value}'`);
      }
    });
    const { organizationId } = await seedOrganization(database.url);
    await withSql(database.url, async (sql) => {
      await writeOthers(sql, organizationId);
      await sql`ANALYZE tasks`;
    });
    const change = taskThatChanges(store, organizationId);
    for (let time = 0; time < CHANGES; time++) await change();
    const [update] = await withSql(
      database.url,
      (sql) => sql<{ calls: number; plans: number }[]>`
        SELECT calls, plans FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid AND d.datname = current_database()
        WHERE query LIKE 'UPDATE tasks t SET version = n.version, name%'`,
    );
    assert.equal(update!.calls, CHANGES - 1);
    // Not once: what others do to the server may make a session forget its plans.
    assert.ok(update!.plans < CHANGES / 2, `planned ${update!.plans} times`);
  } finally {
    await releaser.stop();
  }
});

test('a changed task is written without reading the others, planned before there were any', async () => {
  const releaser = createReleaser(() => {});
  try {
    const { store, database } = await startStore(releaser);
    const { organizationId } = await seedOrganization(database.url);
    const change = taskThatChanges(store, organizationId);
    for (let time = 0; time < 3; time++) await change();
    await withSql(database.url, (sql) => writeOthers(sql, organizationId));
    for (let time = 0; time < CHANGES; time++) await change();
    // A session tells the last of its statistics when it ends.
    await store.stop();
    const told = () =>
      withSql(database.url, async (sql) => {
        const [tasks] = await sql<{ readWhole: number; changed: number }[]>`
          SELECT seq_tup_read::float8 AS read_whole, n_tup_upd::float8 AS changed
          FROM pg_stat_user_tables WHERE relname = 'tasks'`;
        return tasks!;
      });
    await until('every change is counted', async () => (await told()).changed === 2 + CHANGES);
    const { readWhole } = await told();
    assert.ok(readWhole < OTHERS, `${readWhole} tasks were read along`);
  } finally {
    await releaser.stop();
  }
});
