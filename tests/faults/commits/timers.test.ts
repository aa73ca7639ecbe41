import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Engine } from '../../../engine/org/start-engine.ts';
import { type Clock, systemClock } from '../../../engine/runtime/clock.ts';
import { createReleaser } from '../../../engine/runtime/lifecycle.ts';
import { createApiClient } from '../../support/api-client.ts';
import { withSql } from '../../support/seeds/seed.ts';
import { createFaultyCommitStore, type FaultyCommitStore } from '../../support/system/faulty-commit-store.ts';
import { createTestPlace, startTestGateway, type TestPlace } from '../../support/system/gateway.ts';
import { until } from '../../support/until.ts';
import { callerOf, createCommand, openTestEngine } from '../support/engine-fixture.ts';
import { createBody } from '../support/journaled-load.ts';

const MINUTE = 60_000;

interface Scene {
  readonly place: TestPlace;
  readonly engine: Engine;
  readonly store: FaultyCommitStore;
  /** Sets the engine's wall clock forward. */
  forward(ms: number): void;
}

/** An engine at a place of its own. The test can set its wall clock forward. */
async function withEngine(body: (scene: Scene) => Promise<void>, prepare = async (_: TestPlace) => {}): Promise<void> {
  const releaser = createReleaser(() => {});
  const place = await createTestPlace();
  releaser.push('place', () => place.drop());
  const store = createFaultyCommitStore();
  let offsetMs = 0;
  const clock: Clock = { now: () => systemClock.now() + offsetMs, monotonic: systemClock.monotonic };
  try {
    await prepare(place);
    const engine = await openTestEngine(place.databaseUrl, { releaser, clock, wrapCommitStore: store.wrap });
    const forward = (ms: number) => {
      offsetMs += ms;
    };
    await body({ place, engine, store, forward });
  } finally {
    await releaser.stop();
  }
}

test('a deadline that a killed owner has set fires at the next owner', async () => {
  const createAtA = async (place: TestPlace) => {
    const a = await startTestGateway({ place, process: true, environment: { GATEWAY_ID: 'a' } });
    const client = createApiClient(a);
    try {
      const made = await client.post('/tasks', { ...createBody('late'), estimatedDuration: 1 });
      assert.equal(made.status, 201, made.text);
    } finally {
      client.close();
      await a.kill();
    }
    // The end of the lease does the same.
    await withSql(place.databaseUrl, (sql) => sql`UPDATE gateways SET lease_expires_at = now()`);
  };
  await withEngine(async ({ place, engine, forward }) => {
    await until('B owns all shards', async () => engine.parts.ownership.ownedCount === 256);
    assert.deepEqual(await delayedOf(place), { delayed: 0, tasks: 1 });
    forward(MINUTE + 1_000);
    await until('the deadline fires', async () => (await delayedOf(place)).delayed === 1);
    const events = await withSql(
      place.databaseUrl,
      (sql) => sql<{ type: string; epoch: number }[]>`SELECT type, epoch FROM events ORDER BY sequence`,
    );
    assert.deepEqual(
      events.map(({ type }) => type),
      ['task.created', 'task.delayed'],
    );
    assert.ok(events[1]!.epoch > events[0]!.epoch, 'B wrote the event');
  }, createAtA);
});

test('a deadline still fires when the batch that looks at the timers is refused for a guilty command', async () => {
  await withEngine(async ({ place, engine, store, forward }) => {
    const caller = callerOf(place);
    const { organizationId, databaseUrl } = place;
    await withSql(databaseUrl, (sql) => sql`ALTER TABLE tasks ADD CHECK (name NOT LIKE 'poison%')`);
    const made = createCommand('late', caller);
    const soon = { ...made, input: { ...(made as { input: object }).input, estimatedDuration: 1 } } as typeof made;
    assert.ok((await engine.ask(organizationId, soon)).ok);
    const other = engine.ask(organizationId, createCommand('other', caller));
    const { arrived, release } = store.hold();
    const occupying = engine.ask(organizationId, createCommand('occupying', caller));
    await arrived;
    const poison = engine.ask(organizationId, createCommand('poison', caller));
    await delay(100);
    forward(MINUTE + 1_000);
    // The engine looks at the timers once the commits in flight have ended: that look must meet the poison.
    void engine.parts.directory.scanTimers();
    await delay(100);
    release();
    assert.deepEqual(
      (await Promise.all([other, occupying, poison])).map(({ ok }) => ok),
      [true, true, false],
    );
    await until('the deadline fires', async () => (await delayedOf(place)).delayed === 1);
  });
});

async function delayedOf({ databaseUrl }: TestPlace): Promise<{ readonly delayed: number; readonly tasks: number }> {
  const [row] = await withSql(
    databaseUrl,
    (sql) => sql<{ delayed: number; tasks: number }[]>`
      SELECT count(delayed_at) AS delayed, count(*) AS tasks FROM tasks`,
  );
  return { ...row! };
}
