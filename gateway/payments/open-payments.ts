import type { Engine } from '../../engine/org/start-engine.ts';
import { openProviders, providerNameOf } from '../../engine/providers/open-providers.ts';
import {
  type Callback,
  type PaymentProvider,
  UntrustedCallbackError,
} from '../../engine/providers/payment-provider.ts';
import { noticeOf } from '../../engine/providers/test-provider.ts';
import { warnOfReport } from '../../engine/providers/warn-of-report.ts';
import { sleep, systemClock } from '../../engine/runtime/clock.ts';
import { type Config, publicUrlOf, requireUrl } from '../../engine/runtime/config.ts';
import type { Releaser } from '../../engine/runtime/lifecycle.ts';
import type { Log } from '../../engine/runtime/log.ts';
import { createRandomSource } from '../../engine/runtime/random.ts';
import { type Checkout, findCheckout } from '../../engine/store/payments/checkout-store.ts';
import {
  createTestCheckoutStore,
  type TestCheckout,
  type TestCheckoutKey,
} from '../../engine/store/payments/test-checkout-store.ts';
import { connectPostgres } from '../../engine/store/postgres.ts';
import type { Caller } from '../../schema/commands.ts';
import { ERRORS, type Refusal } from '../../schema/errors.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { CheckoutLink } from '../../schema/money/checkout-link.ts';
import type { ProviderName } from '../../schema/money/payment.ts';

export interface PaymentsOptions {
  readonly config: Config;
  readonly log: Log;
  readonly releaser: Releaser;
  /** Where the gateway listens, once it does. */
  readonly port: () => number;
}

/** The outcome of a callback: accepted, also when it held no news or nothing of ours; or to be sent again. */
export type CallbackOutcome = 'taken' | 'untrusted' | Refusal;

/** The calls open to paying customers, and to the providers. */
export interface Payments {
  /** The provider of new online payments. */
  readonly provider: ProviderName;
  /** Tells the owner of a payment what its provider says. Rejects while Postgres is away. */
  takeCallback(name: ProviderName, callback: Callback, caller: Caller): Promise<CallbackOutcome>;
  /** The target of a link; waits a while for a page that is still being made, unless too many wait. */
  followLink(link: CheckoutLink): Promise<Checkout | undefined>;
  /** The checkouts of the test provider, which only it has. */
  readonly testCheckouts: {
    find(key: TestCheckoutKey): Promise<TestCheckout | undefined>;
    /** Ends one that is open, and has the provider tell us so by a callback. */
    end(key: TestCheckoutKey, status: 'paid' | 'declined'): Promise<TestCheckout | undefined>;
  };
  /** The callbacks since the start. */
  readonly callbackCounts: Readonly<CallbackCounts>;
}

export interface CallbackCounts {
  taken: number;
  untrusted: number;
  refused: number;
}

const clock = systemClock;

export async function openPayments(
  { config, log, releaser, port }: PaymentsOptions,
  engine: Pick<Engine, 'ask'>,
): Promise<Payments> {
  const sql = connectPostgres(requireUrl('DATABASE_URL', config.databaseUrl), {
    name: 'dispatch checkouts',
    connections: LIMITS.checkoutConnections,
    statementTimeoutMs: LIMITS.fetchDeadlineMs,
  });
  releaser.push('postgres (checkouts)', () => sql.end({ timeout: 2 }));
  const store = createTestCheckoutStore(sql);
  const providers = await openProviders({ config, sql, clock, random: createRandomSource() });
  const callbackCounts: CallbackCounts = { taken: 0, untrusted: 0, refused: 0 };
  let waiting = 0;

  /** As a provider elsewhere would: over the network, signed, and with nobody who waits for what comes of it. */
  async function notify(checkout: TestCheckout): Promise<void> {
    const { body, headers } = noticeOf(checkout, await store.readSecret(), clock.now());
    const url = `${publicUrlOf(config, port())}/api/v1/payments/callbacks/test`;
    const signal = AbortSignal.timeout(LIMITS.testCallbackMs);
    const { status } = await fetch(url, { method: 'POST', body, headers, redirect: 'error', signal });
    if (status !== 200) throw new Error(`the callback was answered ${status}`);
  }

  return {
    provider: providerNameOf(config),
    callbackCounts,
    async takeCallback(name, callback, caller) {
      const outcome = await settleCallback(providers[name], callback, caller, engine, log);
      callbackCounts[typeof outcome === 'string' ? outcome : 'refused'] += 1;
      return outcome;
    },
    async followLink(link) {
      const giveUpAt = waiting < LIMITS.checkoutsWaiting ? clock.monotonic() + LIMITS.checkoutWaitMs : 0;
      waiting += 1;
      try {
        for (;;) {
          const checkout = await findCheckout(sql, link);
          const isPreparing = checkout?.status === 'pending' && checkout.page === null;
          if (!isPreparing || clock.monotonic() >= giveUpAt) return checkout;
          await sleep(LIMITS.checkoutPollMs);
        }
      } finally {
        waiting -= 1;
      }
    },
    testCheckouts: {
      find: (key) => store.find(key),
      async end(key, status) {
        const checkout = await store.end(key, status);
        // When it is lost, the workers ask the provider before long.
        if (checkout) await notify(checkout).catch((error) => log.warn({ err: error }, 'a callback was not taken'));
        return checkout;
      },
    },
  };
}

async function settleCallback(
  provider: PaymentProvider | undefined,
  callback: Callback,
  caller: Caller,
  engine: Pick<Engine, 'ask'>,
  log: Log,
): Promise<CallbackOutcome> {
  if (!provider) return 'untrusted';
  try {
    const news = await provider.readCallback(callback);
    if (!news) return 'taken';
    const { organizationId, ...about } = news;
    const answer = await engine.ask(organizationId, { kind: 'settle-payment', ...about, caller });
    warnOfReport(log, news, answer);
    return answer.ok || ERRORS[answer.refusal.code].status < 500 ? 'taken' : answer.refusal;
  } catch (error) {
    if (error instanceof UntrustedCallbackError) return 'untrusted';
    throw error;
  }
}
