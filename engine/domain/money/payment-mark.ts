import { createHash } from 'node:crypto';

const MARK_CHARS = 16;

/**
 * By what records at a provider are known to be about this payment, beside its ids: those repeat when older data is put
 * back, and in two installations with one account. It reveals nothing of the token, which is random in each payment.
 */
export function paymentMark(checkoutToken: string): string {
  return createHash('sha256').update(checkoutToken).digest('hex').slice(0, MARK_CHARS);
}
