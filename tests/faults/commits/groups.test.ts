import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shardOf } from '../../../engine/runtime/shard-of.ts';
import type { CommitStore } from '../../../engine/store/actor/commit-store.ts';
import { type SeededOrganization, seedOrganization, withSql } from '../../support/seeds/seed.ts';
import { createFaultyCommitStore } from '../../support/system/faulty-commit-store.ts';
import { until } from '../../support/until.ts';
import {
  callerOf,
  createCommand,
  type EngineFixture,
  startEngineFixture,
  statusOf,
} from '../support/engine-fixture.ts';
import { FULL_BATCH_TASKS, fullBatch } from '../support/full-batch.ts';

test('the next group leaves before the callers of the last one get their answers', async () => {
  const store = createFaultyCommitStore();
  const order: string[] = [];
  const noted = (inner: CommitStore): CommitStore => ({
    commit(parameters) {
      order.push('sent');
      return inner.commit(parameters);
    },
    stop: () => inner.stop(),
  });
  const fixture = await startEngineFixture({ organizations: 2, wrapCommitStore: (inner) => store.wrap(noted(inner)) });
  try {
    const [first, second] = fixture.organizations as [SeededOrganization, SeededOrganization];
    const { arrived, release } = store.hold();
    const ask = (organization: SeededOrganization) => asked(fixture, organization).then(() => order.push('told'));
    const one = ask(first);
    await arrived;
    const other = ask(second);
    await decided(fixture, second);
    release();
    await Promise.all([one, other]);
    assert.deepEqual(order, ['sent', 'sent', 'told', 'told']);
  } finally {
    await fixture.stop();
  }
});

test('a full batch that waits for its turn is written under the epoch that its shard has by then', async () => {
  const store = createFaultyCommitStore();
  const fixture = await startEngineFixture({ organizations: 1, wrapCommitStore: store.wrap });
  const { databaseUrl, organizations } = fixture;
  try {
    const [lost] = organizations as [SeededOrganization];
    const behind = await seedNeighbour(databaseUrl, lost);
    const waiting = await seedNeighbour(databaseUrl, behind);
    const { arrived, release } = store.hold();
    const unheard = asked(fixture, lost);
    await arrived;
    const follower = fixture.engine.ask(behind.organizationId, fullBatch(behind));
    await decided(fixture, behind);
    const full = fixture.engine.ask(waiting.organizationId, fullBatch(waiting));
    await decided(fixture, waiting);
    // The next epoch settles groups that get no answer.
    store.failNext('before');
    release();
    assert.equal(statusOf(await unheard), 503);
    assert.deepEqual([statusOf(await follower), statusOf(await full)], [200, 200]);
    const written = await withSql(
      databaseUrl,
      (sql) => sql<{ epoch: number; shard: number; events: number }[]>`
        SELECT e.epoch, (SELECT epoch FROM shards WHERE shard = ${shardOf(waiting.organizationId)}) AS shard, count(*) AS events
        FROM events e WHERE organization_id = ${waiting.organizationId} GROUP BY e.epoch`,
    );
    assert.deepEqual([...written], [{ epoch: written[0]!.shard, shard: written[0]!.shard, events: FULL_BATCH_TASKS }]);
    assert.ok(written[0]!.epoch > 1, 'the epoch was raised');
  } finally {
    await fixture.stop();
  }
});

test('when Postgres fences a group, it refuses the commands of lost shards and writes the others', async () => {
  const store = createFaultyCommitStore();
  // No renewal may notice it before Postgres does.
  const fixture = await startEngineFixture({ wrapCommitStore: store.wrap, leaseMs: 60_000 });
  try {
    const [held, gone, kept] = fixture.organizations as [SeededOrganization, SeededOrganization, SeededOrganization];
    const { arrived, release } = store.hold();
    const ahead = asked(fixture, held);
    await arrived;
    const [ofGone, ofKept] = [asked(fixture, gone), asked(fixture, kept)];
    await Promise.all([decided(fixture, gone), decided(fixture, kept)]);
    await withSql(
      fixture.databaseUrl,
      (sql) => sql`
        UPDATE shards SET owner = gen_random_uuid(), epoch = epoch + 1 WHERE shard = ${shardOf(gone.organizationId)}`,
    );
    release();
    const answers = (await Promise.all([ahead, ofGone, ofKept])).map(statusOf);
    assert.deepEqual(answers, [201, 503, 201]);
    assert.equal(store.commits, 3, 'the first, the group of both, and one of them alone');
  } finally {
    await fixture.stop();
  }
});

function asked({ engine }: EngineFixture, organization: SeededOrganization) {
  return engine.ask(
    organization.organizationId,
    createCommand(`task-${organization.organizationId}`, callerOf(organization)),
  );
}

/** Waits until the organization's actor has decided and queued its commands. */
function decided({ engine }: EngineFixture, { organizationId }: SeededOrganization): Promise<void> {
  return until(
    'a decision waits for its group',
    () => (engine.parts.directory.find(organizationId)?.state?.lastSequence ?? 0) > 0,
  );
}

/** A second organization of the same shard. */
async function seedNeighbour(databaseUrl: string, { organizationId }: SeededOrganization): Promise<SeededOrganization> {
  let last = organizationId;
  while (shardOf(last + 1) !== shardOf(organizationId)) last += 1;
  await withSql(databaseUrl, (sql) => sql`SELECT setval('organization_ids', ${last})`);
  return seedOrganization(databaseUrl);
}
