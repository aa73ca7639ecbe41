/** A row that is only ever inserted, as JSON. */
export function encodeRecord(record: object): string {
  return `{${encodeFields(record).slice(1)}}`;
}

/**
 * The fields of a record that are not null, each behind a comma. Absent fields become null columns: what is null is
 * neither sent nor parsed. Half the text of JSON.stringify in the same time.
 */
export function encodeFields(record: object): string {
  const fields = record as Readonly<Record<string, unknown>>;
  let json = '';
  for (const key in fields) {
    const value = fields[key];
    if (value === null) continue;
    json += `,"${key}":${typeof value === 'number' ? value : encodeText(value)}`;
  }
  return json;
}

/** What JSON must escape, and what might be long enough for the native encoder to be faster. */
const NEEDS_ESCAPING = /[^ !#-[\]-\u00ff]/;
const SHORT_CHARS = 200;

function encodeText(value: unknown): string {
  const isPlain = typeof value === 'string' && value.length < SHORT_CHARS && !NEEDS_ESCAPING.test(value);
  return isPlain ? `"${value}"` : JSON.stringify(value);
}
