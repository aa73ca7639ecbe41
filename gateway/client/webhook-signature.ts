import type { WebhookEvent } from './document-types.ts';

export interface WebhookRequest {
  /** The headers of the request, as `Headers` or as Node gives them. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The body exactly as it arrived. Parsed and encoded again it has another signature. */
  readonly body: string | Uint8Array;
}

export interface VerifyOptions {
  /** The `secret` of the webhook (`whsec_…`), or several while it is rotated. */
  readonly secret: string | readonly string[];
  /** How old a request may be, and how far ahead. 300 s by default. */
  readonly toleranceSeconds?: number;
  /** Milliseconds since 1970; the clock of this machine by default. */
  readonly now?: () => number;
}

/** A request that is not a webhook of the service. Answer it with 400 and do nothing. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
}

const PREFIX = 'whsec_';
const VERSION = 'v1,';

/**
 * Verifies the signature of a webhook by the Standard Webhooks specification and returns its event. Throws WebhookError
 * when a header is missing, the time is off, or no signature fits. Events arrive at least once: drop ids that you know.
 */
export async function verifyWebhook(
  { headers, body }: WebhookRequest,
  { secret, toleranceSeconds = 300, now = Date.now }: VerifyOptions,
): Promise<WebhookEvent> {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature').split(' ');
  const age = Math.abs(now() / 1_000 - Number(timestamp));
  if (!(age <= toleranceSeconds)) throw new WebhookError(`webhook-timestamp is ${timestamp}: too old, or too new`);

  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), bytes);
  for (const one of typeof secret === 'string' ? [secret] : secret) {
    const key = await keyOf(one);
    for (const signature of signatures) {
      if (signature.startsWith(VERSION) && (await fits(key, signature.slice(VERSION.length), signed)))
        return JSON.parse(new TextDecoder().decode(bytes)) as WebhookEvent;
    }
  }
  throw new WebhookError('no signature of the request fits its body: check the secret, and give the body unchanged');
}

function headerOf(headers: WebhookRequest['headers'], name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  if (typeof value !== 'string' || value === '') throw new WebhookError(`the header ${name} is missing`);
  return value;
}

function joined(head: Uint8Array, rest: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(head.length + rest.length);
  whole.set(head);
  whole.set(rest, head.length);
  return whole;
}

async function keyOf(secret: string) {
  const bytes = bytesOf(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret);
  // Anybody can sign with an empty key.
  if (!bytes?.length)
    throw new TypeError('the secret of the webhook is empty or not base64: give it as the service showed it');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

/** Compares in constant time. */
async function fits(
  key: Awaited<ReturnType<typeof keyOf>>,
  signature: string,
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const bytes = bytesOf(signature);
  return bytes !== undefined && crypto.subtle.verify('HMAC', key, bytes, signed);
}

/** The bytes of a base64 text; undefined when it is none. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
