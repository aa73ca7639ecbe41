import { SignJWT } from 'jose';
import * as v from 'valibot';
import type { Clock } from '../../../engine/runtime/clock.ts';
import type { ServiceAccount } from '../../../engine/runtime/outbound/service-account.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { Answer, Poster } from './bounded-post.ts';

/** There is no access token to be had; the message says why. */
export class AccessError extends Error {
  readonly retryAfterMs: number | undefined;

  constructor(message: string, retryAfterMs: number | undefined) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }
}

export interface GoogleAccess {
  /** A token that is good for a while yet. Rejects with AccessError or NoAnswerError. */
  token(): Promise<string>;
  /** It was refused: the next one is another. */
  forget(token: string): void;
}

const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging';
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
/** How long an assertion is good; Google takes none that is good for longer. */
const ASSERTION_SECONDS = 3_600;

/** Access tokens for a service account (RFC 7523), each used by everybody until shortly before its end. */
export function createGoogleAccess(account: ServiceAccount, poster: Poster, clock: Clock): GoogleAccess {
  let current: { readonly token: string; readonly untilMs: number } | undefined;
  let asking: Promise<string> | undefined;

  async function ask(): Promise<string> {
    const askedMs = clock.now();
    const body = new URLSearchParams({ grant_type: GRANT, assertion: await assertionOf(account, askedMs) }).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await poster.post({ url: new URL(account.tokenUri), headers, body });
    const { access_token: token, expires_in } = parseGrant(answer);
    const lifeMs = expires_in * 1_000;
    current = { token, untilMs: askedMs + Math.max(lifeMs - LIMITS.fcmTokenMarginMs, lifeMs / 2) };
    return token;
  }

  return {
    async token() {
      if (current && clock.now() < current.untilMs) return current.token;
      asking ??= ask().finally(() => {
        asking = undefined;
      });
      return asking;
    },
    forget(token) {
      if (current?.token === token) current = undefined;
    },
  };
}

function assertionOf({ clientEmail, keyId, key, tokenUri }: ServiceAccount, nowMs: number): Promise<string> {
  const issuedAt = Math.floor(nowMs / 1_000);
  return new SignJWT({ scope: SCOPE })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: keyId })
    .setIssuer(clientEmail)
    .setAudience(tokenUri)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + ASSERTION_SECONDS)
    .sign(key);
}

const grantFields = v.object({
  access_token: v.pipe(v.string(), v.regex(/^[\x21-\x7e]+$/)),
  expires_in: v.pipe(v.number(), v.minValue(1)),
});

function parseGrant({ status, text, retryAfterMs }: Answer): v.InferOutput<typeof grantFields> {
  if (status !== 200) throw new AccessError(`the service account was refused: ${status} ${text}`, retryAfterMs);
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), grantFields), text);
  if (!parsed.success) throw new AccessError('the answer for the service account holds no access token', retryAfterMs);
  return parsed.output;
}
