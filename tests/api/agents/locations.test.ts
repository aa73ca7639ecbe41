import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HeartbeatView, PositionView, Tally } from '../../../schema/fleet/position.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { openEventStream } from '../../support/event-stream.ts';
import { type SeededOrganization, seedAgent, seedChannel, seedSession, seedUser } from '../../support/seeds/seed.ts';
import { until } from '../../support/until.ts';
import { useGateway } from '../api-fixture.ts';

interface PositionList {
  readonly items: PositionView[];
  readonly count: number;
}

let shared: Fleet;
const fixture = useGateway({}, async () => {
  shared = await fleet(2);
});

const ago = (ms: number) => new Date(Date.now() - ms).toISOString();
const point = (fields: object = {}) => ({ latitude: 51.5, longitude: -0.13, recordedAt: ago(0), ...fields });

interface Fleet {
  readonly place: SeededOrganization & { readonly api: ApiClient };
  readonly agents: readonly { readonly agentId: number; readonly token: string; readonly api: ApiClient }[];
}

/** An organization of its own with agents who are signed in. */
async function fleet(size: number): Promise<Fleet> {
  const { databaseUrl } = fixture.gateway;
  const place = await fixture.organization();
  const agents: Fleet['agents'][number][] = [];
  for (let index = 0; index < size; index++) {
    const { agentId, userId } = await seedAgent(databaseUrl, place.organizationId);
    const token = await seedSession(databaseUrl, place.organizationId, userId);
    agents.push({ agentId, token, api: fixture.clientOf(token) });
  }
  return { place, agents };
}

async function take(api: ApiClient, points: readonly object[], path = '/agents/me/locations'): Promise<Tally> {
  const reply = await api.post<Tally>(path, { points });
  assert.equal(reply.status, 202, reply.text);
  return reply.body.data;
}

async function current(api: ApiClient, query = ''): Promise<readonly PositionView[]> {
  const reply = await api.get<PositionList>(`/agents/locations/current${query}`);
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.body.data.count, reply.body.data.items.length);
  return reply.body.data.items;
}

test("points are counted by their outcome, and the newest recorded point is the agent's position", async () => {
  const { agents, place } = await fleet(1);
  const { api, agentId } = agents[0]!;
  const points = [
    point({ recordedAt: ago(2_000), latitude: 51.5001 }),
    point({ recordedAt: ago(9_000) }),
    point({ recordedAt: ago(1_000), latitude: 51.5002, accuracy: 4.5, speed: 3, heading: 90, battery: 80 }),
    point({ recordedAt: ago(-LIMITS.pointFutureMs - 3_600_000) }),
    point({ latitude: 0, longitude: 0 }),
  ];
  assert.deepEqual(await take(api, points), { accepted: 2, stale: 1, rejected: 2 });
  const [found] = await current(place.api);
  const { recordedAt, receivedAt, ...rest } = found!;
  assert.deepEqual(rest, {
    agentId,
    latitude: 51.5002,
    longitude: -0.13,
    accuracy: 4.5,
    heading: 90,
    speed: 3,
    isStale: false,
    onDuty: false,
    activeTaskId: null,
  });
  assert.equal(recordedAt, points[2]!.recordedAt);
  assert.ok(receivedAt >= recordedAt);
});

test('every violation is named at once, and nothing of the request is applied', async () => {
  const { agents, place } = await fleet(1);
  const wrong = {
    latitude: 91,
    longitude: '1',
    recordedAt: 'now',
    accuracy: -1,
    speed: 501,
    heading: 361,
    battery: 101,
  };
  const { status, body } = await agents[0]!.api.post('/agents/me/locations', { points: [point(), wrong] });
  assert.equal(status, 400);
  assert.deepEqual(body.message, [
    'points.1.latitude must be between -90 and 90',
    'points.1.longitude must be a number',
    'points.1.recordedAt must be an ISO 8601 date-time with a zone or offset',
    'points.1.accuracy must be between 0 and 100000',
    'points.1.speed must be between 0 and 500',
    'points.1.heading must be between 0 and 360',
    'points.1.battery must be between 0 and 100',
  ]);
  assert.deepEqual(await current(place.api), []);
});

test('a list that is empty, missing or too long is a violation', async () => {
  const { api } = shared.agents[0]!;
  for (const points of [[], undefined, Array.from({ length: LIMITS.pointsOfOneAgent + 1 }, () => point())])
    assert.equal((await api.post('/agents/me/locations', { points })).status, 400);
  const many = Array.from({ length: LIMITS.pointsOfDeviceGateway + 1 }, () => point({ agentId: 1 }));
  assert.equal((await shared.place.api.post('/agents/locations', { points: many })).status, 400);
});

test('a device gateway sends for many agents; unknown ones and those of others are rejected alike', async () => {
  const [{ place, agents }, other] = [await fleet(2), await fleet(1)];
  const points = [
    ...agents.map(({ agentId }) => point({ agentId })),
    point({ agentId: other.agents[0]!.agentId }),
    point({ agentId: 999_999_999 }),
  ];
  assert.deepEqual(await take(place.api, points, '/agents/locations'), { accepted: 2, stale: 0, rejected: 2 });
  assert.deepEqual(
    (await current(place.api)).map(({ agentId }) => agentId),
    agents.map(({ agentId }) => agentId),
  );
  assert.deepEqual(await current(other.place.api), []);
});

test('an agent that is made later is found by its device gateway', async () => {
  const { place } = await fleet(0);
  assert.deepEqual(await take(place.api, [point({ agentId: 1 })], '/agents/locations'), {
    accepted: 0,
    stale: 0,
    rejected: 1,
  });
  const { agentId } = await seedAgent(fixture.gateway.databaseUrl, place.organizationId);
  await until('it is found', async () => {
    const { accepted } = await take(place.api, [point({ agentId })], '/agents/locations');
    return accepted === 1;
  });
  assert.equal((await current(place.api)).length, 1);
});

test('agents may send their own points, and keys with the flag may send for all', async () => {
  const { databaseUrl } = fixture.gateway;
  const { place, agents } = shared;
  const { organizationId } = place;
  const plain = await seedChannel(databaseUrl, organizationId, { locationsWrite: false });
  const dispatcher = await seedUser(databaseUrl, organizationId, 'dispatcher');
  const session = fixture.clientOf(await seedSession(databaseUrl, organizationId, dispatcher.userId));
  const nobody = await seedUser(databaseUrl, organizationId, 'agent');
  const agentless = fixture.clientOf(await seedSession(databaseUrl, organizationId, nobody.userId));
  const cases = [
    ['an agent, its own', agents[0]!.api, '/agents/me/locations', 202],
    ['an agent, for others', agents[0]!.api, '/agents/locations', 403],
    ['a key with the flag', place.api, '/agents/locations', 202],
    ['a key with the flag, as an agent', place.api, '/agents/me/locations', 403],
    ['a key without the flag', fixture.clientOf(plain.key), '/agents/locations', 403],
    ['a dispatcher', session, '/agents/locations', 403],
    ['a user with the role but no agent', agentless, '/agents/me/locations', 404],
  ] as const;
  for (const [who, api, path, status] of cases) {
    const { agentId } = agents[0]!;
    assert.equal((await api.post(path, { points: [point({ agentId })] })).status, status, who);
  }
});

test('an agent that sends too much gets the time to wait, and none of the request is applied', async () => {
  const { agents } = await fleet(1);
  const { api } = agents[0]!;
  const batch = () => Array.from({ length: LIMITS.pointsOfOneAgent }, (_, index) => point({ recordedAt: ago(index) }));
  const statuses: number[] = [];
  let refused: Awaited<ReturnType<ApiClient['post']>> | undefined;
  for (let sent = 0; sent < 2 * LIMITS.pointBurst && !refused; sent += LIMITS.pointsOfOneAgent) {
    const reply = await api.post('/agents/me/locations', { points: batch() });
    statuses.push(reply.status);
    if (reply.status === 429) refused = reply;
  }
  assert.ok(refused, String(statuses));
  assert.deepEqual([refused.body.code, refused.headers['retry-after']], ['RATE_LIMITED', '1']);
});

test('agents see themselves only, and a box shows who is in it, across the antimeridian, too', async () => {
  const { place, agents } = await fleet(2);
  await take(agents[0]!.api, [point({ latitude: -17, longitude: 179.9 })]);
  await take(agents[1]!.api, [point({ latitude: -17, longitude: -179.9 })]);
  const idsIn = async (query: string, api = place.api) => (await current(api, query)).map(({ agentId }) => agentId);
  const [first, second] = agents.map(({ agentId }) => agentId);
  assert.deepEqual(await idsIn('?bbox=179,-18,-179,-16'), [first, second]);
  assert.deepEqual(await idsIn('?bbox=179,-18,180,-16'), [first]);
  assert.deepEqual(await idsIn('?bbox=179.16545867919922,-17.377703999999994,180,-5E-05'), [first]);
  assert.deepEqual(await idsIn('?bbox=0,0,1,1'), []);
  assert.deepEqual(await idsIn(`?agentIds=${second}`), [second]);
  assert.deepEqual(await idsIn('', agents[0]!.api), [first]);
  assert.deepEqual(await idsIn(`?agentIds=${second}`, agents[0]!.api), []);
  for (const bbox of ['1,2,3', '1,2,3,x', '0,10,1,5', '-181,0,1,1', '0,0,0,91'])
    assert.equal((await place.api.get(`/agents/locations/current?bbox=${bbox}`)).status, 400, bbox);
});

test('an unchanged position is not sent again', async () => {
  const { place, agents } = await fleet(1);
  await take(agents[0]!.api, [point()]);
  const { headers } = await place.api.get('/agents/locations/current');
  const again = { 'if-none-match': headers['etag'] };
  assert.equal((await place.api.get('/agents/locations/current', again)).status, 304);
  await take(agents[0]!.api, [point({ recordedAt: ago(-10) })]);
  assert.equal((await place.api.get('/agents/locations/current', again)).status, 200);
});

test('an old position is stale until the agent says that it is still there', async () => {
  const { place, agents } = await fleet(1);
  const { api } = agents[0]!;
  const before = (await api.post<HeartbeatView>('/agents/me/heartbeat', {})).body.data;
  assert.equal(before.recordedAt, null);
  const recordedAt = ago(LIMITS.positionStaleMs + 5_000);
  await take(api, [point({ recordedAt })]);
  assert.equal((await current(place.api))[0]!.isStale, true);
  const { status, body } = await api.post<HeartbeatView>('/agents/me/heartbeat', { battery: 50 });
  assert.equal(status, 200);
  assert.deepEqual([body.data.recordedAt, body.data.isStale], [recordedAt, false]);
  assert.equal((await current(place.api))[0]!.isStale, false);
});

test('streams show the agents that moved, once a tick, inside the requested box', async () => {
  const { place, agents } = await fleet(3);
  const { gateway } = fixture;
  const [near, far, still] = agents;
  const open = (query: string) => openEventStream(gateway.baseUrl, { ...place, query });
  const first = async (stream: Awaited<ReturnType<typeof open>>) => {
    for (;;) {
      const { event, id, data } = await stream.next();
      if (event === 'stream.ready') continue;
      assert.deepEqual([event, id], ['agent.locations_updated', undefined]);
      return (data.data as unknown as PositionList).items.map(({ agentId }) => agentId).sort((a, b) => a - b);
    }
  };
  const all = await open('');
  await take(still!.api, [point({ latitude: 51.4 })]);
  assert.deepEqual(await first(all), [still!.agentId]);
  const streams = {
    all,
    box: await open('bbox=-1,51,1,52'),
    one: await open(`agentIds=${far!.agentId}&types=agent.locations_updated`),
    none: await open('types=task.created'),
  };
  const waiting = Promise.all([first(streams.all), first(streams.box), first(streams.one)]);
  await take(
    place.api,
    [
      point({ agentId: near!.agentId, latitude: 51.0005, recordedAt: ago(20) }),
      point({ agentId: far!.agentId, latitude: 10, recordedAt: ago(20) }),
      point({ agentId: near!.agentId, latitude: 51.0004, recordedAt: ago(10) }),
    ],
    '/agents/locations',
  );
  assert.deepEqual(await waiting, [[near!.agentId, far!.agentId], [near!.agentId], [far!.agentId]]);
  await take(near!.api, [point({ latitude: 50.9995 })]);
  assert.deepEqual(await first(streams.box), [near!.agentId], 'an agent that has left the box is sent once more');
  await assert.rejects(async () => {
    for (;;) assert.equal((await streams.none.next(2_000)).event, 'stream.ready');
  }, /no message within/);
  for (const stream of Object.values(streams)) stream.close();
});
