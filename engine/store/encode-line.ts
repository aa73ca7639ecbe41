/**
 * Between the lines of a text for `commit_group`. No line contains it: there a quotation mark is doubled, or stands beside
 * a comma or a parenthesis.
 */
export const LINE_SEPARATOR = '\u001e"\u001e';

const NEEDS_QUOTES = /[",\\()]/;

/** A value as Postgres reads it in the text of a composite one, where nothing at all is null. */
export function encodeField(value: unknown): string | number | boolean {
  if (typeof value === 'string') return value === '' || NEEDS_QUOTES.test(value) ? quoted(value) : value;
  return typeof value === 'object' ? quoted(JSON.stringify(value)) : (value as number | boolean);
}

function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '""')}"`;
}
