import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seedAgent, seedSession } from '../../support/seeds/seed.ts';
import { useGateway } from '../api-fixture.ts';
import { refusalOf, useStreams } from './stream-fixture.ts';

const fixture = useGateway();
const streams = useStreams();

/** An organization with an agent who is signed in, and its streams of positions. */
async function watchedAgent() {
  const { databaseUrl, baseUrl } = fixture.gateway;
  const place = await fixture.organization();
  const { agentId, userId } = await seedAgent(databaseUrl, place.organizationId);
  const agent = fixture.clientOf(await seedSession(databaseUrl, place.organizationId, userId));
  return {
    agentId,
    api: place.api,
    watch: (bbox: string) => streams.watch(baseUrl, { ...place, query: `types=agent.locations_updated&bbox=${bbox}` }),
    async move(latitude: number, longitude: number) {
      const points = [{ latitude, longitude, recordedAt: new Date().toISOString() }];
      assert.equal((await agent.post('/agents/me/locations', { points })).status, 202);
    },
  };
}

type Watched = Awaited<ReturnType<typeof watchedAgent>>;

async function nextPlace(stream: Awaited<ReturnType<Watched['watch']>>): Promise<[number, number, number]> {
  const { data } = (await stream.next()) as unknown as {
    data: { data: { items: { agentId: number; latitude: number; longitude: number }[] } };
  };
  assert.equal(data.data.items.length, 1);
  const { agentId, latitude, longitude } = data.data.items[0]!;
  return [agentId, latitude, longitude];
}

test('any number of viewers watch boxes of their own: none is refused, and each sees the agent', async () => {
  const { agentId, watch, move } = await watchedAgent();
  const other = await watchedAgent();
  const boxes = Array.from(
    { length: 60 },
    (_, index) => `${13 - index / 100},52,${14 + index / 100},${53 + index / 50}`,
  );
  const opened = await Promise.all(boxes.map(watch));
  await other.move(52.6, 13.6);
  await move(52.5, 13.5);
  for (const stream of opened) assert.deepEqual(await nextPlace(stream), [agentId, 52.5, 13.5]);
});

test('a stream and the read of current positions refuse the same boxes', async () => {
  const { api, watch } = await watchedAgent();
  for (const [bbox, what] of [
    ['1,2,3', 'three numbers'],
    ['1,2,3,4,5', 'five numbers'],
    ['1,2,3,x', 'a word'],
    ['0,10,1,5', 'south above north'],
    ['-181,0,1,1', 'west of the antimeridian'],
    ['0,0,0,91', 'north of the pole'],
    ['1e1,0,20,1', 'an exponent'],
    ['0,0,1,1&bbox=0,0,1,1', 'two of them'],
  ] as const) {
    assert.equal((await api.get(`/agents/locations/current?bbox=${bbox}`)).status, 400, what);
    assert.equal((await refusalOf(watch(bbox))).status, 400, what);
  }
});

test('a box with its west east of its east goes across the antimeridian', async () => {
  const { agentId, watch, move } = await watchedAgent();
  const stream = await watch('179,-18,-179,-16');
  for (const longitude of [179.9, -179.9, 180]) {
    await move(-17, longitude);
    assert.deepEqual(await nextPlace(stream), [agentId, -17, longitude]);
  }
});

test('an agent that leaves a box is sent once more, from wherever it is by then', async () => {
  const { agentId, watch, move } = await watchedAgent();
  const stream = await watch('13,52,14,53');
  await move(52.5, 13.5);
  assert.deepEqual(await nextPlace(stream), [agentId, 52.5, 13.5]);
  await move(40, -3);
  assert.deepEqual(await nextPlace(stream), [agentId, 40, -3]);
  await move(40.1, -3);
  await assert.rejects(stream.next(2_500), /no message within/);
});
