import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type DoubtfulGroup, Settler } from '../../../engine/org/commit/settler.ts';
import { ShardOwnership } from '../../../engine/org/commit/shard-ownership.ts';
import { systemClock, systemScheduler } from '../../../engine/runtime/clock.ts';
import { armFaultPoints } from '../../../engine/runtime/fault-points.ts';
import { createReleaser } from '../../../engine/runtime/lifecycle.ts';
import { createLog } from '../../../engine/runtime/log.ts';
import { createRandomSource } from '../../../engine/runtime/random.ts';
import { shardOf } from '../../../engine/runtime/shard-of.ts';
import { createOrgStore, type OrgStore } from '../../../engine/store/actor/actor-store.ts';
import { createCommitStore } from '../../../engine/store/actor/commit-store.ts';
import { createShardStore, type ShardStore } from '../../../engine/store/cluster/shard-store.ts';
import { connectPostgres, type Sql } from '../../../engine/store/postgres.ts';
import { encodeHeads } from '../../support/seeds/encode-heads.ts';
import { seedOrganization } from '../../support/seeds/seed.ts';
import { createMigratedDatabase, randomName } from '../../support/stores.ts';
import { PATIENCE_MS } from '../../support/until.ts';

const TIMEOUT_MS = 10_000;
const random = createRandomSource();
const log = createLog('test', 'silent');
/** Nobody here is to give up, however slow the machine is. */
const patientClock = { ...systemClock, monotonic: () => 0 };

/** Faults while an outcome is looked for; each is tried with a group that was written, and one that was not. */
const TROUBLES: readonly {
  readonly what: string;
  readonly shards?: (store: ShardStore) => Partial<ShardStore>;
  readonly heads?: (store: OrgStore) => Partial<OrgStore>;
}[] = [
  { what: 'nothing goes wrong' },
  {
    what: 'a look at the heads fails',
    heads: (store) => ({ lastGroups: once(store.lastGroups, () => Promise.reject(new Error('planted'))) }),
  },
  {
    what: 'a raise is never sent',
    shards: (store) => ({ raiseEpochs: once(store.raiseEpochs, () => Promise.reject(new Error('planted'))) }),
  },
  {
    what: 'the answer to a raise is lost',
    shards: (store) => ({
      raiseEpochs: once(store.raiseEpochs, async (...asked) => {
        await store.raiseEpochs(...asked);
        throw new Error('planted');
      }),
    }),
  },
  {
    what: 'nothing is heard of a raise',
    shards: (store) => ({ raiseEpochs: once(store.raiseEpochs, () => new Promise(() => {})) }),
  },
  {
    what: 'nothing is heard of a look at the heads',
    heads: (store) => ({ lastGroups: once(store.lastGroups, () => new Promise(() => {})) }),
  },
];

describe('the settler finds the outcome of a group for certain, and raises its epoch by one,', {
  concurrency: 4,
}, () => {
  for (const { what, shards, heads } of TROUBLES) {
    for (const isWritten of [true, false]) {
      test(`when ${what}, and it was ${isWritten ? '' : 'not '}written`, async () => {
        await withScene({ ...(shards && { shards }), ...(heads && { heads }) }, async (scene) => {
          const group = scene.groupOf(scene.first);
          if (isWritten) await scene.write(group);
          assert.deepEqual(await scene.settler.settle([group]), [isWritten ? 'committed' : 'not-applied']);
          const [{ shard, epoch }] = group.fences as [DoubtfulGroup['fences'][number]];
          assert.deepEqual(await scene.inPostgres(shard), { epoch: epoch + 1, isOurs: true });
          assert.deepEqual(scene.ownership.fencesOf([shard]), [{ shard, epoch: epoch + 1 }]);
        });
      });
    }
  }
});

test('a raise that arrives long after its time fences nobody', async () => {
  let late = async () => {};
  const shards = (store: ShardStore) => ({
    raiseEpochs: once(store.raiseEpochs, (...asked) => {
      late = async () => void (await store.raiseEpochs(...asked));
      return Promise.reject(new Error('planted'));
    }),
  });
  await withScene({ shards }, async (scene) => {
    await scene.settler.settle([scene.groupOf(scene.first)]);
    await late();
    const next = scene.groupOf(scene.first);
    await scene.write(next);
    assert.deepEqual(await scene.settler.settle([next]), ['committed']);
  });
});

describe('a group that another owner may have written over is never said not to be applied', { concurrency: 4 }, () => {
  test('when the shard went before its epoch was raised', async () => {
    await withScene({}, async (scene) => {
      const group = scene.groupOf(scene.first);
      await scene.write(group);
      await scene.takeOver(scene.first);
      assert.deepEqual(await scene.settler.settle([group]), ['unknown']);
    });
  });

  test('when the shard went and came back', async () => {
    await withScene({}, async (scene) => {
      const group = scene.groupOf(scene.first);
      await scene.write(group);
      await scene.takeOver(scene.first);
      await scene.takeBack(scene.first);
      assert.deepEqual(await scene.settler.settle([group]), ['unknown']);
    });
  });

  test('when the shard went between the raise and the look at the heads', async () => {
    let takeOver = async () => {};
    const heads = (store: OrgStore) => ({
      lastGroups: once(store.lastGroups, async (asked) => {
        await takeOver();
        return store.lastGroups(asked);
      }),
    });
    await withScene({ heads }, async (scene) => {
      takeOver = () => scene.takeOver(scene.first);
      const group = scene.groupOf(scene.first);
      await scene.write(group);
      assert.deepEqual(await scene.settler.settle([group]), ['unknown']);
    });
  });
});

for (const [isWritten, outcome] of [
  [true, 'committed'],
  [false, 'not-applied'],
] as const) {
  test(`a group that lost one of its shards is found to be ${outcome} by the other one`, async () => {
    await withScene({}, async (scene) => {
      const group = scene.groupOf(scene.first, scene.second);
      if (isWritten) await scene.write(group);
      await scene.takeOver(scene.first);
      assert.deepEqual(await scene.settler.settle([group]), [outcome]);
    });
  });
}

test('a group whose mark a later group of the same process has overwritten is found to be committed', async () => {
  await withScene({}, async (scene) => {
    const [earlier, later] = [scene.groupOf(scene.first), scene.groupOf(scene.first)];
    await scene.write(earlier);
    await scene.write(later);
    const marks = [earlier.groupId, later.groupId];
    assert.deepEqual(await scene.settler.settle([{ ...earlier, marks }, later]), ['committed', 'committed']);
  });
});

test('of groups sent under two epochs of a shard, the newer one is raised', async () => {
  await withScene({}, async (scene) => {
    const earlier = scene.groupOf(scene.first);
    await scene.takeOver(scene.first);
    await scene.takeBack(scene.first);
    // The process comes to know it.
    await scene.ownership.raise(earlier.fences, PATIENCE_MS);
    const later = scene.groupOf(scene.first);
    assert.deepEqual(await scene.settler.settle([earlier, later]), ['unknown', 'not-applied']);
    const [{ shard, epoch }] = later.fences as [DoubtfulGroup['fences'][number]];
    assert.deepEqual(await scene.inPostgres(shard), { epoch: epoch + 1, isOurs: true });
  });
});

interface Faults {
  readonly shards?: (store: ShardStore) => Partial<ShardStore>;
  readonly heads?: (store: OrgStore) => Partial<OrgStore>;
}

/** A process that owns all shards, and organizations of two of them. */
class Scene {
  readonly first: number;
  readonly second: number;
  readonly ownership: ShardOwnership;
  readonly settler: Settler;
  readonly #url: string;
  readonly #sql: Sql;

  constructor(url: string, sql: Sql, organizations: readonly [number, number], { shards, heads }: Faults) {
    [this.first, this.second] = organizations;
    this.#url = url;
    this.#sql = sql;
    const [shardStore, orgStore] = [createShardStore(sql), createOrgStore(sql)];
    this.ownership = new ShardOwnership({
      store: { ...shardStore, ...shards?.(shardStore) },
      clock: systemClock,
      scheduler: { ...systemScheduler, every: () => () => {} },
      log,
      fault: armFaultPoints(undefined),
      gatewayId: randomName('engine'),
      incarnation: random.uuid(),
      leaseMs: 600_000,
      onLost: () => {},
      onGained: () => {},
      onSuperseded: () => {},
    });
    this.settler = new Settler(this.ownership, { ...orgStore, ...heads?.(orgStore) }, patientClock, log);
  }

  /** A group that would change only the heads of these organizations. */
  groupOf(...organizationIds: readonly number[]): DoubtfulGroup {
    const groupId = random.uuid();
    const fences = this.ownership.fencesOf(organizationIds.map(shardOf))!;
    return { groupId, organizationIds, fences, marks: [groupId] };
  }

  async write({ groupId, organizationIds, fences }: DoubtfulGroup): Promise<void> {
    const store = createCommitStore(this.#url, { statementTimeoutMs: TIMEOUT_MS, deadlineMs: TIMEOUT_MS });
    try {
      await store.commit(encodeHeads(groupId, organizationIds, fences));
    } finally {
      await store.stop();
    }
  }

  /** Another process owns the organization's shard, and has changed its head. */
  async takeOver(organizationId: number): Promise<void> {
    await this.#sql`
      UPDATE shards SET owner = gen_random_uuid(), epoch = epoch + 1 WHERE shard = ${shardOf(organizationId)}`;
    await this.#sql`
      UPDATE organization_heads SET last_group = gen_random_uuid() WHERE organization_id = ${organizationId}`;
  }

  async takeBack(organizationId: number): Promise<void> {
    await this.#sql`
      UPDATE shards SET owner = ${this.ownership.incarnation}::uuid, epoch = epoch + 1
      WHERE shard = ${shardOf(organizationId)}`;
  }

  async inPostgres(shard: number) {
    const [row] = await this.#sql<{ epoch: number; isOurs: boolean }[]>`
      SELECT epoch, owner = ${this.ownership.incarnation}::uuid AS is_ours FROM shards WHERE shard = ${shard}`;
    return { ...row! };
  }
}

async function withScene(faults: Faults, body: (scene: Scene) => Promise<void>): Promise<void> {
  const releaser = createReleaser(() => {});
  try {
    const database = await createMigratedDatabase();
    releaser.push('database', () => database.drop());
    const organizations = [];
    for (let i = 0; i < 2; i++) organizations.push((await seedOrganization(database.url)).organizationId);
    const [first, second] = organizations as [number, number];
    assert.notEqual(shardOf(first), shardOf(second));
    const sql = connectPostgres(database.url, { name: 'settler', connections: 2, statementTimeoutMs: TIMEOUT_MS });
    releaser.push('connections', () => sql.end({ timeout: 1 }));
    const scene = new Scene(database.url, sql, [first, second], faults);
    await scene.ownership.start('127.0.0.1:0');
    await body(scene);
  } finally {
    await releaser.stop();
  }
}

/** Does something else when it is called for the first time. */
function once<A extends readonly unknown[], T>(
  always: (...asked: A) => Promise<T>,
  first: (...asked: A) => Promise<T>,
): (...asked: A) => Promise<T> {
  let isFirst = true;
  return (...asked) => {
    const act = isFirst ? first : always;
    isFirst = false;
    return act(...asked);
  };
}
