import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiHeaders } from '../../support/api-client.ts';
import { usePayments } from './payment-place.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

const place = usePayments('test');

/** Where a browser goes from an address of ours. */
const ledTo = (from: string, { location }: ApiHeaders) => new URL(location as string, `http://host${from}`).pathname;

test('a link whose page is not made yet says so, waits for it, and tells the browser to come again', async () => {
  const { checkoutUrl } = await place.initialize();
  const waiting = await place.ask('GET', checkoutUrl!);
  assert.equal(waiting.status, 200);
  assert.match(waiting.text, /is being made/);
  assert.match(waiting.text, /<meta http-equiv="refresh" content="3">/);
  const followed = place.ask('GET', checkoutUrl!);
  await place.working(async () => {
    const { status, headers } = await followed;
    assert.equal(status, 303);
    assert.match(ledTo(checkoutUrl!, headers), /^\/api\/v1\/payments\/test-provider\/checkout\/tc_/);
  });
});

test('a link leads on below the path at which the customer has reached it', () =>
  place.working(async () => {
    const { id, checkoutUrl } = await place.initialize();
    await place.when(id, ({ providerReference }) => providerReference !== null);
    const bare = checkoutUrl!.replace('/api/v1', '');
    for (const address of [checkoutUrl!, bare]) {
      const { headers } = await place.ask('GET', address);
      // A proxy has taken `/shop` off.
      const page = ledTo(`/shop${address}`, headers);
      assert.match(page, /^\/shop\/(api\/v1\/)?payments\/test-provider\/checkout\/tc_/);
      assert.match((await place.ask('GET', page.replace('/shop', ''))).text, /Test payment of 12\.50 EUR/);
    }
  }));

test('a customer who comes back before the result sees a page that says to wait, and may go on paying', () =>
  place.working(async () => {
    const { id, checkoutUrl } = await place.initialize();
    await place.when(id, ({ providerReference }) => providerReference !== null);
    const { status, text } = await place.ask('GET', `${checkoutUrl}?returned=1`);
    assert.equal(status, 200);
    assert.match(text, /Not confirmed yet/);
    assert.ok(text.includes(`href="${checkoutUrl!.split('/').at(-1)}"`));
  }));

test('a link with another token is as unknown as one of no payment, byte for byte', async () => {
  const { checkoutUrl } = await place.initialize();
  const link = checkoutUrl!.split('/').at(-1)!;
  const [organization, payment, token] = link.split('.') as [string, string, string];
  const other = `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`;
  const told = new Set<string>();
  for (const wrong of [
    `${organization}.${payment}.${other}`,
    `${organization}.${payment}.${token.slice(1)}`,
    `${organization}.zzzz.${token}`,
    `zzzz.${payment}.${token}`,
    `${organization}.${payment}`,
    `${organization}.${payment}.`,
    `${organization}.${payment}.%00`,
    'x',
  ]) {
    const { status, text } = await place.ask('GET', `/api/v1/payments/checkout/${wrong}`);
    assert.equal(status, 404, wrong);
    told.add(text);
  }
  assert.equal(told.size, 1);
});

test('the payment of another organization is not found under a token of its own', async () => {
  const { checkoutUrl } = await place.initialize();
  const [, payment, token] = checkoutUrl!.split('/').at(-1)!.split('.');
  const { status } = await place.ask('GET', `/api/v1/payments/checkout/2.${payment}.${token}`);
  assert.equal(status, 404);
});

test('a session of the test provider opens to every client with its full name', () =>
  place.working(async () => {
    const { checkoutUrl } = await place.initialize();
    const { headers } = await place.ask('GET', checkoutUrl!);
    const page = ledTo(checkoutUrl!, headers);
    assert.equal((await place.ask('GET', page)).status, 200);
    const wrong = `${page.slice(0, -1)}${page.endsWith('A') ? 'B' : 'A'}`;
    for (const method of ['GET', 'POST'])
      assert.equal((await place.ask(method, wrong, { body: 'outcome=pay', headers: FORM })).status, 404);
    assert.match((await place.ask('GET', page)).text, /value="pay"/, 'nobody else has paid it');
  }));

test('pages load nothing, run nothing, are framed by nobody and tell nobody where they are', () =>
  place.working(async () => {
    const { checkoutUrl } = await place.initialize();
    const redirect = await place.ask('GET', checkoutUrl!);
    const shown = await place.ask('GET', ledTo(checkoutUrl!, redirect.headers));
    const { 'content-security-policy': policy, ...headers } = shown.headers;
    assert.match(
      policy as string,
      /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; script-src 'none'; form-action 'self'; base-uri/,
    );
    assert.match(policy as string, /frame-ancestors 'none'$/);
    assert.equal(headers['content-type'], 'text/html; charset=utf-8');
    for (const { headers: each } of [shown, redirect]) {
      assert.equal(each['referrer-policy'], 'no-referrer');
      assert.equal(each['cache-control'], 'no-store');
    }
    assert.doesNotMatch(shown.text, /<script|javascript:|\son\w+=|src=/i);
  }));
