import { createHash } from 'node:crypto';

const PINS = 10_000;

/**
 * The four digits with which a customer confirms a delivery: its tracking page shows them. They follow from the secret
 * of that page and reveal nothing about it.
 */
export function deliveryPinOf(trackingToken: string): string {
  const digest = createHash('sha256').update(`delivery PIN of ${trackingToken}`).digest();
  return String(digest.readUInt32BE() % PINS).padStart(4, '0');
}
