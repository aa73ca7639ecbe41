import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createLog } from '../../engine/runtime/log.ts';
import { connectRedis } from '../../engine/store/redis.ts';
import type { PositionView, Tally } from '../../schema/fleet/position.ts';
import { LIMITS } from '../../schema/limits.ts';
import { type ApiClient, createApiClient } from '../support/api-client.ts';
import { seedAgent, seedSession } from '../support/seeds/seed.ts';
import { startTcpProxy } from '../support/services/tcp-proxy.ts';
import { createTestPlace, startTestGateway } from '../support/system/gateway.ts';
import { until } from '../support/until.ts';

/** Positions while the stores that keep or explain them go away. */

const ago = (ms: number) => new Date(Date.now() - ms).toISOString();
const pointOf = (agentId: number, latitude: number) => ({ agentId, latitude, longitude: 7, recordedAt: ago(0) });

async function placeWithAgents(count: number) {
  const place = await createTestPlace();
  const agentIds: number[] = [];
  let token = '';
  for (let index = 0; index < count; index++) {
    const { agentId, userId } = await seedAgent(place.databaseUrl, place.organizationId);
    agentIds.push(agentId);
    token = await seedSession(place.databaseUrl, place.organizationId, userId);
  }
  /** The latest position. */
  return { place, agentIds, token };
}

async function latitudes(api: ApiClient): Promise<readonly number[]> {
  const reply = await api.get<{ items: PositionView[] }>('/agents/locations/current');
  assert.equal(reply.status, 200, reply.text);
  return reply.body.data.items.map(({ latitude }) => latitude);
}

/** The hash in which the organization's positions are kept. */
async function withPositions<T>(
  place: { readonly redisUrl: string; readonly redisPrefix: string },
  work: (kept: () => Promise<Record<string, string>>, clear: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const redis = connectRedis(place.redisUrl, createLog('test', 'silent'), 'patient');
  try {
    const find = async () => (await redis.keys(`${place.redisPrefix}:*:positions`))[0] ?? 'none';
    const clear = async () => void (await redis.del(await find()));
    return await work(async () => redis.hgetall(await find()), clear);
  } finally {
    redis.disconnect();
  }
}

test('after kill -9 a new process knows where agents were, goes on with ETAs, and follows the newest recorded point', async () => {
  const { place, agentIds } = await placeWithAgents(2);
  const [agentId] = agentIds as [number, number];
  const first = await startTestGateway({ place, process: true });
  const api = createApiClient(first);
  const location = { address: 'Somewhere', latitude: 50.01, longitude: 7 };
  const [blocking, waiting] = [
    await api.createTask({ location, estimatedDuration: 30 }),
    await api.createTask({ location, estimatedDuration: 5 }),
  ];
  for (const { id } of [blocking, waiting]) await api.post(`/tasks/${id}/assign`, { agentId });
  const etaBy = async (client: ApiClient) => (await client.get(`/tasks/${waiting.id}`)).body.data.etaAt;
  const points = agentIds.map((id, index) => pointOf(id, 50 + index / 1_000));
  assert.equal((await api.post<Tally>('/agents/locations', { points })).body.data.accepted, 2);
  await until('an ETA', async () => (await etaBy(api)) !== null);
  const etaBefore = Date.parse((await etaBy(api))!);
  await withPositions(place, (kept) => until('both kept', async () => Object.keys(await kept()).length === 2));
  await first.kill();
  api.close();
  const second = await startTestGateway({ place, process: true });
  const again = createApiClient(second);
  try {
    assert.equal((await again.put(`/tasks/${blocking.id}/status`, { status: 'cancelled' })).status, 200);
    await until('the ETA is half an hour earlier', async () => {
      const earlierMs = etaBefore - Date.parse((await etaBy(again))!);
      return Math.abs(earlierMs - 30 * 60_000) < 60_000;
    });
    assert.deepEqual(await latitudes(again), [50, 50.001]);
    const late = { ...pointOf(agentId, 50.0001), recordedAt: ago(60_000) };
    assert.deepEqual((await again.post<Tally>('/agents/locations', { points: [late] })).body.data.stale, 1);
    assert.deepEqual(await latitudes(again), [50, 50.001]);
  } finally {
    again.close();
    await second.stop();
    await place.drop();
  }
});

test('positions that Redis has lost are served as before, and kept again once an agent moves', async () => {
  const { place, agentIds } = await placeWithAgents(3);
  const gateway = await startTestGateway({ place });
  const api = createApiClient(gateway);
  try {
    await withPositions(place, async (kept, clear) => {
      await api.post('/agents/locations', { points: agentIds.map((id) => pointOf(id, 50)) });
      await until('all kept', async () => Object.keys(await kept()).length === 3);
      await clear();
      assert.deepEqual(await latitudes(api), [50, 50, 50]);
      await api.post('/agents/locations', { points: [pointOf(agentIds[0]!, 50.0001)] });
      await until('all kept again', async () => Object.keys(await kept()).length === 3);
      assert.match((await kept())[agentIds[0]!]!, /,50\.0001,7,/);
    });
  } finally {
    api.close();
    await gateway.stop();
    await place.drop();
  }
});

test('while Postgres is away the gateway accepts points of known callers and refuses changes', async () => {
  const { place, agentIds, token } = await placeWithAgents(1);
  const proxy = await startTcpProxy(place.databaseUrl);
  const gateway = await startTestGateway({ place: { ...place, databaseUrl: proxy.url }, process: true });
  const [api, agent] = [createApiClient(gateway), createApiClient({ baseUrl: gateway.baseUrl, key: token })];
  try {
    const send = async () => {
      const own = { points: [{ latitude: 50, longitude: 7, recordedAt: ago(0) }] };
      const ofGateway = { points: [pointOf(agentIds[0]!, 50)] };
      return [
        (await agent.post('/agents/me/locations', own)).status,
        (await api.post('/agents/locations', ofGateway)).status,
      ];
    };
    assert.deepEqual(await send(), [202, 202]);
    await proxy.stop();
    const began = Date.now();
    const statuses = new Set<number>();
    while (Date.now() - began < 3 * LIMITS.credentialValidMs + 2_000) {
      for (const status of await send()) statuses.add(status);
      await delay(50);
    }
    assert.deepEqual([...statuses], [202]);
    assert.equal((await api.post('/tasks', {})).status, 503);
    const stranger = createApiClient({ baseUrl: gateway.baseUrl, key: `da_${'x'.repeat(40)}` });
    assert.equal(
      (await stranger.post('/agents/me/locations', { points: [] })).status,
      503,
      'nobody can say who that is',
    );
    stranger.close();
  } finally {
    api.close();
    agent.close();
    await gateway.kill();
    await place.drop();
  }
});
