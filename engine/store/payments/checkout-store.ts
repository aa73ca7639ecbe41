import { timingSafeEqual } from 'node:crypto';
import { LIMITS } from '../../../schema/limits.ts';
import type { CheckoutLink } from '../../../schema/money/checkout-link.ts';
import type { PaymentStatus } from '../../../schema/money/payment.ts';
import { hashSecret } from '../../runtime/secrets.ts';
import type { Sql } from '../postgres.ts';
import { retried } from '../statements.ts';

/** The facts that a checkout link shows its customer. */
export interface Checkout {
  readonly status: PaymentStatus;
  readonly amountMinor: number;
  readonly currency: string;
  /** The provider's payment page; null until it is known. */
  readonly page: string | null;
}

/** The checkout that a link leads to; undefined for an unknown payment and for a wrong token alike. */
export async function findCheckout(
  sql: Sql,
  { organizationId, paymentId, token }: CheckoutLink,
): Promise<Checkout | undefined> {
  const query = () => sql<(Checkout & { checkoutToken: string })[]>`
    SELECT status, amount_minor, currency, checkout_page AS page, checkout_token FROM payments
    WHERE organization_id = ${organizationId} AND id = ${paymentId} AND checkout_token IS NOT NULL`;
  const [found] = await retried(query, LIMITS.fetchDeadlineMs, 'looking for a checkout');
  if (!found) return undefined;
  const { checkoutToken, ...checkout } = found;
  return timingSafeEqual(digestOf(token), digestOf(checkoutToken)) ? checkout : undefined;
}

/** Compares digests, so that the time reveals neither the length nor the text. */
function digestOf(token: string): Buffer {
  return Buffer.from(hashSecret(token));
}
