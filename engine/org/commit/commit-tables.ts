import { SEPARATOR } from '../../store/rows/encode-line.ts';

/** What `commit_group` is told the number of rows of, in its order. */
export const COUNTED_TABLES = [
  'heads',
  'customers',
  'locations',
  'tasks',
  'packages',
  'history',
  'events',
  'idempotency',
  'usage',
  'warehouses',
  'organizations',
  'audit',
  'agents',
  'requests',
  'payments',
  'transfers',
  'ledgerEntries',
  'paidTasks',
] as const;

export type Table = (typeof COUNTED_TABLES)[number] | 'taskCounts';

/** Those whose rows come as JSON: few, small, or of few columns. The others come as lines, which take half as long to read. */
const IN_JSON = new Set<Table>([
  'heads',
  'usage',
  'organizations',
  'audit',
  'transfers',
  'ledgerEntries',
  'paidTasks',
  'taskCounts',
]);

/** Rows of a table, one after another. */
export function joinRows(table: Table, rows: readonly string[]): string {
  return rows.join(IN_JSON.has(table) ? ',' : SEPARATOR);
}

/** What `commit_group` takes of a table: texts of rows made one; null when there are none. */
export function rowsText(table: Table, texts: readonly string[]): string | null {
  if (texts.length === 0) return null;
  const joined = joinRows(table, texts);
  return IN_JSON.has(table) ? `[${joined}]` : joined;
}
