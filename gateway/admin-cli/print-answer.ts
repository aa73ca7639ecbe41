import type { Verb } from './verb.ts';

/** Formats an answer for people: a list in columns, one record with a field a line. */
export function printAnswer({ columns }: Pick<Verb, 'columns'>, data: unknown): string {
  if (!columns) return printRecord(data as Readonly<Record<string, unknown>>);
  if (Array.isArray(data)) return printTable(columns, data);
  const { items, count } = data as { items: readonly unknown[]; count: number };
  return `${printTable(columns, items)}${items.length} of ${count}\n`;
}

function printRecord(record: Readonly<Record<string, unknown>>): string {
  const fields = Object.entries(record);
  const width = Math.max(0, ...fields.map(([name]) => name.length));
  return fields.map(([name, value]) => `${name.padEnd(width)}  ${textOf(value)}\n`).join('') || 'done\n';
}

function printTable(columns: readonly string[], items: readonly unknown[]): string {
  if (items.length === 0) return 'none\n';
  const rows = [columns, ...items.map((item) => columns.map((column) => textOf(valueAt(item, column))))];
  const widths = columns.map((_, index) => Math.max(...rows.map((row) => row[index]!.length)));
  const line = (row: readonly string[]) =>
    row
      .map((text, index) => text.padEnd(widths[index]!))
      .join('  ')
      .trimEnd();
  return rows.map((row) => `${line(row)}\n`).join('');
}

function valueAt(item: unknown, path: string): unknown {
  return path.split('.').reduce((value, name) => (value as Record<string, unknown> | null | undefined)?.[name], item);
}

/** Names are their users' choice: what would move the cursor is shown instead of done. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return '–';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return text.replace(/\p{Cc}/gu, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
