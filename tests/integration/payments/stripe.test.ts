import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PaymentView } from '../../../schema/money/payment.ts';
import { createApiClient } from '../../support/api-client.ts';
import { randomName } from '../../support/stores.ts';
import { startTestGateway } from '../../support/system/gateway.ts';
import { until } from '../../support/until.ts';
import { usePayments } from './payment-place.ts';
import { type Session, shownSession, stripeEvent } from './stripe-server.ts';

/** Online payments from the request to the ledger: a gateway, the workers' runner and a server that speaks Stripe's API. */

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

test('a payment in cash in the meantime closes the checkout, and a late card payment is refunded', () =>
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

/** The audit entries of a payment, the newest first: its refund as `status reason`. */
async function auditOf(id: number): Promise<string[]> {
  type Line = { readonly after: { readonly refund: { readonly status: string; readonly reason: string } | null } };
  const { body } = await place.api.get<{ items: Line[] }>(`/payments/${id}/audit-logs`);
  return body.data.items.map(({ after: { refund } }) => (refund ? `${refund.status} ${refund.reason}` : 'none'));
}

async function eventsOf(id: number): Promise<string[]> {
  const rows = await place.sql<{ type: string }[]>`
    SELECT type FROM events WHERE organization_id > 0 AND type LIKE 'payment.%' AND body LIKE ${`%"id":${id},%`}
    ORDER BY sequence`;
  return rows.map(({ type }) => type);
}

test('another sum than was agreed fails the payment and is given back, without touching the books', () =>
  place.working(async () => {
    const { id, session } = await opened();
    Object.assign(session, { amount_total: 999 });
    place.stripe.pay(session.id);
    await completed(session);
    const { status, failureReason } = await place.when(id, ({ refund }) => refund?.status === 'succeeded');
    assert.deepEqual([status, failureReason], ['failed', 'amount_mismatch']);
    const refunds = [...place.stripe.refunds.values()].filter((one) => one.metadata['paymentId'] === `${id}`);
    assert.deepEqual(
      refunds.map(({ amount }) => amount),
      [999],
    );
    assert.deepEqual(await place.transfersOf(id), []);
    assert.deepEqual(await eventsOf(id), ['payment.failed', 'payment.refunded']);
    const taken = 'taken instead: 999 minor units of EUR';
    assert.deepEqual((await auditOf(id)).slice(0, 3), [`succeeded ${taken}`, `pending ${taken}`, 'none']);
    await completed(session);
    assert.equal(
      (await place.api.post(`/payments/${id}/refund`, { reason: 'r' })).body.code,
      'PAYMENT_ALREADY_REFUNDED',
    );
    assert.deepEqual(await place.transfersOf(id), []);
  }));

/** A payment that was paid, at Stripe and here. */
async function paid() {
  const { id, session } = await opened();
  place.stripe.pay(session.id);
  await completed(session);
  await place.when(id, ({ status }) => status === 'succeeded');
  return { id, session, intent: session.intent!.id };
}

const charge = (intent: string) => ({ object: 'charge', id: 'ch_1', payment_intent: intent });

test("a refund in Stripe's dashboard is a refund here, once", () =>
  place.working(async () => {
    const { id, session, intent } = await paid();
    const refund = place.stripe.giveBack(session.id);
    await Promise.all([
      callBack('charge.refunded', charge(intent)),
      callBack('refund.created', refund),
      callBack('refund.updated', refund),
    ]);
    const { status, refund: seen } = await place.read(id);
    assert.deepEqual([status, seen?.reason], ['refunded', 'refunded_at_provider']);
    assert.deepEqual(await place.transfersOf(id), ['payment', 'refund']);
    assert.deepEqual(await eventsOf(id), ['payment.succeeded', 'payment.refunded']);

    Object.assign(refund, { status: 'failed', failure_reason: 'lost_or_stolen_card' });
    await callBack('refund.failed', refund);
    const { status: after, refund: lost } = await place.read(id);
    assert.deepEqual([after, lost?.failureReason], ['succeeded', 'lost_or_stolen_card']);
    assert.deepEqual(await place.transfersOf(id), ['payment', 'refund', 'refund']);
  }));

test('a refund that Stripe could not pay out pays its task again, in place of a checkout that is open', () =>
  place.working(async () => {
    const { id, intent } = await paid();
    await place.api.post(`/payments/${id}/refund`, { reason: 'wrong' });
    const { taskId } = await place.when(id, ({ status }) => status === 'refunded');
    const next = await place.api.post<PaymentView>('/payments/initialize', { taskId, amount: 5 });
    assert.equal(next.status, 201, next.text);
    const { id: later } = next.body.data;
    await place.when(later, ({ providerReference }) => providerReference !== null);

    const refund = [...place.stripe.refunds.values()].find((one) => one.payment_intent === intent)!;
    Object.assign(refund, { status: 'failed', failure_reason: 'lost_or_stolen_card' });
    await callBack('refund.failed', refund);
    const { status, failureReason } = await place.read(later);
    assert.deepEqual([(await place.read(id)).status, status, failureReason], ['succeeded', 'failed', 'superseded']);
    const task = await place.api.get<{ paymentId: number }>(`/tasks/${taskId}`);
    assert.equal(task.body.data.paymentId, id);
    const again = await place.api.post<{ code: string }>('/payments/cash', { taskId, amount: 5 });
    assert.match(again.text, /TASK_ALREADY_PAID/);
    await until('the checkout is closed', async () => (await place.stepOf(later)) === null);
  }));

test('a refund of ours and one by hand at the same time are one', () =>
  place.working(async () => {
    const { id, session, intent } = await paid();
    place.stripe.giveBack(session.id);
    const [asked] = await Promise.all([
      place.api.post(`/payments/${id}/refund`, { reason: 'r' }),
      callBack('charge.refunded', charge(intent)),
    ]);
    assert.ok([200, 409].includes(asked.status), asked.text);
    await place.when(id, ({ status }) => status === 'refunded');
    await until('nothing is left to do', async () => (await place.stepOf(id)) === null);
    assert.deepEqual(await place.transfersOf(id), ['payment', 'refund']);
    assert.equal([...place.stripe.refunds.values()].filter((one) => one.payment_intent === intent).length, 1);
  }));

test('a part that somebody gives back is noted, and the rest can be refunded', () =>
  place.working(async () => {
    const { id, session, intent } = await paid();
    const part = place.stripe.giveBack(session.id, 500);
    for (let i = 0; i < 2; i += 1) await callBack('charge.refunded', charge(intent));
    const { status, refund } = await place.read(id);
    assert.deepEqual([status, refund?.failureReason], ['succeeded', 'partial: 500 of 1250 minor units']);
    assert.deepEqual(await place.transfersOf(id), ['payment']);
    assert.deepEqual((await auditOf(id)).slice(0, 2), ['failed refunded_at_provider', 'none']);
    await place.api.post(`/payments/${id}/refund`, { reason: 'the rest' });
    await place.when(id, (payment) => payment.status === 'refunded');
    const amounts = [...place.stripe.refunds.values()].filter((one) => one.payment_intent === intent);
    assert.deepEqual(
      amounts.map(({ amount }) => amount),
      [500, 750],
    );
    assert.deepEqual(await place.transfersOf(id), ['payment', 'refund']);

    Object.assign(part, { status: 'failed', failure_reason: 'lost_or_stolen_card' });
    await callBack('refund.failed', part);
    assert.equal((await place.read(id)).status, 'refunded', 'by the refund of the rest');
  }));

test('a charge that Stripe refuses fails the payment with the reason', () =>
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
      const there = createApiClient(standby);
      const reply = await there.raw({ method: 'POST', path: '/api/v1/payments/callbacks/stripe', body, headers });
      there.close();
      assert.deepEqual([reply.status, reply.headers['retry-after']], [503, '1']);
      assert.equal((await place.read(id)).status, 'pending');
    } finally {
      await standby.stop();
    }
    await completed(session);
    assert.equal((await place.read(id)).status, 'succeeded');
  }));
