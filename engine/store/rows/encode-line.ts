/**
 * Between the lines of a text for `commit_group`, and between the bodies that go beside them. No line contains it: there a
 * quotation mark is doubled, or stands beside a comma or a parenthesis. No body does: JSON escapes control characters.
 * It has this length because Postgres looks for it in steps of its length, or by single bytes where it is one.
 */
export const SEPARATOR = `\u001e"${'\u001e'.repeat(14)}`;

const NEEDS_QUOTES = /[",\\()]/;

/** A value as Postgres reads it in the text of a composite one, where nothing at all is null. */
export function encodeField(value: unknown): string | number | boolean {
  if (typeof value === 'string') return value === '' || NEEDS_QUOTES.test(value) ? quoted(value) : value;
  return typeof value === 'object' ? quoted(JSON.stringify(value)) : (value as number | boolean);
}

function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '""')}"`;
}
