import { createHmac } from 'node:crypto';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;
const HEX = '0123456789abcdef';

/** The signed parts besides the secret. `body` exactly as it is sent. */
interface SignedDelivery {
  readonly id: string;
  readonly timestampSeconds: number;
  readonly body: string | Uint8Array;
  /** The current one and whichever still signs along. */
  readonly secrets: readonly string[];
}

/** `whsec_` and 32 random bytes in base64. */
export function newWebhookSecret(random: { text(length: number, alphabet: string): string }): string {
  return PREFIX + Buffer.from(random.text(2 * SECRET_BYTES, HEX), 'hex').toString('base64');
}

/** The value of `webhook-signature`, one signature for each secret. Source: the Standard Webhooks specification. */
export function signDelivery({ id, timestampSeconds, body, secrets }: SignedDelivery): string {
  const head = `${id}.${timestampSeconds}.`;
  return secrets
    .map((secret) => `v1,${createHmac('sha256', keyOf(secret)).update(head).update(body).digest('base64')}`)
    .join(' ');
}

function keyOf(secret: string): Buffer {
  return Buffer.from(secret.slice(PREFIX.length), 'base64');
}
