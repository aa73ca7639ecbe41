import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeBatch } from '../../../engine/org/encode-batch.ts';
import { encodeGroup } from '../../../engine/org/encode-group.ts';
import { OrgBatch } from '../../../engine/org/org-batch.ts';
import { createReleaser } from '../../../engine/runtime/lifecycle.ts';
import { createRandomSource } from '../../../engine/runtime/random.ts';
import { createCommitStore } from '../../../engine/store/commit-store.ts';
import type { TaskRecord } from '../../../schema/task.ts';
import { seedOrganization, withSql } from '../../support/seed.ts';
import { createMigratedDatabase } from '../../support/stores.ts';
import { taskRecord, writeTasks } from './task-writer.ts';

/** So many that finding one costs more than nothing. */
const OTHERS = 2_000;
const CHANGES = 30;

test('what writes one changed task is planned for the first of many commits, not for each', async () => {
  const releaser = createReleaser(() => {});
  try {
    const database = await createMigratedDatabase();
    releaser.push('database', () => database.drop());
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
      const others = Array.from({ length: OTHERS }, (_, index) => taskRecord({ organizationId, id: index + 2 }));
      await writeTasks(sql, others);
      await sql`ANALYZE tasks`;
    });
    const store = createCommitStore(database.url, { statementTimeoutMs: 30_000, deadlineMs: 30_000 });
    releaser.push('store', () => store.stop());
    let before: TaskRecord | null = null;
    for (let version = 1; version <= CHANGES; version++) {
      const task = taskRecord({ organizationId, id: 1, version, notes: `changed ${version}` });
      const batch = new OrgBatch(organizationId, 1, version - 1);
      batch.lastSequence = version;
      batch.lastAt = task.updatedAt;
      batch.tasks.set(1, { record: task, expectedVersion: version - 1 });
      batch.taskChanges.push({ before, after: task });
      before = task;
      await store.commit(encodeGroup(createRandomSource().uuid(), [encodeBatch(batch, 1)], []));
    }
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
