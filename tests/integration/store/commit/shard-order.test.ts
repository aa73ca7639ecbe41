import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { createShardStore } from '../../../../engine/store/cluster/shard-store.ts';
import { useDatabase } from '../../../support/system/use-database.ts';
import { until } from '../../../support/until.ts';

const database = useDatabase();
const taker = database.connect();
const watch = database.connect();

test('a gateway that gives its shards up locks them by their numbers, as takers and commits do', async () => {
  const incarnation = randomUUID();
  await database.sql`DELETE FROM shards WHERE shard = 1`;
  await database.sql`INSERT INTO shards (shard) VALUES (1)`;
  await database.sql`UPDATE shards SET owner = ${incarnation} WHERE shard = 2`;
  await database.sql`UPDATE shards SET owner = ${incarnation} WHERE shard = 1`;
  const lying = await watch`SELECT shard FROM shards WHERE owner = ${incarnation} ORDER BY ctid`;
  assert.deepEqual(
    lying.map((row) => row['shard']),
    [2, 1],
  );
  // One connection is one session, so that these are one transaction.
  await taker.unsafe('BEGIN');
  await taker`SELECT FROM shards WHERE shard = 1 FOR UPDATE`;
  const released = createShardStore(database.sql).release('the one that ends', incarnation);
  await until('it waits for shard 1', async () => {
    const waiting = await watch`
      SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    return waiting.length > 0;
  });
  await taker`SELECT FROM shards WHERE shard = 2 FOR UPDATE NOWAIT`;
  await taker.unsafe('COMMIT');
  await released;
  assert.equal((await watch`SELECT FROM shards WHERE owner IS NOT NULL`).length, 0);
});
