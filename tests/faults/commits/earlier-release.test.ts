import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CommitStore } from '../../../engine/store/actor/commit-store.ts';
import { connectPostgres } from '../../../engine/store/postgres.ts';
import type { Command, CreateTask } from '../../../schema/commands.ts';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import { Journal } from '../../support/journal.ts';
import type { SeededOrganization } from '../../support/seeds/seed.ts';
import { callerOf, createCommand, startEngineFixture } from '../support/engine-fixture.ts';
import { assertMemoryIsPostgres } from '../support/memory.ts';

/** Fields at the end of a task that the release before does not know. */
const UNKNOWN = [
  'awaitingSince',
  'attempt',
  'previousTaskId',
  'nextTaskId',
  'contact',
  'pickupEtaAt',
  'pickupArrivedAt',
  'pickedUpAt',
  'requirements',
  'proofs',
  'movingWhileOpen',
];

/** Such a task takes no place among the moving ones, of which that release knows nothing. */
const LATER = { timeToServe: 'scheduled' as const, scheduledAt: new Date(Date.now() + 3_600_000).toISOString() };

/** A gateway of the release before, beside the functions of this one. */
const earlier = (store: CommitStore): CommitStore => ({
  async commit(parameters) {
    const { tasks, separator } = parameters;
    const lines = tasks
      ?.split(separator!)
      .map((line) => UNKNOWN.reduce((left) => left.replace(/,[^,]*\)$/, ')'), line));
    await store.commit({ ...parameters, tasks: lines?.join(separator!) ?? null });
  },
  stop: () => store.stop(),
});

test('rows that an earlier release sends are written and listed', async () => {
  const fixture = await startEngineFixture({ organizations: 1, wrapCommitStore: earlier });
  const { engine, databaseUrl, organizations } = fixture;
  const sql = connectPostgres(databaseUrl, { name: 'test', connections: 1, statementTimeoutMs: 30_000 });
  try {
    const [organization] = organizations as [SeededOrganization];
    const { organizationId } = organization;
    const create = async (key: string, fields: object): Promise<TaskView> => {
      const command = createCommand(key, callerOf(organization)) as CreateTask;
      const input = { ...command.input, ...LATER, ...fields };
      const answer = await engine.ask(organizationId, { ...command, input });
      assert.ok(answer.ok);
      return JSON.parse(answer.data) as TaskView;
    };
    const first = await create('listed', { integrationData: { order: 'A-1' } });
    await create('reusing', { location: undefined, locationId: first.locationId });
    const renamed = {
      kind: 'update-task',
      caller: callerOf(organization),
      taskId: first.id,
      input: { notes: 'a, "b"' },
    };
    assert.ok((await engine.ask(organizationId, renamed as Command)).ok);
    const parts = ['a, "b" (c)', '\u001e"'].map((name) => {
      const { input } = createCommand('part', callerOf(organization)) as CreateTask;
      return { ...input, ...LATER, name, notes: `${name}\u001e` };
    });
    const job = await create('job', { children: parts });
    assert.equal(job.children?.length, 2);
    const [listed] = await sql`
      SELECT (SELECT count(*) FROM scheduled_tasks WHERE organization_id = ${organizationId}) AS scheduled,
        (SELECT count(*) FROM task_references WHERE organization_id = ${organizationId}) AS references,
        (SELECT count(*) FROM location_uses WHERE organization_id = ${organizationId}) AS uses`;
    assert.deepEqual({ ...listed }, { scheduled: 5, references: 1, uses: 1 });
    const compared = await assertMemoryIsPostgres(engine, databaseUrl, organizationId, new Journal());
    assert.equal(compared.tasks, 2 + 3);
  } finally {
    await fixture.stop();
    await sql.end({ timeout: 5 });
  }
});
