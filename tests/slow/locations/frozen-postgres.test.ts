import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createReleaser } from '../../../engine/runtime/lifecycle.ts';
import { migrate } from '../../../engine/store/migrate.ts';
import { createApiClient } from '../../support/api-client.ts';
import { seedOrganization } from '../../support/seeds/seed.ts';
import { randomName, testRedis } from '../../support/stores.ts';
import { freezeTree } from '../../support/system/frozen-tree.ts';
import { startTestGateway } from '../../support/system/gateway.ts';
import { startOwnPostgres } from '../../support/system/own-stores.ts';
import { seedFleet, startReportingFleet } from './reporting-fleet.ts';

const AGENTS = 500;
const RATE_SECONDS = 1;
const FROZEN_SECONDS = 30;
const SETTLE_MS = 3_000;
/** The tick is a second; while the database is away, and comes back, a little more is forgiven. */
const SEEN_P99_MS = 1_500;
const RECOVERY_MS = 60_000;

test('positions are accepted and sent on while Postgres hangs for 30 s, and the trail has them afterwards', async (t) => {
  const releaser = createReleaser(() => {});
  try {
    const postgres = await startOwnPostgres(releaser);
    await migrate(postgres.url);
    const organization = await seedOrganization(postgres.url);
    const redis = testRedis();
    const place = {
      ...organization,
      databaseUrl: postgres.url,
      redisUrl: redis.url,
      redisPrefix: redis.prefix,
      gatewayId: randomName('gateway'),
      // Gone with its server.
      drop: async () => {},
    };
    const agentIds = await seedFleet(place.databaseUrl, place.organizationId, AGENTS);
    const gateway = await startTestGateway({ place, process: true });
    releaser.push('gateway', () => gateway.stop());
    const { baseUrl, databaseUrl } = gateway;
    const fleet = await startReportingFleet({
      baseUrl,
      databaseUrl,
      agentIds,
      organization,
      rateSeconds: RATE_SECONDS,
    });
    releaser.push('fleet', () => fleet.stop());
    const { tally } = fleet;
    await delay(SETTLE_MS);
    tally.forgetTimes();
    const acceptedBefore = tally.points.accepted;

    const frozenAt = new Date();
    const thaw = freezeTree(postgres.pid);
    releaser.push('frozen Postgres', thaw);
    await delay(FROZEN_SECONDS * 1_000);
    thaw();
    const thawedAt = new Date();

    const accepted = tally.points.accepted - acceptedBefore;
    const p99 = tally.seen.total.percentile(0.99)!;
    t.diagnostic(`${accepted} points taken while Postgres hung; agent to stream p99 ${p99.toFixed(0)} ms`);
    assert.deepEqual(Object.fromEntries(tally.errors), {}, 'drivers, or the stream, met errors');
    const wanted = (AGENTS / RATE_SECONDS) * FROZEN_SECONDS;
    assert.ok(accepted > wanted * 0.97, `only ${accepted} of ${wanted} points were taken`);
    assert.ok(tally.seen.total.count > wanted * 0.95, `only ${tally.seen.total.count} positions were seen`);
    assert.ok(p99 <= SEEN_P99_MS, `p99 from agent to stream is ${p99.toFixed(0)} ms`);

    const span = `from=${frozenAt.toISOString()}&to=${thawedAt.toISOString()}`;
    const least = (FROZEN_SECONDS / RATE_SECONDS) * 0.9;
    const points = await trailOf(gateway, `/agents/${agentIds[0]}/trail?${span}`, least);
    assert.ok(points >= least, `the trail has ${points} points of the ${FROZEN_SECONDS} s in which Postgres hung`);
    const api = createApiClient(gateway);
    await api.createTask().finally(() => api.close());
  } finally {
    await releaser.stop();
  }
});

/** How many points the trail has, once it has `least`, or when the patience is over. */
async function trailOf(target: { readonly baseUrl: string; readonly key: string }, path: string, least: number) {
  const api = createApiClient(target);
  const deadline = performance.now() + RECOVERY_MS;
  try {
    for (;;) {
      const { status, body } = await api.get<{ items: unknown[] }>(path);
      const points = status === 200 ? body.data.items.length : 0;
      if (points >= least || performance.now() > deadline) return points;
      await delay(250);
    }
  } finally {
    api.close();
  }
}
