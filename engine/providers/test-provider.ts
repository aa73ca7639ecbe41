import * as v from 'valibot';
import type { ProviderReport } from '../../schema/money/payment.ts';
import { isSigned, signCallback } from '../domain/outbound/callback-signature.ts';
import type { Clock } from '../runtime/clock.ts';
import { BASE64_URL, type RandomSource } from '../runtime/random.ts';
import type { TestCheckout, TestCheckoutKey, TestCheckoutStore } from '../store/payments/test-checkout-store.ts';
import {
  type Callback,
  type PaymentProvider,
  type ProviderCheckout,
  type ProviderNews,
  UntrustedCallbackError,
} from './payment-provider.ts';

export interface TestProviderOptions {
  readonly store: TestCheckoutStore;
  readonly random: RandomSource;
  readonly clock: Clock;
}

/** Below /api/v1, with the session at the end. */
export const TEST_PAGES = '/payments/test-provider/checkout';
const SIGNATURE = 'test-signature';
const SECRET_CHARS = 24;
const SESSION = /^tc_([0-9a-z]{1,11})_([0-9a-z]{1,11})_([A-Za-z0-9_-]{24})$/;

const notice = v.object({ session: v.string(), status: v.picklist(['paid', 'declined', 'expired']) });

/** A payment provider of our own, for installations without one: its page pays at the press of a button. */
export function createTestProvider({ store, random, clock }: TestProviderOptions): PaymentProvider {
  let secret: Promise<string> | undefined;
  return {
    name: 'test',
    async makeCheckout({ organizationId, paymentId, amountMinor, currency, description, returnUrl }) {
      const given = { organizationId, paymentId, amountMinor, currency, description, returnUrl };
      const checkout = await store.make({ ...given, secret: random.text(SECRET_CHARS, BASE64_URL) });
      const providerReference = sessionOf(checkout);
      return { kind: 'checkout-made', providerReference, page: `/api/v1${TEST_PAGES}/${providerReference}` };
    },
    async findOutcome({ reference }) {
      return outcomeOf(known(await store.find(keyOf(reference))));
    },
    async closeCheckout({ reference }) {
      return outcomeOf(known(await store.end(keyOf(reference), 'expired')));
    },
    refund: (checkout, attempt) => refund(store, checkout, attempt),
    async readCallback(callback) {
      secret ??= store.readSecret();
      secret.catch(() => {
        secret = undefined;
      });
      return readNotice(store, callback, await secret, clock.now());
    },
  };
}

/** The callback of the provider for an ended checkout, with its signature header. */
export function noticeOf(checkout: TestCheckout, secret: string, now: number) {
  const body = Buffer.from(JSON.stringify({ session: sessionOf(checkout), status: checkout.status }));
  return { body, headers: { [SIGNATURE]: signCallback({ timestampSeconds: Math.floor(now / 1_000), body, secret }) } };
}

/** The parts of a session's name; undefined for a malformed one. */
export function parseTestSession(text: string): TestCheckoutKey | undefined {
  const [, organization, payment, secret] = SESSION.exec(text) ?? [];
  const [organizationId, paymentId] = [Number.parseInt(organization!, 36), Number.parseInt(payment!, 36)];
  if (secret === undefined || !Number.isSafeInteger(organizationId) || !Number.isSafeInteger(paymentId))
    return undefined;
  return { organizationId, paymentId, secret };
}

function sessionOf({ organizationId, paymentId, secret }: TestCheckoutKey): string {
  return `tc_${organizationId.toString(36)}_${paymentId.toString(36)}_${secret}`;
}

function keyOf(reference: string): TestCheckoutKey {
  const key = parseTestSession(reference);
  if (!key) throw new Error('a checkout of the test provider has a name that is none of its own');
  return key;
}

function known(checkout: TestCheckout | undefined): TestCheckout {
  if (!checkout) throw new Error('the test provider has lost a checkout');
  return checkout;
}

function outcomeOf(checkout: TestCheckout): ProviderReport | undefined {
  const { status, amountMinor, currency } = checkout;
  const providerReference = sessionOf(checkout);
  if (status === 'open') return undefined;
  if (status === 'paid') return { kind: 'paid', providerReference, amountMinor, currency };
  return { kind: 'not-paid', providerReference, reason: status };
}

async function refund(
  store: TestCheckoutStore,
  { reference }: ProviderCheckout,
  attempt: number,
): Promise<ProviderReport> {
  const { organizationId, paymentId, refundAttempt } = known(await store.refund(keyOf(reference), attempt));
  if (refundAttempt === null) return { kind: 'refund-failed', attempt, reason: 'not_paid' };
  return { kind: 'refunded', attempt, refundReference: `tr_${organizationId.toString(36)}_${paymentId.toString(36)}` };
}

/** The provider is asked for the facts: the notice itself only names the place. */
async function readNotice(
  store: TestCheckoutStore,
  { body, header }: Callback,
  secret: string,
  now: number,
): Promise<ProviderNews | undefined> {
  if (!isSigned(header(SIGNATURE) ?? '', { body, secret }, now))
    throw new UntrustedCallbackError('the test provider has not signed this');
  const parsed = v.safeParse(notice, JSON.parse(body.toString()));
  const key = parsed.success ? parseTestSession(parsed.output.session) : undefined;
  const checkout = key && (await store.find(key));
  const report = checkout && outcomeOf(checkout);
  return checkout && report && { organizationId: checkout.organizationId, paymentId: checkout.paymentId, report };
}
