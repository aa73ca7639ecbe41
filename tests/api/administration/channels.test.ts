import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashSecret } from '../../../engine/runtime/secrets.ts';
import type { ChannelView } from '../../../schema/accounts/channel.ts';
import type { AccountView } from '../../../schema/accounts/user.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { type ApiClient, taskInput } from '../../support/api-client.ts';
import { seedUser, withSql } from '../../support/seeds/seed.ts';
import { useGateway } from '../api-fixture.ts';

type ChannelWithKey = ChannelView & { readonly apiKey: string };
interface ChannelList {
  readonly items: ChannelView[];
  readonly count: number;
}

const fixture = useGateway({ organization: { role: 'org_admin' } });

const API_KEY = /^dk_live_[A-Za-z0-9]{40}$/;

async function createChannel(fields: object = {}, api: ApiClient = fixture.api): Promise<ChannelWithKey> {
  const reply = await api.post<ChannelWithKey>('/channels', { name: 'Web shop', ...fields });
  assert.equal(reply.status, 201, reply.text);
  return reply.body.data;
}

function withoutKey({ apiKey: _apiKey, ...channel }: ChannelWithKey): ChannelView {
  return channel;
}

async function builtIn(api: ApiClient): Promise<ChannelView> {
  const { items } = (await api.get<ChannelList>('/channels')).body.data;
  return items.find(({ isBuiltIn }) => isBuiltIn)!;
}

test('a channel is made with a key that works, shown once and stored as its hash', async () => {
  const { apiKey, ...channel } = await createChannel({ rateLimit: 20, locationsWrite: true });
  assert.match(apiKey, API_KEY);
  const { id, userId, createdAt, updatedAt, ...rest } = channel;
  assert.deepEqual(rest, { name: 'Web shop', status: 'ACTIVE', rateLimit: 20, locationsWrite: true, isBuiltIn: false });
  assert.equal(createdAt, updatedAt);
  assert.deepEqual((await fixture.api.get<ChannelView>(`/channels/${id}`)).body.data, channel);
  const created = await fixture.clientOf(apiKey).createTask();
  assert.equal(created.channelId, id, 'what the key makes is made for its channel');
  const stored = await withSql(
    fixture.gateway.databaseUrl,
    (sql) => sql<{ hash: string }[]>`SELECT encode(key_hash, 'hex') AS hash FROM channels WHERE id = ${id}`,
  );
  assert.deepEqual([...stored], [{ hash: hashSecret(apiKey) }]);
  const user = (await fixture.api.get<AccountView>(`/users/${userId}`)).body.data;
  assert.deepEqual([user.role, user.email, user.firstName, user.lastName], ['integration', null, 'Web', 'shop']);
  assert.notEqual(user.emailVerifiedAt, null, 'without an address there is nothing to verify');
});

test('a channel acts as the user it is tied to', async () => {
  const { databaseUrl, organizationId } = fixture.gateway;
  const { userId } = await seedUser(databaseUrl, organizationId, 'org_admin');
  const { apiKey, id, ...channel } = await createChannel({ userId });
  assert.equal(channel.userId, userId);
  assert.equal((await fixture.clientOf(apiKey).get(`/channels/${id}`)).status, 200);
  const { apiKey: plain } = await createChannel();
  assert.equal((await fixture.clientOf(plain).get('/channels')).status, 403);
});

test('a user who is unknown or elsewhere is refused with the same bytes, and no channel is made', async () => {
  const { databaseUrl } = fixture.gateway;
  const other = await fixture.organization({ role: 'org_admin' });
  const superAdmin = await seedUser(databaseUrl, 0, 'super_admin');
  const before = (await fixture.api.get<ChannelList>('/channels')).body.data.count;
  for (const userId of [999000111, other.userId, superAdmin.userId]) {
    const { status, text } = await fixture.api.post('/channels', { name: 'x', userId });
    assert.equal(status, 404);
    assert.equal(text, `{"statusCode":404,"message":"User with ID ${userId} not found","error":"Not Found"}`);
  }
  assert.equal((await fixture.api.get<ChannelList>('/channels')).body.data.count, before);
});

test('every violation is named at once', async () => {
  const { status, body } = await fixture.api.post('/channels', {
    name: '',
    userId: 0,
    rateLimit: 1.5,
    locationsWrite: 1,
  });
  assert.equal(status, 400);
  assert.deepEqual(body.message, [
    'name must not be empty',
    'userId must be a positive integer',
    'rateLimit must be an integer between 0 and 100000',
    'locationsWrite must be a boolean',
  ]);
  const { id } = await createChannel();
  const changed = await fixture.api.patch(`/channels/${id}`, { status: 'active', rateLimit: 100_001 });
  assert.deepEqual(changed.body.message, [
    'status must be one of: ACTIVE, INACTIVE, SUSPENDED',
    'rateLimit must be an integer between 0 and 100000',
  ]);
});

test('channels are listed newest first, page by page, and no key is ever told again', async () => {
  const { api } = await fixture.organization({ role: 'org_admin' });
  const made: ChannelWithKey[] = [];
  for (let number = 0; number < 3; number++) made.push(await createChannel({ name: `Shop ${number}` }, api));
  const all = await api.get<ChannelList>('/channels');
  assert.deepEqual(all.body.data.items.slice(0, 3), made.toReversed().map(withoutKey));
  assert.equal(all.body.data.count, 5, 'with the one that asks and the built-in one');
  for (const { apiKey } of made) assert.ok(!all.text.includes(apiKey));
  const second = await api.get<ChannelList>('/channels?limit=2&page=2');
  assert.deepEqual(second.body.data.items, all.body.data.items.slice(2, 4));
  for (const bad of ['limit=0', 'page=x']) assert.equal((await api.get(`/channels?${bad}`)).status, 400);
});

test('only the fields that are sent change; null sets the rate limit back to the default', async () => {
  const before = withoutKey(await createChannel({ rateLimit: 7 }));
  const path = `/channels/${before.id}`;
  const first = (await fixture.api.patch<ChannelView>(path, { name: 'Shop', rateLimit: null })).body.data;
  assert.deepEqual(first, { ...before, name: 'Shop', rateLimit: null, updatedAt: first.updatedAt });
  const ignored = { userId: 1, id: 4, isBuiltIn: true, apiKey: 'x', name: null, locationsWrite: null };
  assert.deepEqual((await fixture.api.patch<ChannelView>(path, ignored)).body.data, first);
});

test('a channel that is not active lets nobody in, from the answer on, until it is active again', async () => {
  const { id, apiKey } = await createChannel();
  const api = fixture.clientOf(apiKey);
  for (const status of ['INACTIVE', 'SUSPENDED']) {
    assert.equal((await api.post('/tasks', taskInput())).status, 201);
    assert.equal((await fixture.api.patch(`/channels/${id}`, { status })).status, 200);
    const refused = await api.post('/tasks', taskInput());
    assert.deepEqual([refused.status, refused.body.message], [403, 'Forbidden']);
    assert.equal((await fixture.api.patch(`/channels/${id}`, { status: 'ACTIVE' })).status, 200);
  }
  assert.equal((await api.post('/tasks', taskInput())).status, 201);
});

test('regenerating a key makes a new one that works and the old one fail, from the answer on', async () => {
  const { apiKey: old, ...channel } = await createChannel();
  const client = fixture.clientOf(old);
  assert.equal((await client.list()).status, 200);
  const { status, body } = await fixture.api.post<ChannelWithKey>(`/channels/${channel.id}/regenerate-key`, undefined);
  assert.equal(status, 200);
  const { apiKey, updatedAt, ...rest } = body.data;
  assert.match(apiKey, API_KEY);
  assert.notEqual(apiKey, old);
  assert.deepEqual({ ...rest, updatedAt: channel.updatedAt }, channel);
  assert.equal((await client.list()).status, 401);
  assert.equal((await fixture.clientOf(apiKey).list()).status, 200);
});

test('the built-in channel keeps its status, has no key and no limit for sessions, but may be named', async () => {
  const { id, userId } = await builtIn(fixture.api);
  assert.equal(userId, null);
  const refused = [
    await fixture.api.patch(`/channels/${id}`, { status: 'INACTIVE' }),
    await fixture.api.patch(`/channels/${id}`, { rateLimit: 5 }),
    await fixture.api.post(`/channels/${id}/regenerate-key`, undefined),
  ];
  for (const { status, body } of refused) assert.deepEqual([status, body.code], [409, 'CHANNEL_BUILT_IN']);
  const { body } = await fixture.api.patch<ChannelView>(`/channels/${id}`, {
    ...{ name: 'Office', status: 'ACTIVE', rateLimit: null },
  });
  assert.deepEqual([body.data.name, body.data.status, body.data.isBuiltIn], ['Office', 'ACTIVE', true]);
});

test('If-Match lets a change through only while the channel is as it was read', async () => {
  const { id } = await createChannel();
  const { etag } = (await fixture.api.get(`/channels/${id}`)).headers;
  const change = (name: string) => fixture.api.patch(`/channels/${id}`, { name }, { 'if-match': etag! });
  assert.equal((await change('First')).status, 200);
  const second = await change('Second');
  assert.deepEqual([second.status, second.body.code], [412, 'PRECONDITION_FAILED']);
});

test('a channel beyond the default rate, or without any, is for super admins to give', async () => {
  const { id } = await createChannel({});
  for (const rateLimit of [0, LIMITS.requestsPerSecond + 1]) {
    assert.equal((await fixture.api.post('/channels', { name: 'Fast', rateLimit })).status, 403);
    assert.equal((await fixture.api.patch(`/channels/${id}`, { rateLimit })).status, 403);
  }
  assert.equal((await fixture.api.patch(`/channels/${id}`, { rateLimit: LIMITS.requestsPerSecond })).status, 200);
});
