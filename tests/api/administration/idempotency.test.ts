import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { ChannelView } from '../../../schema/accounts/channel.ts';
import type { ApiReply } from '../../support/api-client.ts';
import { seedChannel, withSql } from '../../support/seeds/seed.ts';
import { useGateway } from '../api-fixture.ts';

/** Retries of administration: docs/contract.md §1 "Idempotency", for what no actor decides. */

type ChannelWithKey = ChannelView & { readonly apiKey: string };

const fixture = useGateway({ organization: { role: 'org_admin' } });

function isReplayed({ headers }: ApiReply<unknown>): boolean {
  return headers['idempotency-replayed'] === 'true';
}

async function countOf(path: '/users' | '/channels'): Promise<number> {
  return (await fixture.api.get<{ count: number }>(path)).body.data.count;
}

function newUser() {
  return {
    email: `${randomUUID()}@office.example`,
    name: 'Ada Lovelace',
    role: 'dispatcher',
    password: 'correct horse',
  };
}

test('a retry gets the first answer, its key included, and makes no second channel', async () => {
  const key = { 'idempotency-key': randomUUID() };
  const first = await fixture.api.post<ChannelWithKey>('/channels', { name: 'Once', rateLimit: 5 }, key);
  const before = await countOf('/channels');
  const again = await fixture.api.post<ChannelWithKey>('/channels', { rateLimit: 5, name: 'Once' }, key);
  assert.deepEqual([again.status, again.body.data], [201, first.body.data]);
  assert.deepEqual([first, again].map(isReplayed), [false, true]);
  assert.equal(await countOf('/channels'), before);
  assert.equal((await fixture.clientOf(again.body.data.apiKey).list()).status, 200);
});

test('a retry of a regeneration makes no other key', async () => {
  const { body } = await fixture.api.post<ChannelWithKey>('/channels', { name: 'Shop' });
  const key = { 'idempotency-key': 'regenerate-1' };
  const ask = () => fixture.api.post<ChannelWithKey>(`/channels/${body.data.id}/regenerate-key`, undefined, key);
  const first = await ask();
  const again = await ask();
  assert.equal(first.status, 200, first.text);
  assert.deepEqual([again.status, again.body.data, isReplayed(again)], [200, first.body.data, true]);
  assert.equal((await fixture.clientOf(first.body.data.apiKey).list()).status, 200);
});

test('of twenty requests at once with one key one makes the user, and all get its answer', async () => {
  const before = await countOf('/users');
  const { password: _password, ...user } = newUser();
  const key = { 'idempotency-key': randomUUID() };
  const replies = await Promise.all(Array.from({ length: 20 }, () => fixture.api.post('/users', user, key)));
  for (const { status, body } of replies) assert.deepEqual([status, body.data], [201, replies[0]!.body.data]);
  assert.equal(replies.filter((reply) => !isReplayed(reply)).length, 1);
  assert.equal(await countOf('/users'), before + 1);
});

test('another payload under the same key is refused, another caller has keys of its own', async () => {
  const key = { 'idempotency-key': randomUUID() };
  assert.equal((await fixture.api.post('/channels', { name: 'One' }, key)).status, 201);
  const { status, body } = await fixture.api.post('/channels', { name: 'Two' }, key);
  assert.deepEqual([status, body.code], [422, 'IDEMPOTENCY_KEY_REUSED']);
  const { databaseUrl, organizationId } = fixture.gateway;
  const colleague = fixture.clientOf((await seedChannel(databaseUrl, organizationId, { role: 'org_admin' })).key);
  const other = await colleague.post('/channels', { name: 'Two' }, key);
  assert.deepEqual([other.status, isReplayed(other)], [201, false]);
});

test('refusals that were decided on the records are kept: a 404, a 409 and a 412', async () => {
  const user = newUser();
  const { id } = (await fixture.api.post<{ id: number }>('/users', user)).body.data;
  const asks = [
    () => fixture.api.patch('/users/999000111', { name: 'x' }, { 'idempotency-key': 'kept-404' }),
    () => fixture.api.post('/users', user, { 'idempotency-key': 'kept-409' }),
    () => fixture.api.patch(`/users/${id}`, { name: 'x' }, { 'idempotency-key': 'kept-412', 'if-match': '"x"' }),
  ];
  for (const [index, ask] of asks.entries()) {
    const first = await ask();
    const again = await ask();
    assert.equal(first.status, [404, 409, 412][index]);
    assert.deepEqual([again.text, isReplayed(first), isReplayed(again)], [first.text, false, true]);
  }
});

test('a change that changes nothing is kept, too', async () => {
  const { id } = (await fixture.api.post<ChannelView>('/channels', { name: 'Same' })).body.data;
  const rename = (name: string, key: object = {}) =>
    fixture.api.patch<ChannelView>(`/channels/${id}`, { name }, { ...key });
  const key = { 'idempotency-key': 'same-1' };
  const first = await rename('Same', key);
  await rename('Other');
  const again = await rename('Same', key);
  assert.deepEqual([again.body.data, isReplayed(again)], [first.body.data, true]);
});

test('validation errors are not kept', async () => {
  const key = { 'idempotency-key': randomUUID() };
  assert.equal((await fixture.api.post('/channels', { name: '' }, key)).status, 400);
  assert.equal((await fixture.api.post('/channels', { name: 'Now right' }, key)).status, 201);
});

test('a key is free again after 24 hours', async () => {
  const key = { 'idempotency-key': 'a day later' };
  const ask = (name: string) => fixture.api.post<ChannelWithKey>('/channels', { name }, key);
  const first = await ask('Old');
  const age = (hours: number) =>
    withSql(
      fixture.gateway.databaseUrl,
      (sql) => sql`
        UPDATE kept_outcomes SET at = now() - ${hours} * interval '1 hour'
        WHERE organization_id = ${fixture.gateway.organizationId} AND status = 201`,
    );
  await age(23.9);
  assert.deepEqual((await ask('Old')).body.data, first.body.data);
  await age(24.1);
  const second = await ask('New');
  assert.deepEqual([second.status, isReplayed(second)], [201, false]);
  assert.deepEqual((await ask('New')).body.data, second.body.data);
});

test('a kept answer reveals neither the new key, nor the password, nor the Idempotency-Key', async () => {
  const key = randomUUID();
  const channel = await fixture.api.post<ChannelWithKey>('/channels', { name: 'Secret' }, { 'idempotency-key': key });
  const user = newUser();
  assert.equal((await fixture.api.post('/users', user, { 'idempotency-key': key })).status, 201);
  const [row] = await withSql(
    fixture.gateway.databaseUrl,
    (sql) => sql<{ count: number; text: string }[]>`
      SELECT count(*), string_agg(k::text || encode(sealed, 'escape') || encode(key_hash, 'escape'), '') AS text
      FROM kept_outcomes k WHERE organization_id = ${fixture.gateway.organizationId}`,
  );
  assert.ok(row!.count >= 2);
  for (const secret of [channel.body.data.apiKey, user.password, user.email, key, 'apiKey'])
    assert.ok(!row!.text.includes(secret), secret);
});
