import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentView } from '../../../schema/fleet/agent.ts';
import { seedUser, withSql } from '../../support/seeds/seed.ts';
import { useGateway } from '../api-fixture.ts';
import { ask, bearer, signIn } from '../auth/auth-client.ts';
import { type AgentList, agentInput, createAgent, dispatchersOf } from './agent-place.ts';

const fixture = useGateway();

const PASSWORD = 'a long enough password';

interface UserRow {
  readonly role: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly isActive: boolean;
  readonly isVerified: boolean;
  readonly hasPassword: boolean;
}

function usersWith(email: string): Promise<UserRow[]> {
  return withSql(fixture.gateway.databaseUrl, async (sql) => [
    ...(await sql<UserRow[]>`
      SELECT role, first_name, last_name, is_active, email_verified_at IS NOT NULL AS is_verified,
        password_hash IS NOT NULL AS has_password FROM users WHERE lower(email) = lower(${email})`),
  ]);
}

test('an agent is answered with its user, active and off duty, and with what it drives', async () => {
  const { api } = await dispatchersOf(fixture);
  const input = agentInput({
    name: ' Amina  Diallo Ba ',
    agentType: 'freelancer',
    vehicle: { type: 'van', maxWeightKg: 900.5, maxPackages: 40 },
    skills: ['cold', 'heavy', 'cold'],
    home: { latitude: 53.55, longitude: 9.99 },
  });
  const { status, body } = await api.post<AgentView>('/agents', input);
  assert.equal(status, 201);
  const { id, userId, createdAt, updatedAt, ...rest } = body.data;
  assert.ok(id > 0 && userId > 0);
  assert.equal(createdAt, updatedAt);
  assert.deepEqual(rest, {
    agentType: 'freelancer',
    user: {
      id: userId,
      firstName: 'Amina',
      lastName: 'Diallo Ba',
      email: input['email'],
      phoneNumber: '3012345678',
      countryCode: '+49',
    },
    isActive: true,
    onDuty: false,
    dutyChangedAt: null,
    offDutyAt: null,
    shift: null,
    vehicle: { type: 'van', maxWeightKg: 900.5, maxVolumeM3: null, maxPackages: 40 },
    skills: ['cold', 'heavy'],
    home: { address: null, latitude: '53.55000000', longitude: '9.99000000' },
  });
  const plain = await createAgent(api);
  assert.deepEqual([plain.vehicle, plain.skills, plain.home], [null, [], null]);
});

test('every violation is named at once', async () => {
  const { api } = await dispatchersOf(fixture);
  const { status, body } = await api.post('/agents', {
    name: ' ',
    email: 'nobody',
    phone: '12',
    password: 'short',
    agentType: 'robot',
    vehicle: { maxWeightKg: -1, maxVolumeM3: '3', maxPackages: 1.5 },
    skills: ['', 7],
    home: { latitude: 91 },
  });
  assert.equal(status, 400);
  assert.deepEqual(body.message, [
    'name must not be empty',
    'email must be an e-mail address',
    'phone must be a possible phone number with its country code',
    'password must be at least 8 characters',
    'agentType must be one of: employee, freelancer',
    'vehicle.type is required',
    'vehicle.maxWeightKg must be a number of 0 or more',
    'vehicle.maxVolumeM3 must be a number',
    'vehicle.maxPackages must be a positive integer',
    'skills.0 must not be empty',
    'skills.1 must be a string',
    'home.latitude must be between -90 and 90',
    'home.longitude is required',
  ]);
  const required = ['name', 'email', 'phone', 'agentType'].map((field) => `${field} is required`);
  assert.deepEqual((await api.post('/agents', {})).body.message, required);
});

test('an agent who is given a password signs in with it at once, and finds itself', async () => {
  const { api } = await dispatchersOf(fixture);
  const made = await createAgent(api, { password: PASSWORD });
  const email = made.user.email!;
  assert.deepEqual(await usersWith(email), [
    { role: 'agent', firstName: 'Amina', lastName: 'Diallo', isActive: true, isVerified: true, hasPassword: true },
  ]);
  const { accessToken } = await signIn(api, { email, password: PASSWORD });
  const self = await api.get<AgentView>('/agents/me', bearer(accessToken));
  assert.deepEqual([self.status, self.body.data], [200, made]);
});

test('an agent without a password is welcomed by a mail to choose one, and does not sign in before', async () => {
  const { api } = await dispatchersOf(fixture);
  const email = (await createAgent(api)).user.email!;
  const [user] = await usersWith(email);
  assert.deepEqual([user!.hasPassword, user!.isVerified], [false, false]);
  const asked = await withSql(
    fixture.gateway.databaseUrl,
    (sql) => sql<{ purpose: string }[]>`SELECT purpose FROM mail_requests WHERE lower(email) = lower(${email})`,
  );
  assert.deepEqual([...asked], [{ purpose: 'welcome' }]);
  assert.equal((await ask(api, 'login', { email, password: PASSWORD })).status, 401);
});

test('an address belongs to one user, in any organization and in any spelling', async () => {
  const { api } = await dispatchersOf(fixture);
  const other = await fixture.organization({ role: 'org_admin' });
  const { email: takenElsewhere } = await seedUser(fixture.gateway.databaseUrl, other.organizationId, 'dispatcher');
  const { user } = await createAgent(api);
  for (const email of [takenElsewhere, takenElsewhere.toUpperCase(), user.email!.toUpperCase()]) {
    const refused = await api.post('/agents', agentInput({ email }));
    assert.deepEqual([refused.status, refused.body.code], [409, 'USER_EMAIL_TAKEN'], email);
  }
  assert.equal((await api.get<AgentList>('/agents')).body.data.count, 1);
  const asUser = await other.api.post('/users', { name: 'Eve', email: user.email, role: 'dispatcher' });
  assert.deepEqual([asUser.status, asUser.body.code], [409, 'USER_EMAIL_TAKEN']);
});

test('of 20 agents at once with one address exactly one is made', async () => {
  const { api, organizationId } = await dispatchersOf(fixture);
  const input = agentInput();
  const replies = await Promise.all(Array.from({ length: 20 }, () => api.post('/agents', input)));
  const told = replies.map(({ status, body }) => `${status} ${body.code ?? ''}`).sort();
  assert.deepEqual(told, ['201 ', ...Array.from({ length: 19 }, () => '409 USER_EMAIL_TAKEN')]);
  assert.equal((await usersWith(String(input['email']))).length, 1);
  const [stored] = await withSql(
    fixture.gateway.databaseUrl,
    (sql) => sql<{ used: number; agents: number }[]>`
      SELECT used, (SELECT count(*) FROM agents WHERE organization_id = ${organizationId}) AS agents
      FROM usage WHERE organization_id = ${organizationId} AND resource = 'agents'`,
  );
  assert.deepEqual(stored, { used: 1, agents: 1 });
});

test('of organizations that make an agent and a user with one address at once exactly one does', async () => {
  const places = await Promise.all(Array.from({ length: 6 }, () => dispatchersOf(fixture, { role: 'org_admin' })));
  for (let round = 0; round < 5; round++) {
    const input = agentInput();
    const user = { name: 'Eve', email: input['email'], role: 'dispatcher' };
    const replies = await Promise.all(
      places.map(({ api }, index) => (index % 3 === 2 ? api.post('/users', user) : api.post('/agents', input))),
    );
    const told = replies.map(({ status, body }) => `${status} ${body.code ?? ''}`).sort();
    assert.deepEqual(told, ['201 ', ...Array.from({ length: 5 }, () => '409 USER_EMAIL_TAKEN')]);
    assert.equal((await usersWith(String(input['email']))).length, 1);
  }
});

test('of 30 agents at once exactly as many are created as the limit allows, and the others get the reason', async () => {
  const { api } = await dispatchersOf(fixture, { limits: { agents: 10 } });
  const replies = await Promise.all(Array.from({ length: 30 }, () => api.post('/agents', agentInput())));
  const refused = replies.filter(({ status }) => status !== 201);
  assert.equal(refused.length, 20);
  for (const { body } of refused) {
    const details = { resource: 'agents', limit: 10, used: 10, remaining: 0, resetsAt: null };
    assert.deepEqual([body.statusCode, body.code, body.details], [403, 'PACKAGE_LIMIT_EXCEEDED', details]);
  }
  const { items, count } = (await api.get<AgentList>('/agents?limit=100')).body.data;
  assert.deepEqual([items.length, count], [10, 10]);
  const gone = await api.patch(`/agents/${items[0]!.id}`, { isActive: false });
  assert.equal(gone.status, 200);
  assert.equal((await api.post('/agents', agentInput())).status, 403, 'who is not active counts, too');
});

test('a retry with its key gets the first answer and creates no second agent; another body gets 422', async () => {
  const { api, organizationId } = await dispatchersOf(fixture);
  const key = { 'idempotency-key': 'one agent' };
  const input = agentInput({ password: PASSWORD });
  const first = await api.post<AgentView>('/agents', input, key);
  const again = await api.post<AgentView>('/agents', input, key);
  assert.deepEqual([first.status, again.status, again.headers['idempotency-replayed']], [201, 201, 'true']);
  assert.deepEqual(again.body.data, first.body.data);
  const other = await api.post('/agents', { ...input, password: `${PASSWORD}!` }, key);
  assert.deepEqual([other.status, other.body.code], [422, 'IDEMPOTENCY_KEY_REUSED']);
  assert.equal((await api.get<AgentList>('/agents')).body.data.count, 1);
  const kept = await withSql(
    fixture.gateway.databaseUrl,
    (sql) => sql<{ key: string; body: string }[]>`
      SELECT key, body FROM idempotency_records WHERE organization_id = ${organizationId}`,
  );
  assert.equal(kept.length, 1);
  assert.notEqual(kept[0]!.key, 'one agent', 'with the key one could guess passwords');
  assert.ok(!kept[0]!.body.includes('argon2'));
});
