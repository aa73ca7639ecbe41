import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PaymentView } from '../../../schema/payment.ts';
import { startTestGateway } from '../../support/gateway.ts';
import { randomName } from '../../support/stores.ts';
import { until } from '../../support/until.ts';
import { usePayments } from './payment-place.ts';
import { type Session, shownSession, stripeEvent } from './stripe-server.ts';

/** Online payments from the request to the ledger: a gateway, the workers' desk and a server that speaks Stripe's API. */

const place = usePayments('stripe');

/** A payment whose checkout is made. */
async function opened(
  amount?: string,
  currency?: string,
): Promise<{ id: number; session: Session; payment: PaymentView }> {
  const { id } = await place.initialize(amount, currency);
  const payment = await place.when(id, ({ providerReference }) => providerReference !== null);
  return { id, payment, session: place.stripe.sessions.get(payment.providerReference!)! };
}

async function callBack(type: string, object: object): Promise<void> {
  const { body, headers } = stripeEvent(type, object);
  const { status, text } = await place.ask('POST', '/api/v1/payments/callbacks/stripe', { body, headers });
  assert.deepEqual([status, text], [200, '{"received":true}']);
}

const completed = (session: Session) => callBack('checkout.session.completed', shownSession(session, false));

test('a customer who follows the link pays at Stripe, and callbacks tell it, twice and in any order', () =>
  place.working(async () => {
    const { id, payment, session } = await opened('1500', 'JPY');
    assert.deepEqual([session.amount_total, session.currency], [1_500, 'jpy']);
    const followed = await place.ask('GET', payment.checkoutUrl!);
    assert.deepEqual([followed.status, followed.headers.location], [303, `https://checkout.stripe.test/${session.id}`]);
    assert.equal(session.success_url, `${place.gateway.baseUrl}${payment.checkoutUrl}?returned=1`);

    const early = { ...shownSession(session, false), status: 'expired' };
    place.stripe.pay(session.id);
    await completed(session);
    await completed(session);
    await callBack('checkout.session.expired', early);
    const { status, amount } = await place.read(id);
    assert.deepEqual([status, amount], ['succeeded', '1500']);
    assert.deepEqual(await place.transfersOf(id), ['payment']);
    assert.match(
      (await place.ask('GET', `${payment.checkoutUrl}?returned=1`)).text,
      /Thank you: 1500 JPY has been paid/,
    );
  }));

test('a payment of which no callback tells is found out about', () =>
  place.working(async () => {
    const { id, session } = await opened();
    place.stripe.pay(session.id);
    await place.hurried('it is known', async () => (await place.read(id)).status === 'succeeded');
    assert.deepEqual(await place.transfersOf(id), ['payment']);
  }));

test('a checkout that runs out fails the payment, and money that comes for it later counts', () =>
  place.working(async () => {
    const { id, session } = await opened();
    session.status = 'expired';
    await callBack('checkout.session.expired', shownSession(session, false));
    const { status, failureReason } = await place.read(id);
    assert.deepEqual([status, failureReason], ['failed', 'expired']);
    place.stripe.pay(session.id);
    await completed(session);
    await place.when(id, (payment) => payment.status === 'succeeded');
  }));

test('what is paid in cash meanwhile closes the checkout, and what comes all the same goes back', () =>
  place.working(async () => {
    const { id, payment, session } = await opened();
    const cash = await place.api.post('/payments/cash', { taskId: payment.taskId, amount: '12.50', currency: 'EUR' });
    assert.equal(cash.status, 201, cash.text);
    await until('the checkout is closed', async () => (await place.stepOf(id)) === null);
    assert.equal(session.status, 'expired');
    assert.equal((await place.read(id)).failureReason, 'superseded');
    // It was on its way.
    place.stripe.pay(session.id);
    await completed(session);
    await place.when(id, ({ status }) => status === 'refunded');
    assert.deepEqual(await place.transfersOf(id), ['payment', 'refund']);
    assert.equal([...place.stripe.refunds.values()].filter((one) => one.metadata['paymentId'] === `${id}`).length, 1);
  }));

test('a payment that is given up before its checkout was made leaves none open', async () => {
  const { id, taskId } = await place.initialize();
  await place.api.put(`/tasks/${taskId}/status`, { status: 'cancelled', reason: 'r' });
  assert.equal((await place.read(id)).failureReason, 'task_cancelled');
  await place.working(() => until('nothing is left to do', async () => (await place.stepOf(id)) === null));
  const open = [...place.stripe.sessions.values()].filter(
    ({ status, metadata }) => metadata['paymentId'] === `${id}` && status === 'open',
  );
  assert.deepEqual(open, []);
});

test('a refund that a bank takes its time for is looked after, and its callbacks may come before anything else', () =>
  place.working(async () => {
    const { id, session } = await opened();
    place.stripe.pay(session.id);
    await completed(session);
    place.stripe.refundStatus = 'pending';
    await place.api.post(`/payments/${id}/refund`, { reason: 'r' });
    await until('it is begun', async () => (await place.stepOf(id)) === 'await_refund');
    place.stripe.refundStatus = 'succeeded';
    const refund = [...place.stripe.refunds.values()].at(-1)!;
    refund.status = 'succeeded';
    await callBack('refund.updated', refund);
    await callBack('refund.created', { ...refund, status: 'pending' });
    assert.equal((await place.read(id)).status, 'refunded');
    assert.deepEqual(await place.transfersOf(id), ['payment', 'refund']);
  }));

test('what Stripe will not charge fails the payment with the reason', () =>
  place.working(async () => {
    const { id } = await place.initialize('0.10');
    const { failureReason } = await place.when(id, ({ status }) => status === 'failed');
    assert.equal(failureReason, 'amount_too_small');
    assert.equal(await place.stepOf(id), null);
  }));

test('while Stripe fails, a step is tried again and says why, and it ends with one checkout', () =>
  place.working(async () => {
    const { mishaps, sessions } = place.stripe;
    for (let i = 0; i < 3; i += 1) mishaps.push({ request: /^POST .*sessions$/, mishap: 'error-500' });
    const { id } = await place.initialize();
    const reasons = new Set<string>();
    await until('its checkout is made', async () => {
      const [step] = await place.steps(id);
      if (step?.lastError) reasons.add(step.lastError);
      if (step?.lastError) await place.hurry();
      return (await place.read(id)).providerReference !== null;
    });
    assert.deepEqual([...reasons], ['oops']);
    assert.equal(mishaps.length, 0);
    assert.equal([...sessions.values()].filter(({ metadata }) => metadata['paymentId'] === `${id}`).length, 1);
  }));

test('a late look is not needed: what is settled by a callback leaves nothing to be done', () =>
  place.working(async () => {
    const { id, session } = await opened();
    place.stripe.pay(session.id);
    await completed(session);
    await place.hurried('its step is forgotten', async () => (await place.steps(id)).length === 0);
    assert.deepEqual(await place.transfersOf(id), ['payment']);
  }));

test('a gateway that cannot ask the owner has the callback sent again', () =>
  place.working(async () => {
    const { id, session } = await opened();
    place.stripe.pay(session.id);
    const { body, headers } = stripeEvent('checkout.session.completed', shownSession(session, false));
    const standby = await startTestGateway({
      place: { ...place.gateway.place, gatewayId: randomName('gateway') },
      environment: place.workerEnvironment,
    });
    try {
      const reply = await fetch(`${standby.baseUrl}/api/v1/payments/callbacks/stripe`, {
        method: 'POST',
        body,
        headers,
      });
      assert.deepEqual([reply.status, reply.headers.get('retry-after')], [503, '1']);
      assert.equal((await place.read(id)).status, 'pending');
    } finally {
      await standby.stop();
    }
    await completed(session);
    assert.equal((await place.read(id)).status, 'succeeded');
  }));
