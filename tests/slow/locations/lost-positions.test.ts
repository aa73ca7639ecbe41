import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { createReleaser } from '../../../engine/runtime/lifecycle.ts';
import type { PositionView } from '../../../schema/fleet/position.ts';
import { createApiClient } from '../../support/api-client.ts';
import { createTestPlace, startTestGateway } from '../../support/system/gateway.ts';
import { startOwnRedis } from '../../support/system/own-stores.ts';
import { type ReportingFleet, seedFleet, startReportingFleet } from './reporting-fleet.ts';

const AGENTS = 200;
const RATE_SECONDS = 1;
/** A reporting interval, the tick, and what requests take. */
const SETTLED_MS = (RATE_SECONDS + 1) * 1_000 + 500;
/** The same, on a machine that other tests keep busy. */
const OLDEST_MS = SETTLED_MS + 1_500;
/** Noise of a device between high houses, and how far a car gets within an interval. */
const NEAR_DEGREES = 0.004;

test('positions survive a FLUSHALL, a dead Redis and then a dead gateway, and no driver meets an error before that', async () => {
  const releaser = createReleaser(() => {});
  try {
    const redis = await startOwnRedis(releaser);
    const shared = await createTestPlace();
    releaser.push('place', () => shared.drop());
    const place = { ...shared, redisUrl: redis.url };
    const agentIds = await seedFleet(place.databaseUrl, place.organizationId, AGENTS);
    const first = await startTestGateway({ place, process: true });
    releaser.push('first gateway', () => first.stop());
    const { baseUrl, databaseUrl } = first;
    const fleet = await startReportingFleet({
      ...{ baseUrl, databaseUrl, agentIds, organization: place },
      rateSeconds: RATE_SECONDS,
    });
    releaser.push('fleet', () => fleet.stop());
    await delay(SETTLED_MS);
    await assertFleetIsKnown(first, fleet);

    await flushAll(redis.url);
    await delay(SETTLED_MS);
    await assertFleetIsKnown(first, fleet);
    assert.ok((await keyCount(redis.url)) > 0, 'after a FLUSHALL nothing was saved again');

    await redis.kill();
    await delay(SETTLED_MS);
    await assertFleetIsKnown(first, fleet);
    await redis.start();
    await delay(SETTLED_MS);
    await assertFleetIsKnown(first, fleet);
    assert.deepEqual(Object.fromEntries(fleet.tally.errors), {}, 'drivers, or the stream, met errors');
    const { stale, rejected, dropped } = fleet.tally.points;
    assert.deepEqual({ stale, rejected, dropped }, { stale: 0, rejected: 0, dropped: 0 });

    fleet.stop();
    await delay(SETTLED_MS);
    const before = await currentOf(first);
    await first.kill();
    const second = await startTestGateway({ place, process: true });
    releaser.push('second gateway', () => second.stop());
    assert.deepEqual(await currentOf(second), before, 'the second gateway knows other positions than the first');
  } finally {
    await releaser.stop();
  }
});

interface Target {
  readonly baseUrl: string;
  readonly key: string;
}

async function currentOf(target: Target): Promise<PositionView[]> {
  const api = createApiClient(target);
  try {
    const { status, text, body } = await api.get<{ items: PositionView[] }>('/agents/locations/current');
    assert.equal(status, 200, text);
    return body.data.items;
  } finally {
    api.close();
  }
}

/** Everybody was heard within an interval, is where it is, and was seen there by the stream. */
async function assertFleetIsKnown(target: Target, { drivers, watch, city }: ReportingFleet): Promise<void> {
  const items = await currentOf(target);
  assert.equal(items.length, AGENTS);
  const known = new Map(items.map((item) => [item.agentId, item]));
  const oldest = Date.now() - OLDEST_MS;
  for (const { session, traveller } of drivers) {
    const position = known.get(session.agentId)!;
    const really = city.toDegrees(traveller.spot);
    const off = Math.hypot(position.latitude - really.latitude, position.longitude - really.longitude);
    assert.ok(off < NEAR_DEGREES, `agent ${session.agentId} is ${off} degrees from where it is said to be`);
    assert.ok(Date.parse(position.recordedAt) > oldest, `agent ${session.agentId} was heard at ${position.recordedAt}`);
    const seen = watch.newestOf(session.agentId);
    assert.ok(Date.parse(seen ?? '') > oldest, `agent ${session.agentId} was seen at ${seen}`);
  }
}

async function flushAll(url: string): Promise<void> {
  await withRedis(url, (redis) => redis.flushall());
}

function keyCount(url: string): Promise<number> {
  return withRedis(url, (redis) => redis.dbsize());
}

async function withRedis<T>(url: string, body: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(url);
  try {
    return await body(redis);
  } finally {
    redis.disconnect();
  }
}
