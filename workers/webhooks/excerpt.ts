import { LIMITS } from '../../schema/limits.ts';

/** The most bytes that the text of an excerpt can take, with any characters. */
export const EXCERPT_BYTES = 4 * LIMITS.webhookExcerptChars;

/** The beginning of an answer as text that Postgres takes; null when there is none. */
export function excerptOf(chunks: readonly Uint8Array[]): string | null {
  const text = Buffer.concat(chunks).toString('utf8').replaceAll('\0', '\uFFFD').slice(0, LIMITS.webhookExcerptChars);
  // The cut may have gone through a character of two units.
  return text.replace(/[\uD800-\uDBFF]$/, '') || null;
}
