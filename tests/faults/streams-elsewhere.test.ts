import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createReleaser } from '../../engine/runtime/lifecycle.ts';
import { createLog } from '../../engine/runtime/log.ts';
import { connectRedis, type Redis } from '../../engine/store/redis.ts';
import { LIMITS } from '../../schema/limits.ts';
import { type ApiClient, createApiClient, taskInput } from '../support/api-client.ts';
import { type EventStreamClient, openEventStream } from '../support/event-stream.ts';
import { seedOrganization } from '../support/seeds/seed.ts';
import { startTcpProxy, type TcpProxy } from '../support/services/tcp-proxy.ts';
import { createTestPlace, startTestGateway, type TestGateway, type TestPlace } from '../support/system/gateway.ts';
import { type OwnRedis, startOwnRedis } from '../support/system/own-stores.ts';
import { until } from '../support/until.ts';

/** Two gateways at one place. A owns all organizations; B streams them and reaches Redis through a proxy. */
const releaser = createReleaser(() => {});
let place: TestPlace;
let a: TestGateway;
let b: TestGateway;
let ownRedis: OwnRedis;
let proxy: TcpProxy;
let redis: Redis;

before(async () => {
  ownRedis = await startOwnRedis(releaser);
  proxy = await startTcpProxy(ownRedis.url);
  releaser.push('proxy', () => proxy.stop());
  const shared = await createTestPlace();
  releaser.push('database', () => shared.drop());
  place = { ...shared, redisUrl: ownRedis.url };
  a = await startTestGateway({ place, process: true, environment: { GATEWAY_ID: 'a' } });
  releaser.push('a', () => a.stop());
  b = await startTestGateway({ place, process: true, environment: { GATEWAY_ID: 'b', REDIS_URL: proxy.url } });
  releaser.push('b', () => b.stop());
  redis = connectRedis(ownRedis.url, createLog('gateway', 'silent'), 'patient');
  releaser.push('redis client', () => redis.disconnect());
  const client = createApiClient({ baseUrl: b.baseUrl, key: place.key });
  const refused = await client.post('/tasks', taskInput());
  assert.equal(refused.body.code, 'NOT_OWNER', 'B owns nothing');
  assert.equal(refused.headers['connection'], 'close', 'another connection may lead to A');
  client.close();
});
after(() => releaser.stop());

interface Watched {
  readonly organizationId: number;
  readonly api: ApiClient;
  /** Creates this many tasks at A. */
  make(count: number): Promise<void>;
  /** A stream at B whose first message has come. */
  watch(lastEventId?: string): Promise<EventStreamClient>;
  /** Reads this many events and asserts that they follow the earlier ones, each once. */
  expect(stream: EventStreamClient, from: number, to: number): Promise<void>;
  keys(kind: string): Promise<number>;
  close(): void;
}

async function createWatched(): Promise<Watched> {
  const { organizationId, key } = await seedOrganization(place.databaseUrl);
  const api = createApiClient({ baseUrl: a.baseUrl, key });
  const streams: EventStreamClient[] = [];
  return {
    organizationId,
    api,
    async make(count) {
      await Promise.all(Array.from({ length: count }, () => api.createTask()));
    },
    async watch(lastEventId) {
      const resume = lastEventId === undefined ? {} : { lastEventId };
      const stream = await openEventStream(b.baseUrl, { key, organizationId, ...resume });
      streams.push(stream);
      assert.equal((await stream.next()).event, 'stream.ready');
      return stream;
    },
    async expect(stream, from, to) {
      const messages = await stream.take(to - from + 1);
      assert.deepEqual(
        messages.map(({ data }) => data.sequence),
        Array.from({ length: to - from + 1 }, (_, index) => from + index),
      );
    },
    async keys(kind) {
      return (await redis.keys(`${place.redisPrefix}:*:{${organizationId}}:${kind}`)).length;
    },
    close() {
      api.close();
      for (const stream of streams) stream.close();
    },
  };
}

test('a second process streams the commits of the first through Redis, which holds a short tail of them', async () => {
  const watched = await createWatched();
  const { make, watch, expect, keys } = watched;
  await make(5);
  assert.equal(await keys('event-tail'), 0, 'nobody listens: nothing goes to Redis');
  const stream = await watch();
  await make(20);
  await expect(stream, 6, 25);
  let made = 25;
  await until('events are handed over', async () => {
    await make(1);
    made += 1;
    return (await keys('event-tail')) === 1;
  });
  await expect(stream, 26, made);
  const [tail] = await redis.keys(`${place.redisPrefix}:*:{${watched.organizationId}}:event-tail`);
  const livesFor = await redis.pttl(tail!);
  assert.ok(livesFor > 0 && livesFor <= LIMITS.eventTailMs, `lives for ${livesFor} ms`);
  const seen = stream.lastEventId!;
  stream.close();
  await make(3);
  await expect(await watch(seen), made + 1, made + 3);
  watched.close();
});

test('an event that is too large for Redis, and one with line separators, also reach another process', async () => {
  const watched = await createWatched();
  const { api, make, watch, expect, keys } = watched;
  const stream = await watch();
  let made = 0;
  await until('events are handed over', async () => {
    await make(1);
    made += 1;
    return (await keys('event-tail')) === 1;
  });
  await api.createTask({ notes: 'above\u2028below\u2029' });
  await api.createTask({
    notes: 'x'.repeat(LIMITS.eventTailChars / 2),
    description: 'x'.repeat(LIMITS.eventTailChars / 2),
  });
  await expect(stream, 1, made + 2);
  watched.close();
});

test('nothing is lost and nothing comes twice while Redis is flushed, killed and started again', async () => {
  const watched = await createWatched();
  const { make, watch, expect } = watched;
  const stream = await watch();
  await make(30);
  await redis.flushall();
  await make(30);
  await ownRedis.kill();
  await make(30);
  await expect(stream, 1, 90);
  await ownRedis.start();
  await make(30);
  await expect(stream, 91, 120);
  const { history } = parse(stream.lastEventId!);
  await expect(await watch(`${history}-0`), 1, 120);
  watched.close();
});

test('events that Redis does not deliver are read from the log, even when no other event follows', async () => {
  const watched = await createWatched();
  const { make, watch, expect } = watched;
  const stream = await watch();
  await make(10);
  await expect(stream, 1, 10);
  const silent = proxy.connections('');
  assert.ok(silent.length > 0, 'B is not connected to Redis');
  for (const connection of silent) connection.silence('down');
  await make(10);
  await expect(stream, 11, 20);
  assert.ok(
    silent.some(({ heldDown }) => heldDown > 0),
    'Redis sent nothing that was held',
  );
  for (const connection of silent) connection.resume();
  await make(10);
  await expect(stream, 21, 30);
  await assert.rejects(stream.next(200), /no message/);
  watched.close();
});

test('messages that are nonsense or come from no owner appear nowhere', async () => {
  const watched = await createWatched();
  const { organizationId, make, watch, expect } = watched;
  const stream = await watch();
  await make(2);
  await expect(stream, 1, 2);
  const { history } = parse(stream.lastEventId!);
  const channel = `${place.redisPrefix}:${history}:{${organizationId}}:events`;
  for (const message of [
    '',
    'nonsense',
    '1 task.created x {}',
    '9 task.created x {"sequence":9}',
    '3 task.created',
    '{}',
  ])
    await redis.publish(channel, message);
  await make(2);
  await expect(stream, 3, 4);
  await assert.rejects(stream.next(200), /no message/);
  watched.close();
});

function parse(position: string) {
  const [history, sequence] = position.split('-');
  return { history: history!, sequence: Number(sequence) };
}
