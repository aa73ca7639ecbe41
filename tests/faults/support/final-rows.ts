import assert from 'node:assert/strict';
import type { Sql } from '../../../engine/store/postgres.ts';
import { type FinalRows, findViolations, type IsProvoked } from '../../support/checker.ts';
import type { JournalView } from '../../support/journal.ts';
import { withSql } from '../../support/seeds/seed.ts';

/** The rows that the checker needs, of every organization in the database. */
export async function readFinalRows(sql: Sql): Promise<FinalRows> {
  return {
    tasks: await sql`
      SELECT organization_id, id, name, status, notes, parent_id, deadline_at,
        concat_ws(' ', status, task_type, channel_id, time_to_serve) AS kind FROM tasks`,
    events: await sql`
      SELECT organization_id, sequence, type, epoch, (body::json->'data'->'task'->>'id')::bigint AS task_id FROM events`,
    history: await sql`SELECT organization_id, task_id, sequence FROM task_history`,
    heads: await sql`SELECT organization_id, last_sequence, next_deadline_at FROM organization_heads`,
    usage: await sql`
      SELECT organization_id, resource, sum(used)::bigint AS used FROM usage GROUP BY organization_id, resource`,
    customers: await sql`SELECT organization_id, count(*) FROM customers GROUP BY organization_id`,
    counters: await sql`
      SELECT organization_id, concat_ws(' ', status, task_type, channel_id, time_to_serve) AS kind, count
      FROM task_counts WHERE count <> 0`,
  } as unknown as FinalRows;
}

/** Fails with everything that the checker finds. */
export async function assertKeptPromises(
  journal: JournalView,
  databaseUrl: string,
  isProvoked?: IsProvoked,
): Promise<void> {
  const violations = findViolations(journal, await withSql(databaseUrl, readFinalRows), isProvoked);
  const shown = violations.slice(0, 20).map(({ rule, message }) => `${rule}: ${message}`);
  assert.ok(violations.length === 0, `${violations.length} promises were broken:\n${shown.join('\n')}`);
}
