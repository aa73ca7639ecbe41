import { createTestProvider, noticeOf, parseTestSession } from '../../../engine/providers/test-provider.ts';
import { systemClock } from '../../../engine/runtime/clock.ts';
import { createRandomSource } from '../../../engine/runtime/random.ts';
import { createTestCheckoutStore } from '../../../engine/store/payments/test-checkout-store.ts';
import type { Caller } from '../../../schema/commands.ts';
import type { ProviderName } from '../../../schema/money/payment.ts';
import { SECRET_KEY, stripeEvent, WEBHOOK_SECRET } from '../../integration/payments/stripe-server.ts';
import { withSql } from '../../support/seeds/seed.ts';
import { type Cast, idOf, ORDER } from './walk-cast.ts';

/** Settings of a gateway that knows Stripe's callbacks. The walk calls nothing at Stripe. */
export const STRIPE_SETTINGS = { STRIPE_SECRET_KEY: SECRET_KEY, STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET };

/** Two online payments: one at Stripe, one at the provider of our own. */
export async function walkOnlinePayments(cast: Cast): Promise<void> {
  await walkStripe(cast);
  await walkTestProvider(cast);
}

const SUM = { amount: '19.90', currency: 'EUR' };
const SUM_MINOR = 1_990;

async function walkStripe(cast: Cast): Promise<void> {
  const { admin, organizationId } = cast;
  const taskId = idOf(await admin('POST', '/tasks', { ...ORDER, name: 'A kettle' }));
  const payment = await admin('POST', '/payments/initialize', { taskId, ...SUM });
  const paid = stripeEvent('checkout.session.completed', {
    id: 'cs_1',
    object: 'checkout.session',
    status: 'complete',
    payment_status: 'paid',
    amount_total: SUM_MINOR,
    currency: 'eur',
    payment_intent: 'pi_1',
    metadata: { organizationId: `${organizationId}`, paymentId: `${idOf(payment)}` },
  });
  await callBack(cast, 'stripe', paid);
}

const SYSTEM: Caller = { type: 'system', id: null, channelId: 0, role: 'system', agentId: null };

/** From the link of the payment to the report that it was paid. */
async function walkTestProvider(cast: Cast): Promise<void> {
  const { admin, fixture, organizationId, recorder } = cast;
  const { ask, baseUrl, databaseUrl } = fixture.gateway;
  const taskId = idOf(await admin('POST', '/tasks', { ...ORDER, name: 'A teapot' }));
  // A gateway that knows Stripe asks for new payments there.
  const payment = { kind: 'pay-task', method: 'online', provider: 'test', input: { taskId, ...SUM } } as const;
  await ask(organizationId, { ...payment, caller: SYSTEM });
  const { items } = await admin('GET', `/payments?taskId=${taskId}`);
  const [{ id: paymentId, checkoutUrl }] = items as [{ readonly id: number; readonly checkoutUrl: string }];
  await withSql(databaseUrl, async (sql) => {
    const store = createTestCheckoutStore(sql);
    const provider = createTestProvider({ store, random: createRandomSource(), clock: systemClock });
    // The next two steps are those of the workers.
    const report = await provider.makeCheckout({
      ...{ organizationId, paymentId, mark: 'mark', amountMinor: SUM_MINOR, currency: SUM.currency },
      ...{ description: 'A teapot', returnUrl: `${baseUrl}${checkoutUrl}?returned=1` },
    });
    await ask(organizationId, { kind: 'settle-payment', paymentId, report, caller: SYSTEM });
    const { location } = (await recorder.open(checkoutUrl)).headers;
    const page = new URL(location!, `${baseUrl}${checkoutUrl}`).pathname;
    await recorder.open(page);
    await recorder.submit(page, { outcome: 'pay' });
    const paid = await store.find(parseTestSession(page.slice(page.lastIndexOf('/') + 1))!);
    await callBack(cast, 'test', noticeOf(paid!, await store.readSecret(), systemClock.now()));
  });
}

/** Calls the gateway as a provider does, with its signature. */
async function callBack(
  { recorder }: Cast,
  provider: ProviderName,
  { body, headers }: ReturnType<typeof stripeEvent | typeof noticeOf>,
): Promise<void> {
  const path = `/api/v1/payments/callbacks/${provider}`;
  await recorder.send({ method: 'POST', path, headers: { 'content-type': 'application/json', ...headers }, body });
}
