import type { ProviderName } from '../../schema/money/payment.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Config } from '../runtime/config.ts';
import type { RandomSource } from '../runtime/random.ts';
import { createTestCheckoutStore } from '../store/payments/test-checkout-store.ts';
import type { Sql } from '../store/postgres.ts';
import type { PaymentProvider } from './payment-provider.ts';
import { createTestProvider } from './test-provider.ts';

export interface ProvidersOptions {
  readonly config: Pick<Config, 'stripe'>;
  readonly sql: Sql;
  readonly clock: Clock;
  readonly random: RandomSource;
}

/** The provider of new online payments; earlier ones stay with their own provider. */
export function providerNameOf({ stripe }: Pick<Config, 'stripe'>): ProviderName {
  return stripe ? 'stripe' : 'test';
}

/** The providers that there are settings for; the one of our own is always among them. */
export async function openProviders({
  config,
  sql,
  clock,
  random,
}: ProvidersOptions): Promise<Readonly<Partial<Record<ProviderName, PaymentProvider>>>> {
  const test = createTestProvider({ store: createTestCheckoutStore(sql), random, clock });
  if (!config.stripe) return { test };
  // Stripe's client is a third of all files that a gateway would load.
  const { createStripeProvider } = await import('./stripe-provider.ts');
  return { test, stripe: createStripeProvider({ ...config.stripe, clock }) };
}
