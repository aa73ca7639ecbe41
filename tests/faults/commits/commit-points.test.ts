import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Outcome } from '../../support/journal.ts';
import { Journal } from '../../support/journal.ts';
import type { ProxiedConnection } from '../../support/services/tcp-proxy.ts';
import { createFaultyCommitStore, type FaultyCommitStore } from '../../support/system/faulty-commit-store.ts';
import { until } from '../../support/until.ts';
import { backendsOf, lockHead, terminate, untilBlocked } from '../support/backends.ts';
import { type EngineFixture, startEngineFixture } from '../support/engine-fixture.ts';
import { assertKeptPromises } from '../support/final-rows.ts';
import { runLoad } from '../support/journaled-load.ts';
import { assertMemoryIsPostgres } from '../support/memory.ts';

const COMMIT = 'dispatch commit';
const LEASES = 'dispatch leases';
const CONNECTIONS = 16;
const TASKS = 40;
/** Enough for more than 20 commits of at most 16 commands. */
const TASKS_UNDER_FAULTS = 400;

interface Scene extends EngineFixture {
  readonly store: FaultyCommitStore;
  /** The connection that commits use now. */
  readonly commitConnection: () => ProxiedConnection;
  /** Creates one more task for the first organization while the fault is active. */
  ask(): Promise<Outcome>;
}

/** How a commit fails, and what its client must receive at the first attempt. */
const points: readonly {
  readonly point: string;
  readonly fail: (scene: Scene) => Promise<Outcome>;
  readonly told: 'acknowledged' | 'NOT_APPLIED';
  /** The lease. Statements may take half of it. */
  readonly leaseMs?: number;
}[] = [
  {
    point: 'before it is sent',
    async fail({ store, ask }) {
      store.failNext('before');
      return ask();
    },
    told: 'NOT_APPLIED',
  },
  {
    point: 'after it is sent, its bytes lost with the connection',
    async fail({ commitConnection, ask }) {
      const connection = commitConnection();
      connection.silence('up');
      const answer = ask();
      await until('the commit is on its way', () => connection.heldUp > 0);
      connection.cut();
      return answer;
    },
    told: 'NOT_APPLIED',
  },
  {
    point: 'during COMMIT, its backend ended',
    async fail({ databaseUrl, organizationIds, ask }) {
      const lock = await lockHead(databaseUrl, organizationIds[0]!);
      const answer = ask();
      await untilBlocked(databaseUrl, COMMIT);
      await terminate(databaseUrl, COMMIT);
      await lock.release();
      return answer;
    },
    told: 'NOT_APPLIED',
  },
  {
    point: 'during COMMIT, the connection cut and the commit going through',
    async fail({ databaseUrl, organizationIds, commitConnection, ask }) {
      const lock = await lockHead(databaseUrl, organizationIds[0]!);
      const answer = ask();
      await untilBlocked(databaseUrl, COMMIT);
      commitConnection().cut();
      // The engine still looks for the outcome of the commit.
      await untilBlocked(databaseUrl, LEASES);
      await lock.release();
      return answer;
    },
    told: 'acknowledged',
  },
  {
    point: 'during COMMIT, the connection cut and the commit timing out',
    async fail({ databaseUrl, organizationIds, commitConnection, ask }) {
      const lock = await lockHead(databaseUrl, organizationIds[0]!);
      const answer = ask();
      await untilBlocked(databaseUrl, COMMIT);
      commitConnection().cut();
      await until('it has timed out', async () =>
        (await backendsOf(databaseUrl, COMMIT)).every(({ waitsForLock }) => !waitsForLock),
      );
      await lock.release();
      return answer;
    },
    told: 'NOT_APPLIED',
    leaseMs: 3_000,
  },
  {
    point: 'after COMMIT, the answer lost with the connection',
    async fail({ commitConnection, ask }) {
      const connection = commitConnection();
      connection.silence('down');
      const answer = ask();
      await until('it has been carried out', () => connection.heldDown > 0);
      connection.cut();
      return answer;
    },
    told: 'acknowledged',
  },
  {
    point: 'after COMMIT, before the answer is heard',
    async fail({ store, ask }) {
      store.failNext('after');
      return ask();
    },
    told: 'acknowledged',
  },
];

for (const { point, fail, told, leaseMs = 10_000 } of points) {
  test(`a commit that fails ${point} leaves memory and Postgres the same`, async () => {
    const store = createFaultyCommitStore();
    const fixture = await startEngineFixture({ wrapCommitStore: store.wrap, leaseMs });
    const journal = new Journal();
    let attempts = 0;
    try {
      await load(fixture, journal, 'before');
      const answered = await fail(sceneOf(fixture, store, journal));
      assert.deepEqual(answered.kind === 'refused' ? answered.code : answered.kind, told);
      await assertSound(fixture, journal);
      // On a slow machine the lease may have ended in the meantime.
      await until('the next command succeeds', async () => {
        const name = `next-${attempts++}`;
        const after = await fixture.send(operation(fixture, journal, name), 0);
        journal.heard(name, after);
        return after.kind === 'acknowledged';
      });
      await assertSound(fixture, journal);
      await load(fixture, journal, 'after');
      const compared = await assertSound(fixture, journal);
      assert.ok(compared > TASKS, `memory held ${compared} records to compare`);
    } finally {
      await fixture.stop();
    }
  });
}

for (const moment of ['before', 'during', 'after'] as const) {
  test(`every fourth commit failing ${moment} it is carried out loses and doubles nothing under load`, async () => {
    const store = createFaultyCommitStore();
    const fixture = await startEngineFixture({ wrapCommitStore: store.wrap });
    const journal = new Journal();
    try {
      store.failEvery(4, moment);
      await load(fixture, journal, 'task', TASKS_UNDER_FAULTS);
      assert.ok(store.commits > 20, `${store.commits} commits were too few`);
      await load(fixture, journal, 'after');
      await assertSound(fixture, journal);
    } finally {
      await fixture.stop();
    }
  });
}

function sceneOf(fixture: EngineFixture, store: FaultyCommitStore, journal: Journal): Scene {
  return {
    ...fixture,
    store,
    commitConnection: () => fixture.proxy.connections(COMMIT).at(-1)!,
    async ask() {
      const outcome = await fixture.send(operation(fixture, journal, 'fault'), 0);
      journal.heard('fault', outcome);
      return outcome;
    },
  };
}

function operation({ organizationIds }: EngineFixture, journal: Journal, key: string) {
  const made = { key, organizationId: organizationIds[0]!, kind: 'create' } as const;
  journal.sent(made);
  return made;
}

function load(fixture: EngineFixture, journal: Journal, name: string, tasks = TASKS): Promise<void> {
  const { send, organizationIds } = fixture;
  return runLoad({ journal, send, organizationIds, connections: CONNECTIONS, tasks, name });
}

/** Returns how many records of memory were compared. */
async function assertSound({ engine, databaseUrl, organizationIds }: EngineFixture, journal: Journal): Promise<number> {
  let compared = 0;
  for (const organizationId of organizationIds) {
    const { tasks, customers, keys } = await assertMemoryIsPostgres(engine, databaseUrl, organizationId, journal);
    compared += tasks + customers + keys;
  }
  await assertKeptPromises(journal, databaseUrl);
  return compared;
}
