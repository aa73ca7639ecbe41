/** A run of a phone number as people type it: `+44 20 7946 0001`, `(030) 123-456`. */
const PHONE = /\+?[(\d][\d\s()./-]{2,}\d/g;
const LEAST_DIGITS = 4;

export interface SearchQuery {
  readonly words: readonly string[];
  /** The numbers in it as digits, and the words beside them; undefined where there is none. */
  readonly phone: { readonly digits: readonly string[]; readonly words: readonly string[] } | undefined;
}

/** The words of a search, in lower case. A phone number may be typed as it is shown, with blanks. */
export function searchQueryOf(typed: string): SearchQuery {
  const text = typed.toLowerCase();
  const digits = (text.match(PHONE) ?? []).map(phoneDigits).filter((found) => found.length >= LEAST_DIGITS);
  const words = wordsOf(text);
  return { words, phone: digits.length === 0 ? undefined : { digits, words: wordsOf(text.replaceAll(PHONE, ' ')) } };
}

/** Whether a task has everything that is looked for. */
export function fits({ words, phone }: SearchQuery, task: { readonly text: string; readonly phones: string }): boolean {
  const hasAll = (wanted: readonly string[]) => wanted.every((word) => task.text.includes(word));
  if (hasAll(words)) return true;
  return phone !== undefined && hasAll(phone.words) && phone.digits.every((number) => task.phones.includes(number));
}

/** Digits alone. A zero in front or in brackets is dialled within a country, and is no part of the number. */
export function phoneDigits(phone: string): string {
  return phone.replaceAll('(0)', '').replaceAll(/\D/g, '').replace(/^0+/, '');
}

function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter(Boolean);
}
