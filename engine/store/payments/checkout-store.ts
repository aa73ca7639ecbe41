import { timingSafeEqual } from 'node:crypto';
import { type Letterhead, type LetterheadSource, letterheadOf } from '../../../schema/accounts/letterhead.ts';
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
  readonly letterhead: Letterhead;
}

/** The checkout that a link leads to; undefined for an unknown payment and for a wrong token alike. */
export async function findCheckout(
  sql: Sql,
  { organizationId, paymentId, token }: CheckoutLink,
): Promise<Checkout | undefined> {
  const query = () => sql<(Omit<Checkout, 'letterhead'> & { checkoutToken: string } & LetterheadSource)[]>`
    SELECT p.status, p.amount_minor, p.currency, p.checkout_page AS page, p.checkout_token, o.name, o.settings
    FROM payments p JOIN organizations o ON o.organization_id = p.organization_id
    WHERE p.organization_id = ${organizationId} AND p.id = ${paymentId} AND p.checkout_token IS NOT NULL`;
  const [found] = await retried(query, LIMITS.fetchDeadlineMs, 'looking for a checkout');
  if (!found) return undefined;
  const { checkoutToken, name, settings, ...checkout } = found;
  const isRight = timingSafeEqual(digestOf(token), digestOf(checkoutToken));
  return isRight ? { ...checkout, letterhead: letterheadOf({ name, settings }) } : undefined;
}

/** Compares digests, so that the time reveals neither the length nor the text. */
function digestOf(token: string): Buffer {
  return Buffer.from(hashSecret(token));
}
