import { hash } from 'node:crypto';
import { LIMITS } from '../limits.ts';
import type { Shown } from './shown-as.ts';

/** The identity of a retry, kept in the commit of the effect. */
export interface IdempotencyKey {
  /** The caller, the method and the target, as scopeOf writes them. */
  readonly scope: string;
  readonly key: string;
  /** Names the key among all of its organization. */
  readonly scopedKey: string;
  /** Hash of the parsed body, key order and white space ignored. */
  readonly fingerprint: string;
}

const PRINTABLE_ASCII = /^[\x20-\x7e]+$/;

/** Whether a caller may name a key so: 1 to 255 printable ASCII characters. */
export function isIdempotencyKey(key: string): boolean {
  return key.length <= LIMITS.idempotencyKeyChars && PRINTABLE_ASCII.test(key);
}

/** The same in the words of JSON Schema. */
export const IDEMPOTENCY_KEY_SHOWN: Shown = {
  type: 'string',
  minLength: 1,
  maxLength: LIMITS.idempotencyKeyChars,
  pattern: PRINTABLE_ASCII.source,
};

export function idempotencyKey(scope: string, key: string, fingerprint: string): IdempotencyKey {
  return { scope, key, scopedKey: scopedKeyOf(scope, key), fingerprint };
}

/**
 * The scope of a key: `caller` ("channel:2") sent `method` to `target`, the canonical path and query. Long targets
 * become a digest: scopes stand in an index, whose entries have a bound.
 */
export function scopeOf(caller: string, method: string, target: string): string {
  const isLong = target.length > LIMITS.idempotencyTargetChars;
  return `${caller} ${method} ${isLong ? `sha256:${hash('sha256', target, 'base64url')}` : target}`;
}

export function scopedKeyOf(scope: string, key: string): string {
  return `${scope}\n${key}`;
}

/** The parts that scopedKeyOf joined; two empty texts for an empty one. A scope holds no line break. */
export function partsOfScopedKey(scopedKey: string): { readonly scope: string; readonly key: string } {
  const end = scopedKey.indexOf('\n');
  return { scope: scopedKey.slice(0, Math.max(0, end)), key: scopedKey.slice(end + 1) };
}
