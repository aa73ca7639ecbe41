import type { AuditEntryView } from '../../../schema/accounts/audit.ts';

export interface AuditChange {
  readonly field: string;
  readonly before: string;
  readonly after: string;
}

/** The fields in which a record before a change differs from the one after it. A new record has no before, a deleted one no after. */
export function auditChanges({ before, after }: Pick<AuditEntryView, 'before' | 'after'>): AuditChange[] {
  const fields = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  return [...fields]
    .map((field) => ({ field, before: shown(before?.[field]), after: shown(after?.[field]) }))
    .filter((change) => change.before !== change.after);
}

/** Programmers and auditors read it: as JSON, but a text without its quotation marks. */
function shown(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
