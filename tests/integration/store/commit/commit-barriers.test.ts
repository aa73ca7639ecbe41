import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRandomSource } from '../../../../engine/runtime/random.ts';
import { shardOf } from '../../../../engine/runtime/shard-of.ts';
import type { Sql } from '../../../../engine/store/postgres.ts';
import { encodeHeads } from '../../../support/seeds/encode-heads.ts';
import { seedOrganization } from '../../../support/seeds/seed.ts';
import { seedTasks } from '../../../support/seeds/seed-task.ts';
import { useDatabase } from '../../../support/system/use-database.ts';

/** `commit_group` refuses these calls by itself, however wrong the calling process is. */

const random = createRandomSource();
const { url, sql } = useDatabase({ connections: 2 });

interface Head {
  readonly organizationId: number;
  readonly shard: number;
  readonly epoch: number;
}

async function newHead(): Promise<Head> {
  const { organizationId } = await seedOrganization(url);
  const shard = shardOf(organizationId);
  const [row] = await sql<{ epoch: number }[]>`SELECT epoch FROM shards WHERE shard = ${shard}`;
  return { organizationId, shard, epoch: row!.epoch };
}

/** Commits a group that holds one head, with parameters that the test may falsify. */
async function commitHead(
  { organizationId, shard, epoch }: Head,
  falsified: { readonly heads?: (heads: string) => string; readonly counts?: (counts: string) => string } = {},
  on: Pick<Sql, 'unsafe'> = sql,
): Promise<void> {
  const { groupId, shards, epochs, counts, heads } = encodeHeads(random.uuid(), [organizationId], [{ shard, epoch }]);
  await on.unsafe(
    `SELECT commit_group(group_id => $1, shards_in => $2, epochs_in => $3, counts => $4, heads_in => $5,
      customers_in => NULL, locations_in => NULL, tasks_in => NULL, packages_in => NULL, history_in => NULL,
      events_in => NULL, event_bodies => '', idempotency_in => NULL, idempotency_bodies => '', usage_in => NULL,
      warehouses_in => NULL, task_counts_in => NULL)`,
    [groupId, shards, epochs, falsified.counts?.(counts) ?? counts, falsified.heads?.(heads) ?? heads],
  );
}

const FENCED = { code: 'DE001' };
const STALE = { code: 'DE002' };

test('a commit under another epoch than that of its shard is fenced, and under its own it is taken', async () => {
  const head = await newHead();
  for (const epoch of [head.epoch - 1, head.epoch + 1]) await assert.rejects(commitHead({ ...head, epoch }), FENCED);
  await commitHead(head);
});

test('a commit on another head than the one that Postgres has is stale', async () => {
  const head = await newHead();
  const behind = (heads: string) => heads.replace('"expectedSequence":0', '"expectedSequence":1');
  await assert.rejects(commitHead(head, { heads: behind }), STALE);
});

test('a commit that writes fewer rows than it means is stale', async () => {
  const head = await newHead();
  await assert.rejects(commitHead(head, { counts: (counts) => counts.replace('{1,', '{2,') }), STALE);
});

test('a takeover waits for a commit that is under way', async () => {
  const head = await newHead();
  await sql.begin(async (tx) => {
    await commitHead(head, {}, tx);
    const takeover = sql.begin(async (other) => {
      await other.unsafe("SET LOCAL lock_timeout = '100ms'");
      await other`UPDATE shards SET epoch = epoch + 1 WHERE shard = ${head.shard}`;
    });
    await assert.rejects(takeover, { code: '55P03' });
  });
});

test('a task in another version than the expected one is not written', async () => {
  const { organizationId, channelId } = await seedOrganization(url);
  const [task] = await seedTasks(url, { organizationId, channelId }, [{}]);
  const line = JSON.stringify({ organizationId, id: task!.id, expectedVersion: 7, version: 8 });
  const [row] = await sql<{ written: number }[]>`
    SELECT update_tasks(ARRAY[jsonb_populate_record(NULL::task_line, ${line}::text::jsonb)]) AS written`;
  assert.equal(row!.written, 0);
});
