import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Engine } from '../../../engine/org/start-engine.ts';
import { type Clock, systemClock } from '../../../engine/runtime/clock.ts';
import { createReleaser } from '../../../engine/runtime/lifecycle.ts';
import type { Sql } from '../../../engine/store/postgres.ts';
import { createApiClient } from '../../support/api-client.ts';
import { seedAgent, seedChannel, withSql } from '../../support/seeds/seed.ts';
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

test('deadlines of tasks and shifts that a killed owner has set fire at the next owner', async () => {
  let agentId = 0;
  const createAtA = async (place: TestPlace) => {
    const a = await startTestGateway({ place, process: true, environment: { GATEWAY_ID: 'a' } });
    const client = createApiClient(a);
    try {
      const made = await client.post('/tasks', { ...createBody('late'), estimatedDuration: 1 });
      assert.equal(made.status, 201, made.text);
      agentId = await agentWithShift(a, place);
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
    await until('the shift ends', async () => (await offDutyOf(place, agentId)) === null);
    const events = await withSql(
      place.databaseUrl,
      (sql) => sql<{ type: string; epoch: number }[]>`SELECT type, epoch FROM events ORDER BY sequence`,
    );
    assert.deepEqual(
      events.map(({ type }) => type),
      ['task.created', 'agent.shifts_changed', 'task.delayed', 'agent.shift_ended'],
    );
    assert.ok(
      events.slice(2).every(({ epoch }) => epoch > events[0]!.epoch),
      'B wrote the events',
    );
    const input = { ...RANGE, shifts: [] };
    const command = { kind: 'put-shifts', caller: callerOf(place), agentId, input } as const;
    const cleared = await engine.ask(place.organizationId, command);
    assert.ok(cleared.ok);
    const [last] = await withSql(
      place.databaseUrl,
      (sql) => sql<{ shifts: unknown }[]>`SELECT shifts FROM agents WHERE id = ${agentId}`,
    );
    assert.equal(last!.shifts, null);
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

/** A range around the clock's time, whenever the test runs. */
const RANGE = { from: '2020-01-01T00:00:00.000Z', to: '2990-01-01T00:00:00.000Z' };

/** An agent that works for as long as the task of the test has time. */
async function agentWithShift({ baseUrl }: { readonly baseUrl: string }, place: TestPlace): Promise<number> {
  const { databaseUrl, organizationId } = place;
  const { agentId } = await seedAgent(databaseUrl, organizationId);
  const { key } = await seedChannel(databaseUrl, organizationId, { role: 'dispatcher' });
  const client = createApiClient({ baseUrl, key });
  const now = Date.now();
  const shift = { startsAt: new Date(now - MINUTE).toISOString(), endsAt: new Date(now + MINUTE).toISOString() };
  const put = await client.put<{ items: object[] }>(`/agents/${agentId}/shifts`, { ...RANGE, shifts: [shift] });
  assert.deepEqual([put.status, put.body.data.items], [200, [{ ...shift, breaks: [] }]], put.text);
  client.close();
  return agentId;
}

async function offDutyOf({ databaseUrl }: TestPlace, agentId: number): Promise<string | null> {
  const query = (sql: Sql) => sql<{ offDutyAt: string | null }[]>`SELECT off_duty_at FROM agents WHERE id = ${agentId}`;
  return (await withSql(databaseUrl, query))[0]!.offDutyAt;
}

async function delayedOf({ databaseUrl }: TestPlace): Promise<{ readonly delayed: number; readonly tasks: number }> {
  const [row] = await withSql(
    databaseUrl,
    (sql) => sql<{ delayed: number; tasks: number }[]>`
      SELECT count(delayed_at) AS delayed, count(*) AS tasks FROM tasks`,
  );
  return { ...row! };
}
