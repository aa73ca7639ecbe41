import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CommitError, type CommitStore } from '../../../engine/store/actor/commit-store.ts';
import type { Answer } from '../../../schema/commands.ts';
import { withSql } from '../../support/seeds/seed.ts';
import { createFaultyCommitStore } from '../../support/system/faulty-commit-store.ts';
import {
  callerOf,
  createCommand,
  type EngineFixture,
  startEngineFixture,
  statusOf,
} from '../support/engine-fixture.ts';

const NAME = 'Test organization';

function deleteFirst({ engine, organizations }: EngineFixture): Promise<Answer> {
  const caller = { ...callerOf(organizations[0]!), role: 'super_admin' } as const;
  return engine.ask(organizations[0]!.organizationId, { kind: 'delete-organization', caller, confirm: NAME });
}

async function codeAfterwards({ engine, organizations }: EngineFixture, key: string) {
  const [first] = organizations;
  const answer = await engine.ask(first!.organizationId, createCommand(key, callerOf(first!)));
  return answer.ok ? answer.status : answer.refusal.code;
}

test('a deletion whose answer is lost is found to be done', async () => {
  const store = createFaultyCommitStore();
  const fixture = await startEngineFixture({ organizations: 1, wrapCommitStore: store.wrap });
  try {
    assert.equal(await codeAfterwards(fixture, 'before'), 201);
    store.failNext('after');
    assert.equal(statusOf(await deleteFirst(fixture)), 200);
    assert.equal(await codeAfterwards(fixture, 'after'), 'ORGANIZATION_DELETED');
  } finally {
    await fixture.stop();
  }
});

test('a deletion that was never sent leaves the organization as it was', async () => {
  const store = createFaultyCommitStore();
  const fixture = await startEngineFixture({ organizations: 1, wrapCommitStore: store.wrap });
  try {
    assert.equal(await codeAfterwards(fixture, 'before'), 201);
    store.failNext('before');
    const answer = await deleteFirst(fixture);
    assert.ok(!answer.ok && answer.refusal.code === 'NOT_APPLIED', JSON.stringify(answer));
    assert.equal(await codeAfterwards(fixture, 'after'), 201);
  } finally {
    await fixture.stop();
  }
});

test('a deletion whose answer is lost is never reported as undone when its rows are gone', async () => {
  let databaseUrl = '';
  let deleted: number | undefined;
  const emptyAtOnce = (store: CommitStore): CommitStore => ({
    async commit(parameters) {
      await store.commit(parameters);
      const organizationId = deleted;
      if (organizationId === undefined) return;
      deleted = undefined;
      await withSql(databaseUrl, (sql) => sql`SELECT delete_organization_batch(${organizationId}, 1000)`);
      throw new CommitError('unknown', 'planted after the commit');
    },
    stop: () => store.stop(),
  });
  const fixture = await startEngineFixture({ organizations: 1, wrapCommitStore: emptyAtOnce });
  ({ databaseUrl } = fixture);
  try {
    assert.equal(await codeAfterwards(fixture, 'before'), 201);
    deleted = fixture.organizationIds[0]!;
    const answer = await deleteFirst(fixture);
    assert.ok(!answer.ok && answer.refusal.code === 'OUTCOME_UNKNOWN', JSON.stringify(answer));
    assert.equal(await codeAfterwards(fixture, 'after'), 'ORGANIZATION_DELETED');
  } finally {
    await fixture.stop();
  }
});
