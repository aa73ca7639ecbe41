import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import type { FaultPoint } from '../../../engine/runtime/fault-points.ts';
import { createReleaser } from '../../../engine/runtime/lifecycle.ts';
import type { Answer, Caller, Command } from '../../../schema/commands.ts';
import type { LoggedEvent } from '../../../schema/events.ts';
import {
  callerOf,
  type EngineFixture,
  openTestEngine,
  startEngineFixture,
} from '../../faults/support/engine-fixture.ts';
import { type SeededOrganization, seedAgent, seedOrganization, withSql } from '../../support/seeds/seed.ts';
import { seedTasks } from '../../support/seeds/seed-task.ts';
import { createMigratedDatabase } from '../../support/stores.ts';
import { createFaultyCommitStore } from '../../support/system/faulty-commit-store.ts';
import { until } from '../../support/until.ts';
import { taskRecord, writeTasks } from '../store/task-writer.ts';
import { PLACE, type WatchedTask, watchAgent } from './watched-agent.ts';

const faulty = createFaultyCommitStore();
let fixture: EngineFixture;
let organization: SeededOrganization;
let caller: Caller;

before(async () => {
  fixture = await startEngineFixture({ organizations: 1, wrapCommitStore: faulty.wrap });
  organization = fixture.organizations[0]!;
  caller = callerOf(organization);
});
after(() => fixture.stop());

async function seedTransit(databaseUrl: string, owner: SeededOrganization): Promise<WatchedTask> {
  const { agentId } = await seedAgent(databaseUrl, owner.organizationId);
  const [task] = await seedTasks(databaseUrl, owner, [{ agentId, status: 'in_transit' }]);
  const { latitude, longitude } = PLACE;
  await withSql(
    databaseUrl,
    (sql) => sql`
      WITH place AS (
        INSERT INTO locations (organization_id, id, address, latitude, longitude)
        VALUES (${owner.organizationId}, nextval('location_ids'), '3 High Street', ${latitude}, ${longitude}) RETURNING id)
      UPDATE tasks SET deadline_at = due_at, location_id = (SELECT id FROM place) WHERE id = ${task!.id}`,
  );
  return { organizationId: owner.organizationId, taskId: task!.id, agentId };
}

const inTransit = () => seedTransit(fixture.databaseUrl, organization);

async function ask(command: Command): Promise<Extract<Answer, { ok: true }>> {
  const answer = await fixture.engine.ask(organization.organizationId, command);
  assert.ok(answer.ok, JSON.stringify(answer));
  return answer;
}

interface Told {
  readonly type: LoggedEvent['type'];
  readonly data: Record<string, unknown> & { readonly task: { readonly id: number } };
}

/** The events of a task in the log, without their origin. */
async function toldOf({ taskId, organizationId }: WatchedTask, databaseUrl = fixture.databaseUrl): Promise<Told[]> {
  const rows = await withSql(
    databaseUrl,
    (sql) => sql<{ body: string }[]>`
      SELECT body FROM events WHERE organization_id = ${organizationId} ORDER BY sequence`,
  );
  return rows.map(({ body }) => JSON.parse(body) as Told).filter(({ data }) => data.task.id === taskId);
}

async function rowOf({ taskId }: WatchedTask) {
  const [row] = await withSql(
    fixture.databaseUrl,
    (sql) => sql<{ arrivedAt: string | null; etaAt: string | null; version: number }[]>`
      SELECT arrived_at, eta_at, version FROM tasks WHERE id = ${taskId}`,
  );
  return { ...row! };
}

/** The record as the actor has it, and as the next one reads it. */
async function recordsOf({ taskId }: WatchedTask) {
  const record = () => fixture.engine.parts.directory.find(organization.organizationId)!.state.findTask(taskId)!.task;
  const remembered = record();
  fixture.engine.parts.directory.find(organization.organizationId)!.retire();
  await ask({ kind: 'read-task', caller, taskId, show: 'task' });
  return { remembered, read: record() };
}

test('an agent that stays at the place of its task arrives once, with place and time', async () => {
  const task = await inTransit();
  const agent = watchAgent(fixture.engine, task);
  const earliest = new Date().toISOString();
  agent.reports(20, 0);
  await agent.settled();
  for (const away of [20, 500, 20]) agent.reports(away, 0);
  await agent.settled();
  const told = await toldOf(task);
  assert.deepEqual(
    told.map(({ type }) => type),
    ['task.arrived'],
  );
  const { agentId, position, at, actor } = told[0]!.data;
  assert.deepEqual([agentId, actor], [task.agentId, { type: 'system', id: null }]);
  assert.deepEqual(position, { latitude: PLACE.latitude + 20 / 111_195, longitude: PLACE.longitude });
  assert.ok((at as string) >= earliest && (at as string) <= new Date().toISOString());
  const { remembered, read } = await recordsOf(task);
  assert.equal(remembered.arrivedAt, at);
  assert.deepEqual(read, remembered);
});

test('an arrival stands in the history of the task, as of when it was', async () => {
  const task = await inTransit();
  const { taskId, agentId } = task;
  const at = new Date(Date.now() - 60_000).toISOString();
  await ask({
    kind: 'note-arrival',
    caller: { ...caller, type: 'system', id: null },
    taskId,
    agentId,
    place: 'dropoff',
    at,
    ...PLACE,
  });
  const [step] = await withSql(
    fixture.databaseUrl,
    (sql) => sql<{ kind: string; at: string; actorType: string; details: unknown; changes: unknown }[]>`
      SELECT kind, at, actor_type, details, changes FROM task_history WHERE task_id = ${taskId}`,
  );
  assert.deepEqual([step!.kind, step!.actorType], ['arrived', 'system']);
  assert.equal(new Date(step!.at).toISOString(), at);
  assert.deepEqual(step!.details, { place: 'dropoff', agentId, position: PLACE });
  assert.deepEqual(step!.changes, { before: { arrivedAt: null }, after: { arrivedAt: at } });
});

test('an ETA is an event when it is known and when it moves, with the one before it', async () => {
  const task = await inTransit();
  for (const away of [2_000, 2_100, 9_000]) {
    // Each report is that of another process, which knows no ETA but the one in the record.
    const agent = watchAgent(fixture.engine, task);
    agent.becomes({ etaAt: (await rowOf(task)).etaAt && new Date((await rowOf(task)).etaAt!).toISOString() });
    agent.reports(away);
    await agent.settled();
  }
  const told = await toldOf(task);
  assert.deepEqual(
    told.map(({ type }) => type),
    ['task.eta_updated', 'task.eta_updated'],
  );
  const [first, second] = told.map(({ data }) => data);
  assert.equal(first!['previousEtaAt'], null);
  assert.equal(second!['previousEtaAt'], first!['etaAt']);
  const minutesLater = (Date.parse(second!['etaAt'] as string) - Date.parse(first!['etaAt'] as string)) / 60_000;
  // 7 km more are 9.1 km of road at 25 km/h.
  assert.ok(Math.abs(minutesLater - 21.84) < 0.2, `${minutesLater}`);
  const { remembered, read } = await recordsOf(task);
  assert.equal(remembered.etaAt, second!['etaAt']);
  assert.deepEqual(read, remembered);
});

test('an ETA, an arrival and the end of their task may share a commit', async () => {
  const task = await inTransit();
  const { taskId, agentId } = task;
  const system: Caller = { ...caller, type: 'system', id: null };
  const etaAt = new Date(Date.now() + 600_000).toISOString();
  const held = faulty.hold();
  // The first one occupies the commit, so that the next ones gather in one.
  const waiting = [ask({ kind: 'note-eta', caller: system, taskId, agentId, etaAt, pickupEtaAt: null })];
  await held.arrived;
  const at = new Date().toISOString();
  waiting.push(ask({ kind: 'note-arrival', caller: system, taskId, agentId, place: 'dropoff', at, ...PLACE }));
  waiting.push(ask({ kind: 'change-task-status', caller, taskId, input: { status: 'completed' } }));
  held.release();
  await Promise.all(waiting);
  const types = (await toldOf(task)).map(({ type }) => type);
  assert.deepEqual(types, ['task.eta_updated', 'task.arrived', 'task.status_changed']);
  const { remembered, read } = await recordsOf(task);
  assert.deepEqual([read.arrivedAt, read.etaAt], [at, etaAt]);
  assert.deepEqual(read, remembered);
});

test('a task that was made and has arrived within one commit keeps when', async () => {
  const { organizationId } = organization;
  const times = { arrivedAt: '2031-05-01T12:00:00.123Z', etaAt: '2031-05-01T12:04:00.000Z' };
  const task = await withSql(fixture.databaseUrl, async (sql) => {
    const [row] = await sql<{ id: number }[]>`SELECT nextval('task_ids') AS id`;
    const made = taskRecord({ organizationId, id: row!.id, status: 'in_transit', ...times });
    await writeTasks(sql, [made]);
    return made;
  });
  await ask({ kind: 'read-task', caller, taskId: task.id, show: 'task' });
  assert.deepEqual(fixture.engine.parts.directory.find(organizationId)!.state.findTask(task.id)!.task, task);
});

test('a report that comes too late to matter is answered, and changes nothing', async () => {
  const task = await inTransit();
  const { taskId, agentId } = task;
  await ask({ kind: 'change-task-status', caller, taskId, input: { status: 'completed' } });
  const before = await rowOf(task);
  const etaAt = new Date(Date.now() + 600_000).toISOString();
  await ask({
    kind: 'note-arrival',
    caller,
    taskId,
    agentId,
    place: 'dropoff',
    at: new Date().toISOString(),
    ...PLACE,
  });
  await ask({ kind: 'note-eta', caller, taskId, agentId, etaAt, pickupEtaAt: null });
  assert.deepEqual(await rowOf(task), before);
  assert.deepEqual(
    (await toldOf(task)).map(({ type }) => type),
    ['task.status_changed'],
  );
});

for (const moment of ['before', 'during', 'after'] as const) {
  test(`an arrival is one event when its commit is lost ${moment} being carried out`, async () => {
    const task = await inTransit();
    const agent = watchAgent(fixture.engine, task);
    faulty.failNext(moment);
    await until('its event is there', async () => {
      agent.reports(20, 0);
      await agent.settled();
      return (await rowOf(task)).arrivedAt !== null;
    });
    for (let i = 0; i < 3; i++) agent.reports(20, 0);
    await agent.settled();
    assert.deepEqual(
      (await toldOf(task)).map(({ type }) => type),
      ['task.arrived'],
    );
  });
}

/** Where the process ends as by kill -9, and how often the arrival is in the log then. */
const ENDS: readonly (readonly [point: FaultPoint, told: number | 'either'])[] = [
  ['before-commit-send', 0],
  ['after-commit-send', 'either'],
  ['after-commit-before-reply', 1],
];

test('an arrival is one event wherever its process ends on the way', async () => {
  const releaser = createReleaser(() => {});
  try {
    const database = await createMigratedDatabase();
    releaser.push('database', () => database.drop());
    const tasks: WatchedTask[] = [];
    for (const _ of ENDS) tasks.push(await seedTransit(database.url, await seedOrganization(database.url)));
    const before: Told[][] = [];
    for (const [index, [point, told]] of ENDS.entries()) {
      const task = tasks[index]!;
      assert.equal(await runStandIn(database.url, point, task), 'SIGKILL', point);
      before.push(await toldOf(task, database.url));
      if (told !== 'either') assert.equal(before[index]!.length, told, point);
      // The end of its lease does the same.
      await withSql(database.url, (sql) => sql`UPDATE gateways SET lease_expires_at = now()`);
    }
    const engine = await openTestEngine(database.url, { releaser });
    await until('it owns all shards', () => engine.parts.ownership.ownedCount === 256);
    for (const [index, [point]] of ENDS.entries()) {
      const task = tasks[index]!;
      const agent = watchAgent(engine, task);
      for (let i = 0; i < 3; i++) agent.reports(20, 0);
      await agent.settled();
      const told = await toldOf(task, database.url);
      assert.deepEqual(
        told.map(({ type }) => type),
        ['task.arrived'],
        point,
      );
      if (before[index]!.length > 0) assert.deepEqual(told, before[index], 'the one that was sent before');
    }
  } finally {
    await releaser.stop();
  }
});

async function runStandIn(databaseUrl: string, point: FaultPoint, task: WatchedTask): Promise<unknown> {
  const program = new URL('./stand-in-arrival-watch.ts', import.meta.url).pathname;
  const args = ['--import', 'tsx', program, databaseUrl, point, JSON.stringify(task)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  const [, signal] = await once(child, 'exit');
  return signal;
}
