import { hash } from 'node:crypto';

const DIGEST_CHARS = 22;

/** The strong entity tag of an answer: of its `data` alone, so that it is the same for every asking. */
export function etagOf(data: string): string {
  return `"${hash('sha256', data, 'base64url' as 'base64').slice(0, DIGEST_CHARS)}"`;
}

/** Whether one of these entity tags, compared strongly, is that of `data`; `*` is that of anything there is. */
export function matchesEtag(tags: readonly string[], data: string): boolean {
  return tags.includes('*') || tags.includes(etagOf(data));
}
