import { hasTrigrams, likePattern, phoneDigitsOf, withoutSeparators } from '../../domain/search-text.ts';

/** In front of the phone number in `customers.search_text` (0005-customers.sql). */
const PHONE_MARK = '\u001e';

/** The patterns to compare with `customers.search_text`: any of these LIKE patterns, not yet folded. */
export interface CustomerSearch {
  readonly patterns: readonly string[];
  /** Without a trigram in every pattern the index of trigrams is of no use: it would be read from end to end. */
  readonly hasTrigrams: boolean;
}

/** A substring of the name, of the e-mail address or, where the search is one, of the digits of the phone number. */
export function customerSearchOf(search: string): CustomerSearch {
  // The parts hold no mark, and a search must not reach from one into the next.
  const text = withoutSeparators(search);
  const digits = phoneDigitsOf(search);
  const parts = [text];
  const patterns = [likePattern(text)];
  // Digits alone are found in the phone number as in the other parts.
  if (digits !== '' && digits !== text) {
    parts.push(digits);
    patterns.push(`%${PHONE_MARK}${likePattern(digits)}`);
  }
  return { patterns, hasTrigrams: hasTrigrams(parts) };
}
