/** A retry is told from a second request by these; kept in the commit of the effect. */
export interface IdempotencyKey {
  /** Who sent what where: channel or user, method, canonical path and query. */
  readonly scope: string;
  readonly key: string;
  /** Names the key among all of its organization. */
  readonly scopedKey: string;
  /** Hash of the parsed body, key order and white space ignored. */
  readonly fingerprint: string;
}

export function idempotencyKey(scope: string, key: string, fingerprint: string): IdempotencyKey {
  return { scope, key, scopedKey: scopedKeyOf(scope, key), fingerprint };
}

export function scopedKeyOf(scope: string, key: string): string {
  return `${scope}\n${key}`;
}
