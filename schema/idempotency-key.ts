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

/** What scopedKeyOf joined; two empty texts of an empty one. A scope holds no line break. */
export function partsOfScopedKey(scopedKey: string): { readonly scope: string; readonly key: string } {
  const end = scopedKey.indexOf('\n');
  return { scope: scopedKey.slice(0, Math.max(0, end)), key: scopedKey.slice(end + 1) };
}
