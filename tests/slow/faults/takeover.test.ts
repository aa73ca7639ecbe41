import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { DEFAULT_LEASE_MS } from '../../../engine/runtime/config.ts';
import { shardOf } from '../../../engine/runtime/shard-of.ts';
import { createApiClient, taskInput } from '../../support/api-client.ts';
import { withSql } from '../../support/seeds/seed.ts';
import { createTestPlace, startTestGateway, type TestPlace } from '../../support/system/gateway.ts';

/** From the kill of the owner to the first acknowledged write at another gateway. */
const PROMISED_MS = 6_000;
const ROUNDS = 3;
const PAUSE_MS = 3_000;
const STEP_MS = 50;

const start = (place: TestPlace, id: string) =>
  startTestGateway({
    place,
    process: true,
    environment: { GATEWAY_ID: id, LEASE_MS: String(DEFAULT_LEASE_MS) },
  });

test('another gateway acknowledges writes within six seconds after kill −9 of the owner', async (t) => {
  for (let round = 1; round <= ROUNDS; round += 1) {
    const place = await createTestPlace();
    const [owner, other] = [await start(place, 'owner'), await start(place, 'other')];
    const [ofOwner, ofOther] = [createApiClient(owner), createApiClient(other)];
    try {
      assert.equal((await ofOwner.post('/tasks', taskInput())).status, 201);
      // Killed at another moment between two renewals each time.
      await delay((round * DEFAULT_LEASE_MS) / 9 / ROUNDS);
      const killedAt = performance.now();
      process.kill(owner.pid!, 'SIGKILL');
      while ((await ofOther.post('/tasks', taskInput())).status !== 201) await delay(STEP_MS);
      const tookMs = performance.now() - killedAt;
      t.diagnostic(`takeover: ${Math.round(tookMs)} ms`);
      assert.ok(tookMs <= PROMISED_MS, `${tookMs} ms`);
    } finally {
      ofOwner.close();
      ofOther.close();
      await Promise.all([owner.stop(), other.stop()]);
      await place.drop();
    }
  }
});

test('a healthy owner that stands still for three seconds keeps its lease', async () => {
  const place = await createTestPlace();
  const [owner, other] = [await start(place, 'owner'), await start(place, 'other')];
  const client = createApiClient(owner);
  try {
    assert.equal((await client.post('/tasks', taskInput())).status, 201);
    const before = await epochOf(place);
    for (let pause = 0; pause < ROUNDS; pause += 1) {
      process.kill(owner.pid!, 'SIGSTOP');
      await delay(PAUSE_MS);
      process.kill(owner.pid!, 'SIGCONT');
      assert.equal((await client.post('/tasks', taskInput())).status, 201);
      await delay(DEFAULT_LEASE_MS / 3);
    }
    assert.equal(await epochOf(place), before, 'nobody took the shard');
  } finally {
    process.kill(owner.pid!, 'SIGCONT');
    client.close();
    await Promise.all([owner.stop(), other.stop()]);
    await place.drop();
  }
});

function epochOf({ databaseUrl, organizationId }: TestPlace): Promise<number> {
  return withSql(databaseUrl, async (sql) => {
    const [row] = await sql<{ epoch: number }[]>`SELECT epoch FROM shards WHERE shard = ${shardOf(organizationId)}`;
    return row!.epoch;
  });
}
