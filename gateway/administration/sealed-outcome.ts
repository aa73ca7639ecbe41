import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { type IdempotencyKey, idempotencyKey } from '../../schema/fields/idempotency-key.ts';
import type { RouteAnswer } from '../route.ts';

/**
 * Answers are kept under their Idempotency-Key, and some hold an API key, of which nothing but a hash may be stored.
 * So they are kept sealed: the text of the Idempotency-Key, which is not stored either, opens them.
 */
const CIPHER = 'aes-256-gcm';
const SALT_BYTES = 16;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const IV_BYTES = 12;
const READABLE_SCOPE_CHARS = 255;

/** Under what an outcome is found: a hash of the whole scope and key, beside a scope that people can read. */
export function placeOf({ scope, key }: IdempotencyKey): { readonly scope: string; readonly keyHash: string } {
  const keyHash = createHash('sha256').update(`${scope}\n${key}`).digest('hex');
  return { scope: scope.slice(0, READABLE_SCOPE_CHARS), keyHash };
}

/** Tells the same payload again. A plain hash would let a short password in it be guessed. */
export function sealedFingerprint({ key, fingerprint }: IdempotencyKey): string {
  return createHmac('sha256', key).update(fingerprint).digest('base64url');
}

/** The same key for a store that keeps what it is given: neither its text nor a plain hash of the payload. */
export function sealedKey(idempotency: IdempotencyKey): IdempotencyKey {
  return idempotencyKey(idempotency.scope, placeOf(idempotency).keyHash, sealedFingerprint(idempotency));
}

export function sealOutcome({ key }: IdempotencyKey, outcome: RouteAnswer): Buffer {
  const salt = randomBytes(SALT_BYTES);
  const cipher = createCipheriv(CIPHER, ...secretsOf(key, salt));
  const text = Buffer.concat([cipher.update(JSON.stringify(outcome), 'utf8'), cipher.final()]);
  return Buffer.concat([salt, cipher.getAuthTag(), text]);
}

/** Throws when it was sealed under another key, or has been changed. */
export function openOutcome({ key }: IdempotencyKey, sealed: Buffer): RouteAnswer {
  const salt = sealed.subarray(0, SALT_BYTES);
  const decipher = createDecipheriv(CIPHER, ...secretsOf(key, salt), { authTagLength: TAG_BYTES });
  decipher.setAuthTag(sealed.subarray(SALT_BYTES, SALT_BYTES + TAG_BYTES));
  const text = Buffer.concat([decipher.update(sealed.subarray(SALT_BYTES + TAG_BYTES)), decipher.final()]);
  return JSON.parse(text.toString('utf8')) as RouteAnswer;
}

/** A key of its own for each salt, so that no pair of key and initialization vector comes twice. */
function secretsOf(key: string, salt: Buffer): [key: Buffer, iv: Buffer] {
  const secrets = Buffer.from(hkdfSync('sha256', key, salt, 'kept outcome', KEY_BYTES + IV_BYTES));
  return [secrets.subarray(0, KEY_BYTES), secrets.subarray(KEY_BYTES)];
}
