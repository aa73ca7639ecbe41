import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CommitStore } from '../../engine/store/commit-store.ts';
import { connectPostgres, type Sql } from '../../engine/store/postgres.ts';
import type { Command } from '../../schema/commands.ts';
import type { TaskView } from '../../schema/task-view.ts';
import { Journal } from '../support/journal.ts';
import type { SeededOrganization } from '../support/seed.ts';
import { callerOf, createCommand, startEngineFixture } from './engine-fixture.ts';
import { assertMemoryIsPostgres } from './memory.ts';

/** What rows are read as that come as lines. */
const LINE_TYPES = {
  customers: 'customer_line',
  locations: 'location_line',
  tasks: 'task_line',
  packages: 'package_line',
  history: 'history_line',
  events: 'event_line',
  idempotency: 'outcome_line',
  warehouses: 'warehouse_line',
  agents: 'agent_line',
  requests: 'request_line',
  payments: 'payment_line',
} as const;

/**
 * Gateways of releases before, beside the functions of this one: all rows in JSON, and one that counted the rows of 18
 * tables and nothing else.
 */
const earlier =
  (sql: () => Sql) =>
  (store: CommitStore): CommitStore => ({
    async commit(parameters) {
      const inJson: Record<string, string> = {};
      for (const [table, type] of Object.entries(LINE_TYPES)) {
        const lines = parameters[table as keyof typeof LINE_TYPES];
        if (lines === null) continue;
        const [read] = await sql()<{ rows: string }[]>`
          SELECT json_agg(n)::text AS rows FROM unnest(lines_of(${lines}, NULL::${sql().unsafe(type)}[])) n`;
        inJson[table] = read!.rows;
      }
      const counts = `{${parameters.counts.slice(1, -1).split(',').slice(0, 18).join(',')}}`;
      return store.commit({ ...parameters, ...inJson, counts });
    },
    stop: () => store.stop(),
  });

test('what an earlier release sends in JSON and does not count is written and listed', async () => {
  let sql: Sql | undefined;
  const fixture = await startEngineFixture({ organizations: 1, wrapCommitStore: earlier(() => sql!) });
  const { engine, databaseUrl, organizations } = fixture;
  sql = connectPostgres(databaseUrl, { name: 'test', connections: 1, statementTimeoutMs: 30_000 });
  try {
    const [organization] = organizations as [SeededOrganization];
    const { organizationId } = organization;
    const create = async (key: string, fields: object): Promise<TaskView> => {
      const command = createCommand(key, callerOf(organization)) as Extract<Command, { kind: 'create-task' }>;
      const answer = await engine.ask(organizationId, { ...command, input: { ...command.input, ...fields } });
      assert.ok(answer.ok);
      return JSON.parse(answer.data) as TaskView;
    };
    const scheduledAt = new Date(Date.now() + 3_600_000).toISOString();
    const first = await create('listed', {
      timeToServe: 'scheduled',
      scheduledAt,
      integrationData: { order: 'A-1' },
    });
    await create('reusing', { location: undefined, locationId: first.locationId });
    const renamed = {
      kind: 'update-task',
      caller: callerOf(organization),
      taskId: first.id,
      input: { notes: 'a, "b"' },
    };
    assert.ok((await engine.ask(organizationId, renamed as Command)).ok);
    const [listed] = await sql`
      SELECT (SELECT count(*) FROM scheduled_tasks WHERE organization_id = ${organizationId}) AS scheduled,
        (SELECT count(*) FROM task_references WHERE organization_id = ${organizationId}) AS references,
        (SELECT count(*) FROM location_uses WHERE organization_id = ${organizationId}) AS uses`;
    assert.deepEqual({ ...listed }, { scheduled: 1, references: 1, uses: 1 });
    const compared = await assertMemoryIsPostgres(engine, databaseUrl, organizationId, new Journal());
    assert.equal(compared.tasks, 2);
  } finally {
    await fixture.stop();
    await sql.end({ timeout: 5 });
  }
});
