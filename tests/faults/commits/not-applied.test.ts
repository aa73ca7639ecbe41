import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Sql } from '../../../engine/store/postgres.ts';
import type { Answer, Command } from '../../../schema/commands.ts';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import { withSql } from '../../support/seeds/seed.ts';
import { createFaultyCommitStore, type FaultyCommitStore } from '../../support/system/faulty-commit-store.ts';
import { until } from '../../support/until.ts';
import { callerOf, createCommand, type EngineFixture, startEngineFixture } from '../support/engine-fixture.ts';

/** NOT_APPLIED promises that nothing was written. A retry of something that exists, or may exist, never gets it. */

interface Place {
  readonly store: FaultyCommitStore;
  readonly fixture: EngineFixture;
  create(key: string): Command;
  /** The same command without its key. */
  unkeyed(key: string): Command;
  batchOf(...keys: string[]): Command;
  ask(command: Command): Promise<Answer>;
  /** Evicts the organization from memory. */
  forget(): void;
}

async function within(body: (place: Place) => Promise<void>): Promise<void> {
  const store = createFaultyCommitStore();
  const fixture = await startEngineFixture({ organizations: 1, wrapCommitStore: store.wrap });
  const [organization] = fixture.organizations;
  const { organizationId } = organization!;
  const caller = callerOf(organization!);
  const create = (key: string) => createCommand(key, caller);
  try {
    await body({
      store,
      fixture,
      create,
      unkeyed: (key) => ({ ...create(key), idempotency: undefined }),
      batchOf: (...keys) => ({
        kind: 'create-tasks',
        caller,
        atomic: false,
        items: keys.map((key) => create(key) as Extract<Command, { kind: 'create-task' }>),
        facts: { correlationId: 'a', canonicalPath: '/v1/tasks/batch', method: 'POST' },
      }),
      ask: (command) => fixture.engine.ask(organizationId, command),
      forget: () => fixture.engine.parts.directory.find(organizationId)!.retire(),
    });
  } finally {
    await fixture.stop();
  }
}

const codeOf = (answer: Answer) => (answer.ok ? (answer.replayed ? 'replayed' : 'done') : answer.refusal.code);

/**
 * Runs `body` while another transaction has done `statement`. `isWaitedFor` says whether a session waits for its locks.
 */
function during(databaseUrl: string, statement: string, body: (isWaitedFor: () => Promise<boolean>) => Promise<void>) {
  return withSql(databaseUrl, (sql: Sql) =>
    sql.begin(async (transaction) => {
      await transaction.unsafe(statement);
      await body(async () => {
        const waiting = await transaction`
          SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
        return waiting.length > 0;
      });
    }),
  );
}

test('a retry gets OUTCOME_UNKNOWN while the outcome of its commit is unknown', () =>
  within(async ({ store, fixture, create, unkeyed, batchOf, ask }) => {
    assert.equal(codeOf(await ask(create('before'))), 'done');
    store.failNext('after');
    let first: Promise<Answer> | undefined;
    // Commits wait for this lock; raising the epoch does not.
    await during(fixture.databaseUrl, 'SELECT FROM shards FOR SHARE', async (isWaitedFor) => {
      first = ask(create('first'));
      await until('the shard is to be raised', isWaitedFor);
      const told = await Promise.all([create('first'), batchOf('first'), unkeyed('other')].map(ask));
      assert.deepEqual(told.map(codeOf), ['OUTCOME_UNKNOWN', 'OUTCOME_UNKNOWN', 'NOT_APPLIED']);
    });
    const [made, again] = [await first!, await ask(create('first'))];
    assert.deepEqual([codeOf(made), codeOf(again)], ['done', 'replayed']);
    assert.equal(made.ok && made.data, again.ok && again.data);
  }));

test('a batch of known items that waits for another commit does not get NOT_APPLIED', () =>
  within(async ({ store, create, unkeyed, batchOf, ask }) => {
    const made = await ask(batchOf('a', 'b'));
    assert.equal(codeOf(made), 'done');
    const { arrived, release } = store.hold();
    const other = ask(unkeyed('other'));
    await arrived;
    store.failNext('before', 'failed');
    const again = ask(batchOf('a', 'b'));
    release();
    assert.deepEqual([await other, await again].map(codeOf), ['NOT_APPLIED', 'UNAVAILABLE']);
    const third = await ask(batchOf('a', 'b'));
    assert.deepEqual(third.ok && JSON.parse(third.data), made.ok && JSON.parse(made.data));

    for (const [command, told] of [
      [batchOf('a', 'c'), 'UNAVAILABLE'],
      [create('new'), 'NOT_APPLIED'],
    ] as const) {
      store.failNext('before', 'failed');
      assert.deepEqual([codeOf(await ask(command)), codeOf(await ask(command))], [told, 'done']);
    }
  }));

test('a retry that waits for its kept answer gets UNAVAILABLE when a commit of another caller fails', () =>
  within(async ({ store, fixture, create, ask, forget }) => {
    const made = await ask(create('first'));
    const caller = callerOf(fixture.organizations[0]!);
    const { id: taskId } = JSON.parse(made.ok ? made.data : '') as TaskView;
    forget();
    assert.ok((await ask({ kind: 'read-task', caller, taskId, show: 'task' })).ok);
    let looking: Promise<Answer> | undefined;
    await during(fixture.databaseUrl, 'LOCK TABLE idempotency_records', async (isWaitedFor) => {
      looking = ask(create('first'));
      await until('the key is looked up', isWaitedFor);
      const waiting = ask(create('first'));
      store.failNext('before', 'failed');
      const changing = ask({ kind: 'update-task', caller, taskId, input: { notes: 'x', location: null } });
      assert.deepEqual([await changing, await waiting].map(codeOf), ['NOT_APPLIED', 'UNAVAILABLE']);
    });
    assert.deepEqual([await looking!, await ask(create('first'))].map(codeOf), ['replayed', 'replayed']);
  }));

test('no command gets OUTCOME_UNKNOWN while Postgres reports a full disk, and each is done once afterwards', () =>
  within(async ({ fixture, create, unkeyed, batchOf, ask }) => {
    assert.equal(codeOf(await ask(create('before'))), 'done');
    const keys = Array.from({ length: 40 }, (_, index) => `key ${index}`);
    const commands = () => [...keys.map(create), batchOf('key 0', 'other'), batchOf('before', 'more')];
    await withSql(fixture.databaseUrl, async (sql) => {
      await sql.unsafe(`
        CREATE FUNCTION fill_disk() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN RAISE EXCEPTION 'No space left on device' USING ERRCODE = 'disk_full'; END $$;
        CREATE TRIGGER full_disk BEFORE INSERT ON tasks FOR EACH STATEMENT EXECUTE FUNCTION fill_disk();`);
      for (let round = 0; round < 3; round++) {
        const codes = (await Promise.all([...commands(), unkeyed('none')].map(ask))).map(codeOf);
        assert.deepEqual(
          codes.filter((code) => code !== 'NOT_APPLIED' && code !== 'UNAVAILABLE'),
          [],
        );
      }
      await sql`DROP TRIGGER full_disk ON tasks`;
      assert.deepEqual(new Set((await Promise.all(keys.map(create).map(ask))).map(codeOf)), new Set(['done']));
      const [{ count }] = await sql<[{ count: number }]>`SELECT count(*)::int FROM tasks`;
      assert.equal(count, 1 + keys.length);
    });
  }));
