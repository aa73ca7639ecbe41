import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { verify } from '@node-rs/argon2';
import type { AccountView } from '../../../schema/accounts/user.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { seedAgent, seedSession, seedUser, withSql } from '../../support/seeds/seed.ts';
import { useGateway } from '../api-fixture.ts';

interface UserList {
  readonly items: AccountView[];
  readonly count: number;
}

const fixture = useGateway({ organization: { role: 'org_admin' } });

const emailOf = (name: string) => `${name}.${randomUUID()}@office.example`;

async function createUser(fields: object = {}, api: ApiClient = fixture.api): Promise<AccountView> {
  const body = { email: emailOf('ada'), name: 'Ada Lovelace', role: 'dispatcher', ...fields };
  const reply = await api.post<AccountView>('/users', body);
  assert.equal(reply.status, 201, reply.text);
  return reply.body.data;
}

function query<T extends object>(text: string, parameters: (string | number)[]): Promise<T[]> {
  return withSql(fixture.gateway.databaseUrl, async (sql) => [...(await sql.unsafe<T[]>(text, parameters))]);
}

test('a user is made active and unverified, and welcomed by mail, or with a password asked to prove the address', async () => {
  const email = emailOf('Grace');
  const { id, createdAt, updatedAt, ...rest } = await createUser({ email, name: ' Grace  Brewster Hopper ' });
  assert.ok(id > 0);
  assert.equal(createdAt, updatedAt);
  assert.deepEqual(rest, {
    email,
    firstName: 'Grace',
    lastName: 'Brewster Hopper',
    role: 'dispatcher',
    isActive: true,
    emailVerifiedAt: null,
  });
  const mailsTo = (address: string) =>
    query<{ purpose: string }>('SELECT purpose FROM mail_requests WHERE email = $1', [address]);
  assert.deepEqual(await mailsTo(email), [{ purpose: 'welcome' }]);
  const withPassword = await createUser({ password: 'correct horse' });
  assert.deepEqual(await mailsTo(withPassword.email!), [{ purpose: 'verify_email' }]);
});

test('a password is kept as an argon2id hash, and none at all is kept as none', async () => {
  const hashOf = async (id: number) => {
    const [row] = await query<{ passwordHash: string | null }>('SELECT password_hash FROM users WHERE id = $1', [id]);
    return row!.passwordHash;
  };
  const hash = await hashOf((await createUser({ password: 'correct horse' })).id);
  assert.match(hash!, /^\$argon2id\$/);
  assert.ok(await verify(hash!, 'correct horse'));
  assert.equal(await hashOf((await createUser()).id), null);
});

test('of many passwords at once from one address those that would wait too long are refused, not queued', async () => {
  const posts = Array.from({ length: 30 }, () =>
    fixture.api.post('/users', { email: emailOf('many'), name: 'Many', role: 'dispatcher', password: 'correct horse' }),
  );
  const replies = await Promise.all(posts);
  const refused = replies.filter(({ status }) => status !== 201);
  assert.ok(refused.length > 0 && refused.length < 30, String(refused.length));
  for (const { status, body, headers } of refused)
    assert.deepEqual([status, body.code, headers['retry-after']], [429, 'RATE_LIMITED', '1']);
});

test('every violation is named at once, and agents and super admins are not made here', async () => {
  const { status, body } = await fixture.api.post('/users', {
    email: 'nobody',
    name: ' ',
    role: 'agent',
    password: '1234567',
  });
  assert.equal(status, 400);
  assert.deepEqual(body.message, [
    'email must be an e-mail address',
    'name must not be empty',
    'role must be one of: integration, dispatcher, org_admin',
    'password must be at least 8 characters',
  ]);
  assert.deepEqual((await fixture.api.post('/users', {})).body.message, [
    'email is required',
    'name is required',
    'role is required',
  ]);
  assert.equal((await fixture.api.post('/users', { email: emailOf('x'), name: 'x', role: 'super_admin' })).status, 400);
});

test('an address that any user has, here or elsewhere, in upper or lower case, is taken', async () => {
  const other = await fixture.organization({ role: 'org_admin' });
  const foreign = await createUser({}, other.api);
  const own = await createUser();
  for (const email of [own.email!, own.email!.toUpperCase(), foreign.email!]) {
    const { status, text } = await fixture.api.post('/users', { email, name: 'Twin', role: 'dispatcher' });
    const message = 'Another user has this e-mail address';
    assert.equal(status, 409);
    assert.equal(text, JSON.stringify({ statusCode: 409, message, error: 'Conflict', code: 'USER_EMAIL_TAKEN' }));
  }
  const [{ count }] = (await query('SELECT count(*) FROM mail_requests WHERE lower(email) = lower($1)', [
    own.email!,
  ])) as [{ count: number }];
  assert.equal(count, 1, 'the owner of the address gets no second mail');
});

test('of twenty users with one address at once exactly one is made', async () => {
  const body = { email: emailOf('rush'), name: 'Rush', role: 'dispatcher' };
  const replies = await Promise.all(Array.from({ length: 20 }, () => fixture.api.post('/users', body)));
  assert.deepEqual(replies.map(({ status }) => status).toSorted(), [201, ...Array(19).fill(409)]);
});

test('users are listed newest first, page by page, and counted exactly', async () => {
  const { api } = await fixture.organization({ role: 'org_admin' });
  const made: AccountView[] = [];
  for (let number = 0; number < 4; number++) made.push(await createUser({ name: `User ${number}` }, api));
  const all = await api.get<UserList>('/users');
  assert.deepEqual(all.body.data.items.slice(0, 4), made.toReversed());
  assert.equal(all.body.data.count, 5, 'with the one behind the key');
  assert.match(all.body.metadata.position, /^[a-z0-9]+-\d+$/);
  const second = await api.get<UserList>('/users?limit=2&page=2');
  assert.deepEqual([second.body.data.items, second.body.data.count], [made.toReversed().slice(2, 4), 5]);
  assert.deepEqual((await api.get<UserList>('/users?page=9000000000')).body.data, {
    items: [],
    count: 5,
    nextCursor: null,
  });
  for (const bad of ['limit=101', 'page=0']) assert.equal((await api.get(`/users?${bad}`)).status, 400);
});

test('only the fields that are sent change, and what is already so writes nothing', async () => {
  const before = await createUser();
  const renamed = await fixture.api.patch<AccountView>(`/users/${before.id}`, { name: 'Countess', role: null });
  assert.equal(renamed.status, 200);
  assert.deepEqual(renamed.body.data, {
    ...before,
    firstName: 'Countess',
    lastName: '',
    updatedAt: renamed.body.data.updatedAt,
  });
  const demoted = await fixture.api.patch<AccountView>(`/users/${before.id}`, { role: 'integration', isActive: false });
  assert.deepEqual([demoted.body.data.role, demoted.body.data.isActive], ['integration', false]);
  const same = await fixture.api.patch<AccountView>(`/users/${before.id}`, { name: 'Countess', isActive: false });
  assert.deepEqual(same.body.data, demoted.body.data);
  const [row] = await query<{ version: number }>('SELECT version FROM users WHERE id = $1', [before.id]);
  assert.equal(row!.version, 3);
});

test('a user with fewer rights loses them from the answer on, by key and by session; an ended session stays ended', async () => {
  const { databaseUrl, organizationId } = fixture.gateway;
  const { userId } = await seedUser(databaseUrl, organizationId, 'org_admin');
  const { apiKey } = (await fixture.api.post<{ apiKey: string }>('/channels', { name: 'Own', userId })).body.data;
  const token = await seedSession(databaseUrl, organizationId, userId);
  const statuses = (path: string) =>
    Promise.all([apiKey, token].map(async (secret) => (await fixture.clientOf(secret).get(path)).status));
  const change = async (fields: object) =>
    assert.equal((await fixture.api.patch(`/users/${userId}`, fields)).status, 200);
  assert.deepEqual(await statuses('/users'), [200, 200]);
  await change({ role: 'dispatcher' });
  assert.deepEqual(await statuses('/users'), [403, 403]);
  assert.deepEqual(await statuses('/tasks'), [200, 200]);
  await change({ isActive: false });
  assert.deepEqual(await statuses('/tasks'), [403, 401]);
  await change({ isActive: true });
  assert.deepEqual(await statuses('/tasks'), [200, 401]);
});

test('an agent stays one, and is not changed as a user', async () => {
  const { databaseUrl, organizationId } = fixture.gateway;
  const { userId } = await seedAgent(databaseUrl, organizationId);
  for (const fields of [{ role: 'org_admin' }, { isActive: false }, { name: 'Eve' }]) {
    const refused = await fixture.api.patch(`/users/${userId}`, fields);
    assert.deepEqual([refused.status, refused.body.code], [409, 'CONFLICT']);
  }
});

test('If-Match lets a change through only while the user is as it was read', async () => {
  const { id } = await createUser();
  const { etag } = (await fixture.api.get(`/users/${id}`)).headers;
  assert.equal((await fixture.api.get(`/users/${id}`, { 'if-none-match': etag! })).status, 304);
  const change = (name: string, tag: string) => fixture.api.patch(`/users/${id}`, { name }, { 'if-match': tag });
  const first = await change('First', etag!);
  assert.equal(first.status, 200);
  const second = await change('Second', etag!);
  assert.deepEqual([second.status, second.body.code], [412, 'PRECONDITION_FAILED']);
  assert.equal((await change('Third', first.headers.etag!)).status, 200, 'the tag of the answer is the tag of a read');
});

test('of changes at once none is lost', async () => {
  const { id } = await createUser();
  const changes = [{ name: 'New Name' }, { role: 'org_admin' }, { isActive: false }];
  const replies = await Promise.all(changes.map((change) => fixture.api.patch(`/users/${id}`, change)));
  for (const { status, text } of replies) assert.equal(status, 200, text);
  const { firstName, role, isActive } = (await fixture.api.get<AccountView>(`/users/${id}`)).body.data;
  assert.deepEqual([firstName, role, isActive], ['New', 'org_admin', false]);
});
