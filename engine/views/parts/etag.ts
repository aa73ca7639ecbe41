import { hash } from 'node:crypto';

const DIGEST_CHARS = 22;

/** Returns the strong entity tag of a response. It covers only `data`, so it is the same for every request. */
export function etagOf(data: string): string {
  return `"${hash('sha256', data, 'base64url' as 'base64').slice(0, DIGEST_CHARS)}"`;
}

/** Returns whether one of the entity tags matches `data` by strong comparison. `*` matches any data. */
export function matchesEtag(tags: readonly string[], data: string): boolean {
  return tags.includes('*') || tags.includes(etagOf(data));
}
