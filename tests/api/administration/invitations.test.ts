import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AccountView } from '../../../schema/accounts/user.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { createAgent } from '../agents/agent-place.ts';
import { useGateway } from '../api-fixture.ts';
import { ask } from '../auth/auth-client.ts';

interface Invitation {
  readonly url: string;
  readonly expiresAt: string;
  readonly qr: string;
}

const fixture = useGateway({ organization: { role: 'org_admin' } });
const PASSWORD = 'a few easy words';
let count = 0;

async function createUser(fields: object = {}): Promise<AccountView> {
  const email = `invited${++count}@test.example`;
  const { body } = await fixture.api.post<AccountView>('/users', { email, name: 'Ada', role: 'dispatcher', ...fields });
  return body.data;
}

const invite = (userId: number, headers = {}, api: ApiClient = fixture.api) =>
  api.post<Invitation>(`/users/${userId}/invitation`, undefined, headers);

function spend(url: string): Promise<{ readonly status: number }> {
  const token = new URL(url).searchParams.get('token')!;
  return fixture.api.raw<undefined>({
    method: 'POST',
    path: '/account/welcome',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ token, password: PASSWORD, again: PASSWORD }).toString(),
  });
}

test('an invitation is a link for one use within 24 hours, also as a QR code, after which its user signs in', async () => {
  const user = await createUser();
  const { status, body } = await invite(user.id);
  assert.equal(status, 201);
  const { url, expiresAt, qr } = body.data;
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/account\/welcome\?token=di_[A-Za-z0-9]{40}$/);
  const lifeMs = Date.parse(expiresAt) - Date.now();
  assert.ok(Math.abs(lifeMs - LIMITS.welcomeTokenMs) < 60_000, expiresAt);
  assert.match(qr, /^<svg [^<>]*>\s*(<path [^<>]*\/>\s*)+<\/svg>\s*$/);
  assert.equal((await spend(url)).status, 200);
  assert.equal((await ask(fixture.api, 'login', { email: user.email!, password: PASSWORD })).status, 200);
  assert.equal((await spend(url)).status, 400);
});

test('a new invitation ends the last, of many at once too', async () => {
  const user = await createUser();
  const first = await invite(user.id);
  const many = await Promise.all(Array.from({ length: 6 }, () => invite(user.id)));
  assert.equal((await spend(first.body.data.url)).status, 400);
  const statuses = [];
  for (const { status, body } of many) {
    assert.equal(status, 201);
    statuses.push((await spend(body.data.url)).status);
  }
  assert.deepEqual(statuses.sort(), [200, 400, 400, 400, 400, 400]);
});

test('a repeated request with its key is answered with the same link', async () => {
  const user = await createUser();
  const [one, two] = [await invite(user.id, KEY), await invite(user.id, KEY)];
  assert.deepEqual([two.status, two.body.data], [201, one.body.data]);
  assert.equal(two.headers['idempotency-replayed'], 'true');
});

const KEY = { 'idempotency-key': 'invitation-1' };

test('agents are invited by the ids of their users, and the audit log says who did it, without the link', async () => {
  const agent = await createAgent(fixture.api);
  const { status, body } = await invite(agent.userId);
  assert.equal(status, 201);
  assert.equal((await spend(body.data.url)).status, 200);
  const { email } = agent.user;
  assert.equal((await ask(fixture.api, 'login', { email: email!, password: PASSWORD })).status, 200);
  const log = await fixture.api.get<{ items: { action: string; after: unknown }[] }>(
    `/audit-logs?recordType=user&recordId=${agent.userId}`,
  );
  const invited = log.body.data.items.find(({ action }) => action === 'user.invited');
  assert.deepEqual(invited?.after, { expiresAt: body.data.expiresAt });
  assert.ok(!log.text.includes('di_'));
});

test('nobody is invited who could not sign in, and nobody of another organization', async () => {
  const { api } = fixture;
  const inactive = await createUser();
  assert.equal((await api.patch(`/users/${inactive.id}`, { isActive: false })).status, 200);
  const { body: channel } = await api.post<{ userId: number }>('/channels', { name: 'Shop' });
  for (const userId of [inactive.id, channel.data.userId]) {
    const { status, body } = await invite(userId);
    assert.deepEqual([status, body.code], [409, 'CONFLICT']);
  }
  const other = await fixture.organization({ role: 'org_admin' });
  assert.equal((await invite(inactive.id, {}, other.api)).status, 404);
});
