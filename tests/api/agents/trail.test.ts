import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TrailPoint } from '../../../schema/fleet/trail.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { ApiClient, ApiReply } from '../../support/api-client.ts';
import { type SeededOrganization, seedAgent, seedSession, withSql } from '../../support/seeds/seed.ts';
import { until } from '../../support/until.ts';
import { useGateway } from '../api-fixture.ts';

interface Trail {
  readonly items: TrailPoint[];
  readonly count: number;
  readonly nextCursor: string | null;
}

const fixture = useGateway();
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A whole second two hours ago. */
const START_MS = Math.floor(Date.now() / 1_000) * 1_000 - 2 * HOUR_MS;

const iso = (ms: number) => new Date(ms).toISOString();

/** An agent that was recorded at these moments, whose latitude counts them. */
async function agentWith(moments: readonly number[]) {
  const { databaseUrl } = fixture.gateway;
  const owner = await fixture.organization();
  const { agentId, userId } = await seedAgent(databaseUrl, owner.organizationId);
  await writeTrail(owner, agentId, moments);
  return { ...owner, agentId, userId, path: `/agents/${agentId}/trail` };
}

function writeTrail(
  { organizationId }: Pick<SeededOrganization, 'organizationId'>,
  agentId: number,
  at: readonly number[],
) {
  const times = `{${at.map(iso).join(',')}}`;
  return withSql(
    fixture.gateway.databaseUrl,
    (sql) => sql`
      INSERT INTO agent_trail (organization_id, agent_id, recorded_at, received_at, latitude, longitude, speed)
      SELECT ${organizationId}, ${agentId}, at, now(), n, 2.5, 3.1 FROM unnest(${times}::timestamptz[])
        WITH ORDINALITY AS t (at, n)`,
  );
}

async function readAll(api: ApiClient, path: string): Promise<readonly [items: TrailPoint[], counts: Set<number>]> {
  const items: TrailPoint[] = [];
  const counts = new Set<number>();
  for (let cursor: string | null = ''; cursor !== null; ) {
    const reply: ApiReply<Trail> = await api.get<Trail>(`${path}&cursor=${cursor}`);
    assert.equal(reply.status, 200, reply.text);
    const { data } = reply.body;
    items.push(...data.items);
    counts.add(data.count);
    cursor = data.nextCursor;
  }
  return [items, counts];
}

test('a trail is listed oldest first, with null for values that the device did not send', async () => {
  const { api, path } = await agentWith([START_MS + 5_250, START_MS]);
  const { status, body } = await api.get<Trail>(path);
  const rest = { longitude: 2.5, accuracy: null, speed: 3.1, heading: null, altitude: null, battery: null };
  assert.equal(status, 200);
  assert.deepEqual(body.data, {
    items: [
      { latitude: 2, ...rest, recordedAt: iso(START_MS) },
      { latitude: 1, ...rest, recordedAt: iso(START_MS + 5_250) },
    ],
    count: 2,
    nextCursor: null,
  });
});

test('pages follow one another without a gap, each with the count of the whole span', async () => {
  // Three in each second, of which the first counts.
  const moments = Array.from(
    { length: 30 },
    (_, index) => START_MS + Math.floor(index / 3) * 1_000 + (index % 3) * 300,
  );
  const { api, path } = await agentWith(moments);
  for (const limit of [1, 3, 9, 10, 11]) {
    const [items, counts] = await readAll(api, `${path}?limit=${limit}`);
    assert.deepEqual(
      items.map(({ recordedAt }) => Date.parse(recordedAt) - START_MS),
      Array.from({ length: 10 }, (_, index) => index * 1_000),
      `pages of ${limit}`,
    );
    assert.deepEqual(counts, new Set([10]));
  }
});

test('a page that is read later goes on in the span of the first one', async () => {
  const { api, path, agentId, organizationId } = await agentWith([START_MS, START_MS + 1_000, START_MS + 2_000]);
  const first = (await api.get<Trail>(`${path}?limit=1`)).body.data;
  await writeTrail({ organizationId }, agentId, [START_MS + 1_500, START_MS + 3_000, Date.now() + HOUR_MS]);
  const next = (await api.get<Trail>(`${path}?cursor=${first.nextCursor}`)).body.data;
  assert.deepEqual(
    next.items.map(({ recordedAt }) => Date.parse(recordedAt) - START_MS),
    [1_000, 2_000, 3_000],
  );
  assert.deepEqual([next.count, next.nextCursor], [3, null]);
});

test('without a span it is that of the last 24 hours; from and to narrow or widen it, to being outside', async () => {
  const now = Date.now();
  const { api, path } = await agentWith([now - 25 * HOUR_MS, now - 23 * HOUR_MS, now - HOUR_MS]);
  const at = async (query: string) => {
    const { items, count } = (await api.get<Trail>(`${path}?${query}`)).body.data;
    assert.equal(count, items.length);
    return items.map(({ latitude }) => latitude);
  };
  assert.deepEqual(await at(''), [2, 3]);
  assert.deepEqual(await at(`from=${iso(now - 2 * DAY_MS)}`), [1, 2, 3]);
  assert.deepEqual(await at(`to=${iso(now - 2 * HOUR_MS)}`), [1, 2]);
  assert.deepEqual(await at(`from=${iso(now - 23 * HOUR_MS)}&to=${iso(now - HOUR_MS)}`), [2]);
});

test('a span that ends before it begins, or at once, holds no points', async () => {
  const { api, path } = await agentWith([START_MS, START_MS + 1_000]);
  const [from, to] = [iso(START_MS + 1_000), iso(START_MS)];
  for (const query of [`from=${from}&to=${to}`, `from=${to}&to=${to}`, `from=${iso(Date.now() + HOUR_MS)}`]) {
    const { status, body } = await api.get<Trail>(`${path}?${query}`);
    assert.deepEqual([status, body.data], [200, { items: [], count: 0, nextCursor: null }], query);
  }
});

test('a span that is too long, and a cursor of another list are refused with 400', async () => {
  const { api, path, agentId, organizationId } = await agentWith([START_MS, START_MS + 1_000]);
  const from = iso(START_MS);
  const { nextCursor } = (await api.get<Trail>(`${path}?limit=1&from=${from}`)).body.data;
  const wrong: Record<string, string> = {
    [`from=${iso(Date.now() - 32 * DAY_MS)}`]: 'to must be at most 31 days after from',
    'from=yesterday': 'from must be an ISO 8601 date-time with a zone or offset',
    'limit=0': `limit must be an integer between 1 and ${LIMITS.trailPageSize}`,
    [`limit=${LIMITS.trailPageSize + 1}`]: `limit must be an integer between 1 and ${LIMITS.trailPageSize}`,
    'cursor=x': 'cursor must be the nextCursor of a trail of this agent with the same from and to',
    [`cursor=${nextCursor}&from=${iso(START_MS + 1)}`]:
      'cursor must be the nextCursor of a trail of this agent with the same from and to',
  };
  for (const [query, violation] of Object.entries(wrong)) {
    const reply = await api.get<Trail>(`${path}?${query}`);
    assert.deepEqual([reply.status, reply.body.message], [400, [violation]], query);
  }
  assert.equal((await api.get<Trail>(`${path}?cursor=${nextCursor}&from=${from}`)).status, 200);
  const { agentId: otherId } = await seedAgent(fixture.gateway.databaseUrl, organizationId);
  assert.notEqual(otherId, agentId);
  const other = await api.get<Trail>(`/agents/${otherId}/trail?cursor=${nextCursor}`);
  assert.deepEqual(
    [other.status, other.body.message],
    [400, ['cursor must be the nextCursor of a trail of this agent with the same from and to']],
  );
});

test('an agent reads its own trail, also as `me`, and no other', async () => {
  const { api, path, agentId, organizationId, userId } = await agentWith([START_MS]);
  const { databaseUrl } = fixture.gateway;
  const { agentId: otherId } = await seedAgent(databaseUrl, organizationId);
  const agent = fixture.clientOf(await seedSession(databaseUrl, organizationId, userId));
  const own = await agent.get<Trail>(path);
  assert.deepEqual([own.status, own.body.data.count], [200, 1]);
  assert.deepEqual((await agent.get<Trail>('/agents/me/trail')).body.data, own.body.data);
  const refused = await agent.get(`/agents/${otherId}/trail`);
  const unknown = await agent.get('/agents/999000111/trail');
  assert.deepEqual([refused.status, refused.body.message], [404, `Agent with ID ${otherId} not found`]);
  assert.deepEqual([unknown.status, unknown.body.message], [404, 'Agent with ID 999000111 not found']);
  assert.equal((await api.get('/agents/me/trail')).status, 404, 'a caller that is no agent has no trail');
  assert.equal((await fixture.api.get(`/agents/${agentId}/trail`)).status, 404, "another organization's agent");
});

test('points that a device sends late, twice and out of order are in its trail about a second later', async () => {
  const { organizationId, agentId, userId, path, api } = await agentWith([]);
  const agent = fixture.clientOf(await seedSession(fixture.gateway.databaseUrl, organizationId, userId));
  const points = [3_000, 0, 3_000, 1_400, 1_200].map((ms) => ({
    latitude: 1,
    longitude: 2,
    recordedAt: iso(START_MS + ms),
  }));
  const sent = await agent.post('/agents/me/locations', { points });
  assert.equal(sent.status, 202, sent.text);
  const expected = [0, 1_200, 3_000];
  let found: number[] = [];
  await until('the trail has them all', async () => {
    const { items } = (await api.get<Trail>(path)).body.data;
    found = items.map(({ recordedAt }) => Date.parse(recordedAt) - START_MS);
    return found.length >= expected.length;
  });
  assert.deepEqual(found, expected, `the trail of agent ${agentId}`);
});
