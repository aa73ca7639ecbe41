import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { callerOf, type EngineFixture, startEngineFixture } from '../../faults/support/engine-fixture.ts';
import { seedAgent, withSql } from '../../support/seeds/seed.ts';
import { seedTasks } from '../../support/seeds/seed-task.ts';
import { until } from '../../support/until.ts';

let fixture: EngineFixture;

before(async () => {
  fixture = await startEngineFixture({ organizations: 1 });
});
after(() => fixture.stop());

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
  await withSql(fixture.databaseUrl, async (sql) => {
    await sql`UPDATE tasks SET deadline_at = now() - interval '1 second', created_at = now() - interval '2 days'
      WHERE organization_id = ${organizationId}`;
    await sql`UPDATE organization_heads SET next_deadline_at = now() - interval '1 second'
      WHERE organization_id = ${organizationId}`;
  });
  const readDelayed = () =>
    withSql(
      fixture.databaseUrl,
      (sql) => sql<{ body: string }[]>`
        SELECT body FROM events WHERE organization_id = ${organizationId} AND type = 'task.delayed'`,
    );
  // A request about a task brings its actor to life; the engine's own scan may come first.
  const caller = callerOf(organization);
  await fixture.engine.ask(organizationId, { kind: 'read-task', caller, taskId: tasks[0]!.id, show: 'task' });
  await until('every task is reported', async () => {
    await fixture.engine.parts.directory.scanTimers();
    await fixture.engine.parts.directory.find(organizationId)?.wake();
    await fixture.engine.parts.groupCommit.whenIdle();
    return (await readDelayed()).length >= statuses.length;
  });
  await fixture.engine.parts.directory.find(organizationId)?.wake();
  await fixture.engine.parts.groupCommit.whenIdle();
  const told = (await readDelayed()).map(({ body }) => JSON.parse(body).data.task);
  assert.deepEqual(
    told.map(({ id, status, isDelayed }) => [id, status, isDelayed]).sort((a, b) => a[0] - b[0]),
    tasks.map(({ id }, index) => [id, statuses[index], true]),
  );
});
