/** In front of the e-mail address and of the phone number in `customers.search_text` (0005-customers.sql). */
const EMAIL_MARK = '\u001f';
const PHONE_MARK = '\u001e';
/** A search that can mean only a phone number. */
const PHONE = /^[\d\s()+-]*\d[\d\s()+-]*$/;
/** Three letters or digits in a row, as the trigrams of the index are made of. */
const HAS_TRIGRAM = /[\p{L}\p{N}]{3}/u;

/** The patterns to compare with `customers.search_text`: any of these LIKE patterns, not yet folded. */
export interface CustomerSearch {
  readonly patterns: readonly string[];
  /** Without a trigram in every pattern the index of trigrams is of no use: it would be read from end to end. */
  readonly hasTrigrams: boolean;
}

/** A substring of the name, of the e-mail address or, where the search is one, of the digits of the phone number. */
export function customerSearchOf(search: string): CustomerSearch {
  // The parts hold no mark, and a search must not reach from one into the next.
  const text = search.replaceAll(EMAIL_MARK, '').replaceAll(PHONE_MARK, '');
  const digits = PHONE.test(text) ? text.replace(/\D/g, '') : '';
  const parts = [text];
  const patterns = [`%${escapeLike(text)}%`];
  // Digits alone are found in the phone number as in the other parts.
  if (digits !== '' && digits !== text) {
    parts.push(digits);
    patterns.push(`%${PHONE_MARK}%${digits}%`);
  }
  return { patterns, hasTrigrams: parts.every((part) => HAS_TRIGRAM.test(part)) };
}

function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}
