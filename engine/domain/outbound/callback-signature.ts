import { createHmac, timingSafeEqual } from 'node:crypto';
import { LIMITS } from '../../../schema/limits.ts';

interface SignedCallback {
  readonly timestampSeconds: number;
  /** Exactly as it is sent. */
  readonly body: Uint8Array;
  readonly secret: string;
}

/** The header that vouches for a callback: `t=<seconds since the epoch>,v1=<HMAC-SHA256 of "seconds.body", in hex>`. */
export function signCallback({ timestampSeconds, body, secret }: SignedCallback): string {
  const digest = createHmac('sha256', secret).update(`${timestampSeconds}.`).update(body).digest('hex');
  return `t=${timestampSeconds},v1=${digest}`;
}

/** Whether the owner of the secret has signed this body, not too long ago and not in the future. */
export function isSigned(header: string, { body, secret }: Omit<SignedCallback, 'timestampSeconds'>, now: number) {
  if (!isTimely(header, now)) return false;
  const timestampSeconds = Number(fieldOf(header, 't'));
  const expected = Buffer.from(signCallback({ timestampSeconds, body, secret }));
  const given = Buffer.from(`t=${timestampSeconds},v1=${fieldOf(header, 'v1')}`);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** Whether the time that a signature names is within LIMITS.callbackToleranceSeconds of `now`, either way. */
export function isTimely(header: string, now: number): boolean {
  const seconds = fieldOf(header, 't');
  if (seconds === undefined || !/^\d{1,12}$/.test(seconds)) return false;
  return Math.abs(Math.floor(now / 1_000) - Number(seconds)) <= LIMITS.callbackToleranceSeconds;
}

/** The value of a field; the last one, where there are several. */
function fieldOf(header: string, name: string): string | undefined {
  const pair = header.split(',').findLast((part) => part.startsWith(`${name}=`));
  return pair?.slice(name.length + 1);
}
