import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashSecret, newSecret } from '../../../engine/runtime/secrets.ts';
import { setUserActive } from '../../../engine/store/accounts/operator-store.ts';
import { issueToken } from '../../../engine/store/accounts/user-token-store.ts';
import type { Sql } from '../../../engine/store/postgres.ts';
import type { TokenPurpose } from '../../../schema/accounts/session.ts';
import type { AccountView } from '../../../schema/accounts/user.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { withSql } from '../../support/seeds/seed.ts';
import { until } from '../../support/until.ts';
import { createAgent } from '../agents/agent-place.ts';
import { useGateway } from '../api-fixture.ts';
import { ask } from '../auth/auth-client.ts';

/** Links that were given out before their user, or the organization, became inactive. */

const fixture = useGateway({ organization: { role: 'org_admin' } });
const PASSWORD = 'a few easy words';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
let count = 0;

async function createUser(api = fixture.api) {
  const email = `link${++count}@inactive.example`;
  const { body } = await api.post<AccountView>('/users', { email, name: 'Ada', role: 'dispatcher' });
  return { id: body.data.id, email };
}

interface Link {
  readonly page: 'verify' | 'reset' | 'welcome';
  readonly token: string;
}

const inDatabase = <T>(work: (sql: Sql) => Promise<T>) => withSql(fixture.gateway.databaseUrl, work);

async function mailed(page: Link['page'], purpose: TokenPurpose, email: string): Promise<Link> {
  const issued = await inDatabase((sql) => issueToken(sql, purpose, email, Date.now()));
  assert.ok(issued?.token, `a token for ${email}`);
  return { page, token: issued.token };
}

async function invited(userId: number, api = fixture.api): Promise<Link> {
  const { body } = await api.post<{ url: string }>(`/users/${userId}/invitation`, undefined);
  return { page: 'welcome', token: new URL(body.data.url).searchParams.get('token')! };
}

const linksOf = async ({ id, email }: { id: number; email: string }) => [
  await mailed('verify', 'verify_email', email),
  await mailed('reset', 'reset_password', email),
  await mailed('welcome', 'welcome', email),
  await invited(id),
];

const open = ({ page, token }: Link) => fixture.api.raw({ method: 'GET', path: `/account/${page}?token=${token}` });

function send({ page, token }: Link, password = PASSWORD) {
  const body = new URLSearchParams({ token, password, again: password }).toString();
  return fixture.api.raw<undefined>({ method: 'POST', path: `/account/${page}`, headers: FORM, body });
}

/** Opens a link, sends its form and its call of the API. */
async function statusesOf(link: Link): Promise<number[]> {
  const [opened, sent] = [await open(link), await send(link)];
  const called =
    link.page === 'verify'
      ? await ask(fixture.api, 'verify-email', { token: link.token })
      : await ask(fixture.api, 'password-reset/complete', { token: link.token, password: PASSWORD });
  return [opened.status, sent.status, called.status];
}

async function assertDead(links: readonly Link[], when: string): Promise<void> {
  for (const link of links) assert.deepEqual(await statusesOf(link), [400, 400, 400], `${link.page} ${when}`);
}

async function signsIn(email: string): Promise<number> {
  return (await ask(fixture.api, 'login', { email, password: PASSWORD })).status;
}

const setByRoute = async (id: number, isActive: boolean) => {
  assert.equal((await fixture.api.patch(`/users/${id}`, { isActive })).status, 200);
};

const setByOperator = async (id: number, isActive: boolean) => {
  const { organizationId } = fixture.gateway;
  assert.notEqual(await inDatabase((sql) => setUserActive(sql, { organizationId, id }, isActive)), undefined);
};

for (const [way, setActive] of [
  ['a route', setByRoute],
  ['an operator', setByOperator],
] as const)
  test(`the links of a user end when ${way} makes the user inactive, and do not come back with the account`, async () => {
    const user = await createUser();
    const links = await linksOf(user);
    await setActive(user.id, false);
    await assertDead(links, 'of an inactive user');
    await setActive(user.id, true);
    await assertDead(links, 'after the account came back');
    assert.equal(await signsIn(user.email), 401);
    assert.equal((await send(await invited(user.id))).status, 200, 'a new link works');
    assert.equal(await signsIn(user.email), 200);
  });

test('the links of an agent end with its activity', async () => {
  const agent = await createAgent(fixture.api);
  const links = await linksOf({ id: agent.userId, email: agent.user.email! });
  for (const isActive of [false, true]) {
    assert.equal((await fixture.api.patch(`/agents/${agent.id}`, { isActive })).status, 200);
    await assertDead(links, `isActive ${isActive}`);
  }
});

test('a link that was made beside the deactivation works neither then nor after the account came back', async () => {
  const user = await createUser();
  const links = [
    { page: 'verify', purpose: 'verify_email', token: newSecret('dv_', 40) },
    { page: 'welcome', purpose: 'invitation', token: newSecret('di_', 40) },
  ] as const;
  await setByRoute(user.id, false);
  for (const { purpose, token } of links)
    await inDatabase(
      (sql) => sql`
        INSERT INTO user_tokens (organization_id, user_id, purpose, token_hash, expires_at)
        VALUES (${fixture.gateway.organizationId}, ${user.id}, ${purpose},
          decode(${hashSecret(token)}, 'hex'), now() + interval '1 day')`,
    );
  await assertDead(links, 'of an inactive user');
  await setByRoute(user.id, true);
  await assertDead(links, 'after the account came back');
});

test('a use that waits for a deactivation finds its link dead, and hinders it in nothing', async () => {
  const user = await createUser();
  const links = [
    await mailed('reset', 'reset_password', user.email),
    await mailed('verify', 'verify_email', user.email),
  ];
  const uses = await inDatabase((sql) =>
    sql.begin(async (holder) => {
      await holder`SELECT FROM users WHERE id = ${user.id} FOR UPDATE`;
      const uses = links.map((link) => send(link));
      await inDatabase((other) => untilAccountsWait(other, links.length));
      await holder`UPDATE users SET is_active = false WHERE id = ${user.id}`;
      return { uses };
    }),
  );
  for (const { status } of await Promise.all(uses.uses)) assert.equal(status, 400);
  await setByRoute(user.id, true);
  assert.equal(await signsIn(user.email), 401);
});

function untilAccountsWait(sql: Sql, least: number): Promise<void> {
  return until('the uses wait for the row', async () => {
    const rows = await sql`
      SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'dispatch accounts'
        AND wait_event_type = 'Lock'`;
    return rows.length >= least;
  });
}

test('mails count against their limit after a deactivation too', async () => {
  const user = await createUser();
  for (let i = 0; i < LIMITS.liveTokensPerPurpose; i++) await mailed('reset', 'reset_password', user.email);
  for (const isActive of [false, true]) await setByRoute(user.id, isActive);
  const issued = await inDatabase((sql) => issueToken(sql, 'reset_password', user.email, Date.now()));
  assert.equal(issued, undefined);
});

test('in an organization that is not active a link works, and its page does not promise a login', async () => {
  const { api, organizationId } = await fixture.organization({ role: 'org_admin' });
  const user = await createUser(api);
  const link = await invited(user.id, api);
  const setStatus = (status: string) =>
    inDatabase((sql) => sql`UPDATE organizations SET status = ${status} WHERE organization_id = ${organizationId}`);
  await setStatus('inactive');
  const { status, text } = await send(link);
  assert.equal(status, 200);
  assert.doesNotMatch(text, /sign in now/);
  assert.match(text, /not active at present.*Once it is active, sign in with/);
  const login = await ask(fixture.api, 'login', { email: user.email, password: PASSWORD });
  assert.deepEqual([login.status, login.body.code], [403, 'ORGANIZATION_NOT_ACTIVE']);
  await setStatus('active');
  assert.match((await send(await mailed('reset', 'reset_password', user.email))).text, /You can sign in now, with/);
  assert.equal(await signsIn(user.email), 200);
});
