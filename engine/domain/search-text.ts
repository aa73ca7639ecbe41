/** They stand between the parts of a text to look into: no part keeps one, and no search has one. */
const SEPARATORS = ['\u001e', '\u001f'] as const;
/** A search that can mean a phone number. */
const PHONE = /^[\d\s()+-]*\d[\d\s()+-]*$/;
/** Three letters or digits in a row, as the trigrams of the index are made of. */
const HAS_TRIGRAM = /[\p{L}\p{N}]{3}/u;

/** A text without the difference between upper and lower case, as `fold_case` of Postgres makes it. */
export function searchable(text: string): string {
  return withoutSeparators(text).toUpperCase();
}

export function withoutSeparators(text: string): string {
  return SEPARATORS.reduce((rest, separator) => rest.replaceAll(separator, ''), text);
}

/** The digits that a search wants of a phone number; empty where it cannot mean one. */
export function phoneDigitsOf(search: string): string {
  const text = withoutSeparators(search);
  return PHONE.test(text) ? text.replace(/\D/g, '') : '';
}

/** Whether an index of trigrams finds these texts. Without one in each, it would be read from end to end. */
export function hasTrigrams(texts: readonly string[]): boolean {
  return texts.every((text) => HAS_TRIGRAM.test(text));
}

/** A pattern of LIKE that holds the text somewhere. */
export function likePattern(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}
