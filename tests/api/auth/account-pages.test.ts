import assert from 'node:assert/strict';
import { test } from 'node:test';
import { issueToken } from '../../../engine/store/accounts/user-token-store.ts';
import type { TokenPurpose } from '../../../schema/accounts/session.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { ApiHeaders } from '../../support/api-client.ts';
import { seedUser, withSql } from '../../support/seeds/seed.ts';
import { useGateway } from '../api-fixture.ts';
import { ask, BEHIND_PROXY, from } from './auth-client.ts';

const fixture = useGateway({ environment: BEHIND_PROXY });
const FORM = 'application/x-www-form-urlencoded';
const PASSWORD = 'a few easy words';

async function newUser() {
  const { databaseUrl, organizationId } = fixture.gateway;
  const { userId, email } = await seedUser(databaseUrl, organizationId, 'dispatcher');
  await withSql(
    databaseUrl,
    (sql) => sql`UPDATE users SET email_verified_at = NULL, password_hash = NULL
      WHERE organization_id = ${organizationId} AND id = ${userId}`,
  );
  return { userId, email };
}

async function tokenFor(purpose: TokenPurpose, email: string, now = Date.now()): Promise<string> {
  const issued = await withSql(fixture.gateway.databaseUrl, (sql) => issueToken(sql, purpose, email, now));
  return issued!.token!;
}

const open = (page: string, token: string) =>
  fixture.api.raw<undefined>({ method: 'GET', path: `/account/${page}?token=${token}` });
const send = (page: string, fields: Record<string, string>, headers: ApiHeaders = {}) =>
  fixture.api.raw<undefined>({
    method: 'POST',
    path: `/account/${page}`,
    headers: { 'content-type': FORM, ...headers },
    body: new URLSearchParams(fields).toString(),
  });
const both = (token: string, password = PASSWORD, again = password) => ({ token, password, again });
const titleOf = ({ text }: { readonly text: string }) => /<h1>([^<]*)/.exec(text)?.[1];
const DEAD = 'This link does not work any more';

test('opening a link any number of times spends nothing; its form works once', async () => {
  const { email } = await newUser();
  const token = await tokenFor('welcome', email);
  for (let i = 0; i < 3; i++) assert.equal((await open('welcome', token)).status, 200);
  const saved = await send('welcome', both(token));
  assert.deepEqual([saved.status, titleOf(saved)], [200, 'Your password is saved']);
  assert.equal((await ask(fixture.api, 'login', { email, password: PASSWORD })).status, 200);
  for (const reply of [await open('welcome', token), await send('welcome', both(token, 'another password'))])
    assert.deepEqual([reply.status, titleOf(reply)], [400, DEAD]);
  assert.equal((await ask(fixture.api, 'login', { email, password: PASSWORD })).status, 200);
});

test('an address is confirmed by the form of its link, and by nothing less', async () => {
  const { email } = await newUser();
  const token = await tokenFor('verify_email', email);
  assert.equal(titleOf(await open('verify', token)), 'Confirm your e-mail address');
  assert.equal((await open('reset', token)).status, 400, 'which sets no password');
  assert.equal((await send('reset', both(token))).status, 400);
  const done = await send('verify', { token });
  assert.deepEqual([done.status, titleOf(done)], [200, 'Your address is confirmed']);
  assert.equal((await send('verify', { token })).status, 400);
});

test('a link that is unknown, or too old, leads to a page with the form for a new one', async () => {
  const { email } = await newUser();
  const old = await tokenFor('reset_password', email, Date.now() - LIMITS.resetTokenMs);
  for (const page of ['verify', 'reset', 'welcome'])
    for (const token of [old, 'x', '%22%3E%3Cb%3E', 'A'.repeat(500)]) {
      const reply = await open(page, token);
      assert.deepEqual([reply.status, titleOf(reply)], [400, DEAD], `${page} ${token.slice(0, 20)}`);
      assert.match(reply.text, new RegExp(`<form method="post" action="${page}">`));
      assert.match(reply.text, /name="email"/);
    }
});

test('a password that will not do is said on the form, and the link stays good', async () => {
  const { email } = await newUser();
  const token = await tokenFor('reset_password', email);
  for (const [fields, problem] of [
    [both(token, 'short'), 'must be at least 8 characters'],
    [both(token, 'x'.repeat(LIMITS.passwordMaxChars + 1)), 'must be at most 128 characters'],
    [both(token, PASSWORD, 'other words'), 'are not the same'],
    [{ token }, 'must be at least 8 characters'],
  ] as const) {
    const reply = await send('reset', fields);
    assert.equal(reply.status, 400);
    assert.ok(reply.text.includes(problem), problem);
    assert.ok(!reply.text.includes('short"'), 'no password comes back');
  }
  assert.equal((await send('reset', both(token))).status, 200);
});

test('asking for a link is answered alike for every address, and mailed to those that are known', async () => {
  const { email } = await newUser();
  const [known, unknown] = [await send('reset', { email }), await send('reset', { email: 'nobody@example.com' })];
  assert.deepEqual([known.status, titleOf(known), known.text], [200, 'Check your mail', unknown.text]);
  assert.equal((await send('verify', { email })).text, known.text);
  const purposes = await withSql(
    fixture.gateway.databaseUrl,
    (sql) => sql<{ purpose: string }[]>`SELECT purpose FROM mail_requests WHERE email = ${email} ORDER BY purpose`,
  );
  assert.deepEqual([...purposes], [{ purpose: 'reset_password' }, { purpose: 'verify_email' }]);
  assert.equal((await send('reset', { email: 'nobody' })).status, 400);
  assert.equal((await send('reset', {})).status, 400);
});

test('too many requests for mail are refused by a page with the time to wait', async () => {
  const { email } = await newUser();
  const statuses = [];
  for (let i = 0; i <= LIMITS.loginFailuresPerMinute; i++) {
    const { status, headers } = await send('reset', { email }, from('203.0.113.77'));
    statuses.push(status);
    if (status === 429) assert.ok(Number(headers['retry-after']) > 0);
  }
  assert.equal(statuses.at(-1), 429);
});

test('a page loads nothing, runs nothing, is kept nowhere and tells nobody its address', async () => {
  const { email } = await newUser();
  const { headers, text } = await open('welcome', await tokenFor('welcome', email));
  assert.match(
    String(headers['content-security-policy']),
    /^default-src 'none'; style-src 'sha256-[\w+/=]+'; script-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
  );
  const told = ['referrer-policy', 'cache-control', 'x-robots-tag'].map((name) => headers[name]);
  assert.deepEqual(told, ['no-referrer', 'no-store', 'noindex']);
  assert.doesNotMatch(text, /<script|src=|https?:/);
});

test('only a form is accepted', async () => {
  for (const type of ['application/json', 'text/plain', 'multipart/form-data']) {
    const reply = await send('reset', { email: 'nobody@example.com' }, { 'content-type': type });
    assert.equal(reply.status, 415, type);
  }
  const { text } = await send('verify', { token: '"><script>alert(1)</script>' });
  assert.doesNotMatch(text, /<script/);
});
