import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { shardOf } from '../../engine/runtime/shard-of.ts';
import type { CommitFailure } from '../../engine/store/actor/commit-store.ts';
import type { Answer } from '../../schema/commands.ts';
import { Journal } from '../support/journal.ts';
import { type SeededOrganization, withSql } from '../support/seeds/seed.ts';
import {
  createFaultyCommitStore,
  type FaultMoment,
  type FaultyCommitStore,
} from '../support/system/faulty-commit-store.ts';
import { until } from '../support/until.ts';
import { lockHead, untilBlocked } from './support/backends.ts';
import { callerOf, createCommand, type EngineFixture, startEngineFixture, statusOf } from './support/engine-fixture.ts';
import { FULL_BATCH_TASKS, fullBatch } from './support/full-batch.ts';
import { assertMemoryIsPostgres } from './support/memory.ts';

/** A full group goes to Postgres behind another one. These tests fail either of them. */

type Fault = readonly [moment: FaultMoment, failure: CommitFailure];

const NEVER_SENT: Fault = ['before', 'unknown'];
const NOT_WAITED_FOR: Fault = ['during', 'unknown'];
const ANSWER_LOST: Fault = ['after', 'unknown'];
const REFUSED: Fault = ['before', 'refused'];
const STALE: Fault = ['before', 'stale'];
const FAILED: Fault = ['before', 'failed'];

/** Two imports of one organization, each a group of its own. No answers where the result is a race. */
const OF_ONE: readonly {
  readonly leader?: Fault;
  readonly follower?: Fault;
  readonly answers?: readonly [leader: number, follower: number];
}[] = [
  { answers: [200, 200] },
  { leader: ANSWER_LOST, answers: [200, 200] },
  { leader: NOT_WAITED_FOR, answers: [200, 200] },
  { leader: NEVER_SENT, answers: [503, 503] },
  { leader: FAILED, answers: [503, 503] },
  { leader: REFUSED, answers: [500, 200] },
  { leader: STALE, answers: [200, 200] },
  { follower: ANSWER_LOST, answers: [200, 200] },
  { follower: NOT_WAITED_FOR },
  { follower: NEVER_SENT, answers: [200, 503] },
  { follower: FAILED, answers: [200, 503] },
  { follower: REFUSED, answers: [200, 500] },
  { follower: STALE, answers: [200, 200] },
  { leader: ANSWER_LOST, follower: ANSWER_LOST, answers: [200, 200] },
  { leader: NOT_WAITED_FOR, follower: NOT_WAITED_FOR },
  { leader: ANSWER_LOST, follower: NEVER_SENT, answers: [200, 503] },
  { leader: NEVER_SENT, follower: ANSWER_LOST, answers: [503, 503] },
  { leader: NEVER_SENT, follower: NEVER_SENT, answers: [503, 503] },
];

describe('two groups on their way', { concurrency: 4 }, () => {
  for (const { leader, follower, answers } of OF_ONE) {
    const outcome = answers?.join(' and ') ?? 'as they were written';
    test(`of one organization, ${told(leader)} and ${told(follower)}, are answered ${outcome}`, async () => {
      await withScene(async (scene) => {
        const [first] = scene.organizations;
        const { asked, release } = await twoOnTheirWay(scene, first, first);
        plan(scene.store, leader, follower);
        release();
        const statuses = (await Promise.all(asked)).map(statusOf);
        if (answers) assert.deepEqual(statuses, answers);
        assert.ok(statuses.every((status) => status === 200 || status >= 500));
        await assertSound(scene, first, statuses);
      });
    });
  }

  for (const { leader, follower, status } of [
    { leader: NEVER_SENT, status: 503 },
    { leader: ANSWER_LOST, status: 200 },
    { leader: FAILED, status: 503 },
    { leader: REFUSED, status: 500 },
    { leader: NEVER_SENT, follower: ANSWER_LOST, status: 503 },
  ] as const) {
    test(`of two organizations, the first ${told(leader)}, leave the second, ${told(follower)}, alone`, async () => {
      await withScene(async (scene) => {
        const [first, second] = scene.organizations;
        const { asked, release } = await twoOnTheirWay(scene, first, second);
        plan(scene.store, leader, follower);
        release();
        const statuses = (await Promise.all(asked)).map(statusOf);
        assert.deepEqual(statuses, [status, 200]);
        await assertSound(scene, first, [status]);
        await assertSound(scene, second, [200]);
      });
    });
  }

  test('two groups of one organization, the first not written, leave the commands that share the second group alone', async () => {
    await withScene(async (scene) => {
      const [first, second] = scene.organizations;
      const { arrived, release } = scene.store.hold();
      const ahead = ask(scene, first, 'ahead');
      await arrived;
      // It waits for its turn and leaves with the full group.
      const small = scene.engine.ask(second.organizationId, createCommand('small', callerOf(second)));
      await until('it is decided', () => sequenceOf(scene, second) === 1);
      const behind = ask(scene, first, 'behind');
      await until('the second group leaves', () => scene.store.commits === 2);
      plan(scene.store, NEVER_SENT);
      release();
      const statuses = (await Promise.all([ahead, behind, small])).map(statusOf);
      assert.deepEqual(statuses, [503, 503, 201]);
      await assertSound(scene, first, [503, 503]);
    });
  });
});

test('the shard of a group with a known end keeps its epoch while the engine looks for the one behind it', async () => {
  await withScene(async (scene) => {
    const [first, second] = scene.organizations;
    const shards = [first, second].map(({ organizationId }) => shardOf(organizationId));
    const epochs = () => shards.map((shard) => scene.engine.parts.ownership.fencesOf([shard])![0]!.epoch);
    const { asked, release } = await twoOnTheirWay(scene, first, second);
    const [known, lost] = epochs();
    plan(scene.store, FAILED, NEVER_SENT);
    release();
    assert.deepEqual((await Promise.all(asked)).map(statusOf), [503, 503]);
    assert.deepEqual(epochs(), [known, lost! + 1]);
  });
});

test('a third group, and one that is not full, wait for their turn', async () => {
  await withScene(async (scene) => {
    const [first, second] = scene.organizations;
    const { asked, release } = await twoOnTheirWay(scene, first, second);
    const third = ask(scene, first, 'third');
    await until('it is decided', () => sequenceOf(scene, first) === 2 * FULL_BATCH_TASKS);
    assert.equal(scene.store.commits, 2);
    release();
    assert.deepEqual((await Promise.all([...asked, third])).map(statusOf), [200, 200, 200]);

    const held = scene.store.hold();
    const ahead = ask(scene, first, 'ahead');
    await held.arrived;
    const small = scene.engine.ask(second.organizationId, createCommand('small', callerOf(second)));
    await until('it is decided', () => sequenceOf(scene, second) === FULL_BATCH_TASKS + 1);
    assert.equal(scene.store.commits, 4);
    held.release();
    assert.deepEqual([statusOf(await ahead), statusOf(await small)], [200, 201]);
  });
});

test('two groups on a connection that is cut are each answered as they were written', async () => {
  await withScene(async (scene) => {
    const { engine, databaseUrl, proxy } = scene;
    const [first] = scene.organizations;
    await ask(scene, first, 'before');
    const lock = await lockHead(databaseUrl, first.organizationId);
    const sent = engine.parts.groupCommit.groups;
    const leader = ask(scene, first, 'leader');
    await untilBlocked(databaseUrl, 'dispatch commit');
    const follower = ask(scene, first, 'follower');
    await until('the second group leaves', () => engine.parts.groupCommit.groups === sent + 2);
    proxy.connections('dispatch commit').at(-1)!.cut();
    // The engine looks for their outcomes.
    await untilBlocked(databaseUrl, 'dispatch leases');
    await lock.release();
    const statuses = (await Promise.all([leader, follower])).map(statusOf);
    assert.equal(statuses[0], 200);
    await assertSound(scene, first, [200, ...statuses]);
  });
});

test('a group that is not full does not follow a group that followed another one', async () => {
  await withScene(async (scene) => {
    const [first, second] = scene.organizations;
    const one = scene.store.hold();
    const leader = ask(scene, first, 'leader');
    await one.arrived;
    const other = scene.store.hold();
    const follower = ask(scene, first, 'follower');
    await other.arrived;
    const small = scene.engine.ask(second.organizationId, createCommand('small', callerOf(second)));
    await until('it is decided', () => sequenceOf(scene, second) === 1);
    one.release();
    assert.equal(statusOf(await leader), 200);
    assert.equal(scene.store.commits, 2);
    other.release();
    assert.deepEqual([statusOf(await follower), statusOf(await small)], [200, 201]);
  });
});

test('the follower of a refused group goes again behind its parts, and nothing else goes before it', async () => {
  await withScene(async (scene) => {
    const { engine, store } = scene;
    const [first, second] = scene.organizations;
    const create = (key: string) => engine.ask(second.organizationId, createCommand(key, callerOf(second)));
    const before = store.hold();
    const ahead = create('ahead');
    await before.arrived;
    const pair = store.hold();
    const small = create('small');
    await until('it is decided', () => sequenceOf(scene, second) === 2);
    const full = ask(scene, first, 'full');
    await pair.arrived;
    before.release();
    await ahead;
    const follower = ask(scene, first, 'follower');
    await until('it leaves', () => store.commits === 3);
    const actor = engine.parts.directory.find(first.organizationId);
    plan(store, REFUSED);
    const parts = store.hold();
    pair.release();
    await parts.arrived;
    const later = ask(scene, first, 'later');
    await until('it is decided', () => sequenceOf(scene, first) === 3 * FULL_BATCH_TASKS);
    assert.equal(store.commits, 4, 'the first of the parts is on its way, and nothing else');
    parts.release();
    assert.deepEqual((await Promise.all([small, full, follower, later])).map(statusOf), [201, 200, 200, 200]);
    assert.equal(engine.parts.directory.find(first.organizationId), actor, 'nobody was to blame');
    await assertSound(scene, first, [200, 200, 200]);
  });
});

test('no group goes right behind one that leaves no mark in the head of its organization', async () => {
  await withScene(async (scene) => {
    const [first] = scene.organizations;
    const command = createCommand('refused', callerOf(first)) as Extract<
      ReturnType<typeof createCommand>,
      { kind: 'create-task' }
    >;
    const { arrived, release } = scene.store.hold();
    // A refusal that is kept under its key is a commit without an event.
    const input = { ...command.input, customer: undefined, customerId: 999_000_111 };
    const refused = scene.engine.ask(first.organizationId, { ...command, input });
    await arrived;
    const behind = ask(scene, first, 'behind');
    await until('it is decided', () => sequenceOf(scene, first) === FULL_BATCH_TASKS);
    assert.equal(scene.store.commits, 1);
    plan(scene.store, NEVER_SENT);
    release();
    const statuses = (await Promise.all([refused, behind])).map(statusOf);
    assert.deepEqual(statuses, [503, 503]);
    await assertSound(scene, first, statuses);
  });
});

interface Scene extends EngineFixture {
  readonly store: FaultyCommitStore;
  readonly organizations: readonly [SeededOrganization, SeededOrganization];
}

async function withScene(body: (scene: Scene) => Promise<void>): Promise<void> {
  const store = createFaultyCommitStore();
  const fixture = await startEngineFixture({ organizations: 2, wrapCommitStore: store.wrap });
  try {
    await body({ ...fixture, store, organizations: fixture.organizations as [SeededOrganization, SeededOrganization] });
  } finally {
    await fixture.stop();
  }
}

/** Holds a full group before it is sent, and another one behind it. */
async function twoOnTheirWay(scene: Scene, one: SeededOrganization, other: SeededOrganization) {
  const { arrived, release } = scene.store.hold();
  const leader = ask(scene, one, 'leader');
  await arrived;
  const follower = ask(scene, other, 'follower');
  await until('the second group leaves', () => scene.store.commits === 2);
  return { asked: [leader, follower], release };
}

function ask({ engine }: Scene, organization: SeededOrganization, name: string): Promise<Answer> {
  return engine.ask(organization.organizationId, fullBatch(organization, name));
}

function plan(store: FaultyCommitStore, ...faults: readonly (Fault | undefined)[]): void {
  for (const fault of faults) {
    if (fault) store.failNext(...fault);
    else store.passNext();
  }
}

function sequenceOf({ engine }: Scene, { organizationId }: SeededOrganization): number {
  return engine.parts.directory.find(organizationId)?.state?.lastSequence ?? 0;
}

/** Asserts that acknowledged commands are there, refused ones are not, memory agrees, and the next command succeeds. */
async function assertSound(scene: Scene, organization: SeededOrganization, statuses: readonly number[]): Promise<void> {
  const { engine, databaseUrl } = scene;
  const { organizationId } = organization;
  let attempts = 0;
  await until('the next command succeeds', async () => {
    const command = createCommand(`next-${attempts++}`, callerOf(organization));
    return statusOf(await engine.ask(organizationId, command)) === 201;
  });
  const batches = statuses.filter((status) => status === 200).length;
  const [written] = await withSql(
    databaseUrl,
    (sql) => sql<{ tasks: number; events: number; last: number }[]>`
      SELECT (SELECT count(*) FROM tasks WHERE organization_id = ${organizationId} AND name NOT LIKE 'next-%') AS tasks,
        (SELECT count(*) FROM events WHERE organization_id = ${organizationId}) AS events,
        (SELECT last_sequence FROM organization_heads WHERE organization_id = ${organizationId}) AS last`,
  );
  assert.equal(written!.tasks, batches * FULL_BATCH_TASKS);
  assert.equal(written!.events, written!.last, 'the log has no gap');
  await assertMemoryIsPostgres(engine, databaseUrl, organizationId, new Journal());
}

function told(fault: Fault | undefined): string {
  if (!fault) return 'written';
  const [moment, failure] = fault;
  if (failure !== 'unknown') return failure;
  return { before: 'never sent', during: 'not waited for', after: 'its answer lost' }[moment];
}
