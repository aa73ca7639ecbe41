import { SEPARATOR } from '../rows/encode-line.ts';

/**
 * The tables that a commit writes. `sql` is the parameter of `commit_group`.
 * `counted` tables send their number of rows, in this order.
 * Rows that are few, small or of few columns go as JSON; the others go as lines, which take half as long to read.
 */
export const COMMITTED_TABLES = [
  { field: 'heads', sql: 'heads_in', form: 'json', counted: true },
  { field: 'customers', sql: 'customers_in', form: 'lines', counted: true },
  { field: 'locations', sql: 'locations_in', form: 'lines', counted: true },
  { field: 'tasks', sql: 'tasks_in', form: 'lines', counted: true },
  { field: 'packages', sql: 'packages_in', form: 'lines', counted: true },
  { field: 'history', sql: 'history_in', form: 'lines', counted: true },
  { field: 'events', sql: 'events_in', form: 'lines', counted: true },
  { field: 'idempotency', sql: 'idempotency_in', form: 'lines', counted: true },
  { field: 'usage', sql: 'usage_in', form: 'json', counted: true },
  { field: 'warehouses', sql: 'warehouses_in', form: 'lines', counted: true },
  { field: 'taskCounts', sql: 'task_counts_in', form: 'json', counted: false },
  { field: 'organizations', sql: 'organizations_in', form: 'json', counted: true },
  { field: 'audit', sql: 'audit_in', form: 'json', counted: true },
  { field: 'agents', sql: 'agents_in', form: 'lines', counted: true },
  { field: 'requests', sql: 'requests_in', form: 'lines', counted: true },
  { field: 'payments', sql: 'payments_in', form: 'lines', counted: true },
  { field: 'transfers', sql: 'transfers_in', form: 'json', counted: true },
  { field: 'ledgerEntries', sql: 'ledger_entries_in', form: 'json', counted: true },
  { field: 'paidTasks', sql: 'paid_tasks_in', form: 'json', counted: true },
] as const;

export type Table = (typeof COMMITTED_TABLES)[number]['field'];

/** The rows of each table as one text; null when there are none. Every group has heads. */
export type CommittedRows = { readonly [T in Table]: T extends 'heads' ? string : string | null };

/** The tables whose number of rows `commit_group` takes, in its order. */
export const COUNTED_TABLES: readonly Table[] = COMMITTED_TABLES.filter(({ counted }) => counted).map(
  ({ field }) => field,
);

const IN_JSON: ReadonlySet<Table> = new Set(
  COMMITTED_TABLES.filter(({ form }) => form === 'json').map(({ field }) => field),
);

/** Joins rows of a table. */
export function joinRows(table: Table, rows: readonly string[]): string {
  return rows.join(IN_JSON.has(table) ? ',' : SEPARATOR);
}

/** Makes one parameter of `commit_group` from texts of rows; null when there are none. */
export function rowsText(table: Table, texts: readonly string[]): string | null {
  if (texts.length === 0) return null;
  const joined = joinRows(table, texts);
  return IN_JSON.has(table) ? `[${joined}]` : joined;
}
