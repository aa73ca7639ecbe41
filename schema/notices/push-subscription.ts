import { ECDH } from 'node:crypto';
import * as v from 'valibot';
import { isStorableText } from '../fields/fields.ts';
import { LIMITS } from '../limits.ts';

/** The push endpoint of a browser, and the keys that only it can read with (RFC 8030, RFC 8291). */
export interface PushSubscription {
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
}

const subscriptionFields = v.object({
  endpoint: v.pipe(v.string(), v.maxLength(LIMITS.pushEndpointChars), v.check(isEndpoint)),
  keys: v.object({ p256dh: v.pipe(v.string(), v.check(isPoint)), auth: v.pipe(v.string(), v.check(isSecret)) }),
});

const AUTH_BYTES = 16;
const POINT_BYTES = 65;

/** The token of a web device: a PushSubscription as JSON.stringify writes it. */
export const webPushToken = v.check<string, string>(
  (text) => findSubscription(text) !== undefined,
  'must be the JSON text of a PushSubscription: an https endpoint, and its keys p256dh and auth in base64url',
);

/** Undefined for what nothing can be sent to. */
export function findSubscription(text: string): PushSubscription | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const parsed = v.safeParse(subscriptionFields, value);
  return parsed.success ? parsed.output : undefined;
}

function isEndpoint(text: string): boolean {
  if (/[\s\p{Cc}]/u.test(text) || !isStorableText(text) || !URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return protocol === 'https:' && username === '' && password === '' && !text.includes('#');
}

function isSecret(text: string): boolean {
  return bytesOf(text)?.length === AUTH_BYTES;
}

/** Whether it is an uncompressed point of P-256: with any other the encryption would fail. */
function isPoint(key: string): boolean {
  const bytes = bytesOf(key);
  if (bytes?.length !== POINT_BYTES) return false;
  try {
    ECDH.convertKey(bytes, 'prime256v1');
    return true;
  } catch {
    return false;
  }
}

/** Undefined for what is not base64url. */
function bytesOf(text: string): Buffer | undefined {
  return /^[A-Za-z0-9_-]+={0,2}$/.test(text) ? Buffer.from(text, 'base64url') : undefined;
}
