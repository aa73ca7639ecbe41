import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { systemScheduler } from '../../../engine/runtime/clock.ts';
import type { Command, CreateTask } from '../../../schema/commands.ts';
import { LIMITS } from '../../../schema/limits.ts';
import {
  callerOf,
  createCommand,
  type EngineFixture,
  startEngineFixture,
} from '../../faults/support/engine-fixture.ts';
import { seedAgent, withSql } from '../../support/seeds/seed.ts';
import { seedTasks } from '../../support/seeds/seed-task.ts';
import { until } from '../../support/until.ts';

let fixture: EngineFixture;

/** Its timers are scanned when a test says so. */
before(async () => {
  const every = (periodMs: number, task: () => void) =>
    periodMs === LIMITS.deadlineScanMs ? () => {} : systemScheduler.every(periodMs, task);
  fixture = await startEngineFixture({ organizations: 2, scheduler: { ...systemScheduler, every } });
});
after(() => fixture.stop());

/** All tasks of an organization are past their time. */
function makeLate(organizationId: number): Promise<unknown> {
  return withSql(fixture.databaseUrl, async (sql) => {
    await sql`UPDATE tasks SET deadline_at = now() - interval '1 second', created_at = now() - interval '2 days'
      WHERE organization_id = ${organizationId}`;
    await sql`UPDATE organization_heads SET next_deadline_at = now() - interval '1 second'
      WHERE organization_id = ${organizationId}`;
  });
}

function readDelayed(organizationId: number) {
  return withSql(
    fixture.databaseUrl,
    (sql) => sql<{ body: string }[]>`
      SELECT body FROM events WHERE organization_id = ${organizationId} AND type = 'task.delayed'`,
  );
}

test('a task past its time is reported as delayed, once, with all steps of its agent', async () => {
  const organization = fixture.organizations[0]!;
  const { organizationId } = organization;
  const { agentId } = await seedAgent(fixture.databaseUrl, organizationId);
  const statuses = ['assigned', 'accepted', 'in_transit'] as const;
  const tasks = await seedTasks(
    fixture.databaseUrl,
    organization,
    statuses.map((status) => ({ agentId, status })),
  );
  await makeLate(organizationId);
  // A request about a task brings its actor to life.
  const caller = callerOf(organization);
  await fixture.engine.ask(organizationId, { kind: 'read-task', caller, taskId: tasks[0]!.id, show: 'task' });
  await until('every task is reported', async () => {
    await fixture.engine.parts.directory.scanTimers();
    await fixture.engine.parts.directory.find(organizationId)?.wake();
    await fixture.engine.parts.groupCommit.whenIdle();
    return (await readDelayed(organizationId)).length >= statuses.length;
  });
  await fixture.engine.parts.directory.find(organizationId)?.wake();
  await fixture.engine.parts.groupCommit.whenIdle();
  const told = (await readDelayed(organizationId)).map(({ body }) => JSON.parse(body).data.task);
  assert.deepEqual(
    told.map(({ id, status, isDelayed }) => [id, status, isDelayed]).sort((a, b) => a[0] - b[0]),
    tasks.map(({ id }, index) => [id, statuses[index], true]),
  );
});

test('one scan finds all that is late of an organization that nobody asks about, also more than are looked at together', async () => {
  const organization = fixture.organizations[1]!;
  const { organizationId } = organization;
  const { directory, groupCommit } = fixture.engine.parts;
  const caller = callerOf(organization);
  const { input } = createCommand('a task', caller) as CreateTask;
  const facts = { correlationId: '', canonicalPath: '/v1/tasks/batch', method: 'POST' };
  const items = Array.from({ length: 100 }, () => ({ input, facts, idempotency: undefined }));
  const batch = { kind: 'create-tasks', caller, items, atomic: false, facts } as unknown as Command;
  const late = 2 * LIMITS.deadlinesPerWake + items.length;
  for (let made = 0; made < late; made += items.length) {
    assert.ok((await fixture.engine.ask(organizationId, batch)).ok);
  }
  await groupCommit.whenIdle();
  directory.find(organizationId)!.retire();
  await makeLate(organizationId);
  await directory.scanTimers();
  await until('every task is reported', async () => (await readDelayed(organizationId)).length >= late);
  await groupCommit.whenIdle();
  assert.equal((await readDelayed(organizationId)).length, late);
});
