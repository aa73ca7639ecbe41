import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signCallback } from '../../../engine/domain/outbound/callback-signature.ts';
import { sampleOf } from '../../support/metrics.ts';
import { until } from '../../support/until.ts';
import { usePayments } from './payment-place.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const CALLBACK = '/api/v1/payments/callbacks/test';

const place = usePayments('test');

/** A payment and the page on which it is paid. */
async function opened() {
  const payment = await place.initialize();
  const { headers, status } = await place.ask('GET', payment.checkoutUrl!);
  assert.equal(status, 303);
  return { ...payment, page: new URL(headers.location!, `http://host${payment.checkoutUrl}`).pathname };
}

const press = (page: string, outcome: string) => place.ask('POST', page, { body: `outcome=${outcome}`, headers: FORM });

test('a customer pays on the page of the test provider, and the money is refunded', () =>
  place.working(async () => {
    const { id, checkoutUrl, page } = await opened();
    const shown = await place.ask('GET', page);
    assert.match(shown.text, /Test payment of 12\.50 EUR/);
    const back = await press(page, 'pay');
    assert.deepEqual([back.status, back.headers.location], [303, `${checkoutUrl}?returned=1`]);
    // By the callback, before the customer is led back.
    assert.equal((await place.read(id)).status, 'succeeded');
    assert.match((await place.ask('GET', back.headers.location!)).text, /Thank you: 12\.50 EUR has been paid/);
    const refund = await place.api.post(`/payments/${id}/refund`, { reason: 'nobody was there' });
    assert.equal(refund.status, 200, refund.text);
    await place.when(id, ({ status }) => status === 'refunded');
    assert.deepEqual(await place.transfersOf(id), ['payment', 'refund']);
    assert.equal(await place.stepOf(id), null);
    assert.match((await place.ask('GET', checkoutUrl!)).text, /12\.50 EUR has been given back/);
  }));

test('a customer who presses a button twice, or another one afterwards, changes nothing more', () =>
  place.working(async () => {
    const { id, page } = await opened();
    await Promise.all([press(page, 'pay'), press(page, 'pay'), press(page, 'pay')]);
    assert.equal((await press(page, 'decline')).status, 303);
    assert.equal((await place.read(id)).status, 'succeeded');
    assert.deepEqual(await place.transfersOf(id), ['payment']);
    assert.match((await place.ask('GET', page)).text, /This payment is paid/);
  }));

test('a payment that is declined has failed', () =>
  place.working(async () => {
    const { id, page, checkoutUrl } = await opened();
    await press(page, 'decline');
    const { status, failureReason } = await place.read(id);
    assert.deepEqual([status, failureReason], ['failed', 'declined']);
    assert.match((await place.ask('GET', checkoutUrl!)).text, /can no longer be paid here/);
  }));

test('a form that says neither pay nor decline does nothing', () =>
  place.working(async () => {
    const { id, page } = await opened();
    for (const body of ['', 'outcome=', 'outcome=paid', '{"outcome":"pay"}']) {
      const { status } = await place.ask('POST', page, { body, headers: FORM });
      assert.equal(status, 400, body);
    }
    assert.equal((await place.ask('POST', page, { body: 'x'.repeat(2_000), headers: FORM })).status, 413);
    assert.equal((await place.read(id)).status, 'pending');
  }));

test('a checkout whose callback was lost is found out about', () =>
  place.working(async () => {
    const { id } = await opened();
    await place.sql`UPDATE test_checkouts SET status = 'paid' WHERE organization_id > 0 AND payment_id = ${id}`;
    await place.hurried('it is known', async () => (await place.read(id)).status === 'succeeded');
  }));

test('a checkout that has run out has failed', () =>
  place.working(async () => {
    const { id, page } = await opened();
    await place.sql`UPDATE test_checkouts SET expires_at = now() WHERE organization_id > 0 AND payment_id = ${id}`;
    await press(page, 'pay');
    const { status, failureReason } = await place.read(id);
    assert.deepEqual([status, failureReason], ['failed', 'expired']);
  }));

test('a checkout that was given up can no longer be paid', () =>
  place.working(async () => {
    const { id, taskId, page } = await opened();
    await place.api.put(`/tasks/${taskId}/status`, { status: 'cancelled', reason: 'r' });
    await until('it is closed', async () => (await place.stepOf(id)) === null);
    await press(page, 'pay');
    assert.equal((await place.read(id)).status, 'failed');
    assert.deepEqual(await place.transfersOf(id), []);
  }));

async function untrustedCount(): Promise<number> {
  const { text } = await place.ask('GET', '/metrics');
  return sampleOf(text, 'dispatch_payment_callbacks_total{result="untrusted"}');
}

test('a callback that is not signed, or long ago, is refused with the same words, and counted', () =>
  place.working(async () => {
    const { id, page } = await opened();
    const [row] = await place.sql<{ secret: string }[]>`SELECT secret FROM test_provider_secret`;
    const body = Buffer.from(JSON.stringify({ session: page.split('/').at(-1), status: 'paid' }));
    const sign = (secondsAgo: number, secret = row!.secret) =>
      signCallback({ timestampSeconds: Math.floor(Date.now() / 1_000) - secondsAgo, body, secret });
    const refused = [undefined, '', 't=1,v1=00', sign(0, 'guessed'), sign(320), sign(-320)];
    const before = await untrustedCount();
    for (const signature of refused) {
      const headers = signature === undefined ? {} : { 'test-signature': signature };
      const { status, body: told } = await place.ask('POST', CALLBACK, { body, headers });
      assert.deepEqual([status, told], [400, { statusCode: 400, message: 'Bad Request', error: 'Bad Request' }]);
    }
    assert.equal(await untrustedCount(), before + refused.length);
    // A genuine one is taken, and believed only as far as the provider's own books agree.
    const { status } = await place.ask('POST', CALLBACK, { body, headers: { 'test-signature': sign(0) } });
    assert.equal(status, 200);
    assert.equal((await place.read(id)).status, 'pending');
  }));

test('a callback that is too large is not read', async () => {
  const { status } = await place.ask('POST', CALLBACK, { body: Buffer.alloc(300_000) });
  assert.equal(status, 413);
});

test('callbacks of a provider that there are no settings for are refused as unsigned ones are', async () => {
  const { status, text } = await place.ask('POST', '/api/v1/payments/callbacks/stripe', { body: '{}' });
  assert.deepEqual([status, text], [400, '{"statusCode":400,"message":"Bad Request","error":"Bad Request"}']);
});
