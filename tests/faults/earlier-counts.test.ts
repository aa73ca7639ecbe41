import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CommitStore } from '../../engine/store/commit-store.ts';
import type { Command } from '../../schema/commands.ts';
import type { TaskView } from '../../schema/task-view.ts';
import { type SeededOrganization, withSql } from '../support/seed.ts';
import { callerOf, createCommand, startEngineFixture } from './engine-fixture.ts';

/** A gateway of the release before, beside the functions of this one: it counted the rows of 18 tables, and nothing else. */
const earlier = (store: CommitStore): CommitStore => ({
  commit: (parameters) =>
    store.commit({ ...parameters, counts: `{${parameters.counts.slice(1, -1).split(',').slice(0, 18).join(',')}}` }),
  stop: () => store.stop(),
});

test('what an earlier release does not count is looked for', async () => {
  const fixture = await startEngineFixture({ organizations: 1, wrapCommitStore: earlier });
  const { engine, databaseUrl, organizations } = fixture;
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
    const [listed] = await withSql(
      databaseUrl,
      (sql) => sql<{ scheduled: number; references: number; uses: number }[]>`
        SELECT (SELECT count(*) FROM scheduled_tasks WHERE organization_id = ${organizationId}) AS scheduled,
          (SELECT count(*) FROM task_references WHERE organization_id = ${organizationId}) AS references,
          (SELECT count(*) FROM location_uses WHERE organization_id = ${organizationId}) AS uses`,
    );
    assert.deepEqual({ ...listed }, { scheduled: 1, references: 1, uses: 1 });
  } finally {
    await fixture.stop();
  }
});
