import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { createRoundStore, type RoundRows, type RoundStore } from '../../../engine/store/planning/round-store.ts';
import { connectPostgres, type Sql } from '../../../engine/store/postgres.ts';
import type { Command } from '../../../schema/commands.ts';
import { withSql } from '../../support/seeds/seed.ts';
import { type AssignmentFixture, startAssignmentFixture } from './assignment-fixture.ts';
import { assignmentStep } from './assignment-step.ts';

const AGENTS = 4;
const BURSTS = 80;

let fixture: AssignmentFixture;
let sql: Sql;
const agents: number[] = [];
const tasks: number[] = [];

before(async () => {
  fixture = await startAssignmentFixture({ maxTasksPerAgent: 20, maxAttempts: 4, leadMinutes: 100_000 });
  sql = connectPostgres(fixture.databaseUrl, { name: 'test', connections: 3, statementTimeoutMs: 10_000 });
  for (let i = 0; i < AGENTS; i++) agents.push(await fixture.agent());
});
after(async () => {
  await sql?.end({ timeout: 5 });
  await fixture?.stop();
});

const CUSTOMER = { name: 'Ada Lovelace', phone: '+442079460001' };
const PICKUP = { address: 'There', latitude: 51.6, longitude: -0.2 };

/** An action; `task` and `agent` count through the existing ones. */
const step = fc.record({
  what: fc.constantFrom(
    ...(['create', 'create', 'job', 'take-packages', 'propose', 'broadcast', 'accept', 'reject', 'expire'] as const),
    ...(['assign', 'assign', 'unassign', 'cancel', 'work', 'work', 'search', 'reschedule', 'move', 'note'] as const),
    ...(['pack', 'repack', 'unpack', 'lose', 'arrive', 'expect', 'duty', 'equip', 'dismiss'] as const),
  ),
  task: fc.nat(50),
  agent: fc.nat(AGENTS - 1),
  size: fc.nat(6),
});
type Step = ReturnType<typeof step.generate>['value'];

const ask = (command: Command) => fixture.ask(command);

async function create({ size }: Step): Promise<void> {
  const packages = Array.from({ length: size % 3 }, () => ({ name: 'a', weight: 1 + size, quantity: 1 + (size % 2) }));
  const pickup = size % 2 === 0 ? { pickupLocation: PICKUP } : {};
  const readyAt = new Date(fixture.now() + size * 60_000).toISOString();
  tasks.push((await fixture.task({ ...pickup, packages, readyAt, requiredSkills: ['cold'] })).id);
}

async function carryOut(one: Step): Promise<void> {
  const { what, task: number, agent, size } = one;
  if (tasks.length === 0) return create(one);
  // Mostly of the newest, or most steps would be about tasks that have ended.
  const taskId = tasks.at(-1 - (number % Math.min(tasks.length, 12)))!;
  await (assignmentStep(fixture, what, taskId, agents[agent]!, agents) ??
    changeTask(one, taskId) ??
    changePackages(one, taskId) ??
    changeAgent(what, agents[agent]!, size));
}

function changeTask({ what, agent, size }: Step, taskId: number): Promise<unknown> | undefined {
  const caller = fixture.staff;
  const agentId = agents[agent]!;
  const update = (input: object) =>
    ask({ kind: 'update-task', caller, taskId, input: { location: undefined, ...input } });
  const scheduledAt = new Date(Math.floor(fixture.now() / 3_600_000 + 48 + size) * 3_600_000).toISOString();
  const statuses = ['accepted', 'in_transit', 'completed'] as const;
  switch (what) {
    case 'expire':
      return fixture.pass(40_000);
    case 'cancel':
      return ask({ kind: 'change-task-status', caller, taskId, input: { status: 'cancelled' } });
    case 'work':
      return ask({ kind: 'change-task-status', caller, taskId, input: { status: statuses[size % 3]! } });
    case 'reschedule':
      return update({ scheduledAt });
    case 'move':
      return update(
        size % 2 === 0
          ? { location: { address: 'Elsewhere', latitude: 51 + size / 100, longitude: 0 } }
          : { ...planOf(size), preferredAgentId: agentId },
      );
    case 'note':
      return update({ notes: `note ${size}` });
    case 'arrive': {
      const at = new Date(fixture.now()).toISOString();
      return ask({
        kind: 'note-arrival',
        caller,
        taskId,
        agentId,
        place: 'dropoff',
        at,
        latitude: 51.5072178,
        longitude: -0.1357,
      });
    }
    case 'expect': {
      const etaAt = new Date(fixture.now() + size * 60_000).toISOString();
      return ask({ kind: 'note-eta', caller, taskId, agentId, etaAt, pickupEtaAt: null });
    }
    default:
      return undefined;
  }
}

function planOf(size: number): object {
  const [readyAt, windowEnd] = [1, 90].map((hours) =>
    new Date(fixture.now() + (size + hours) * 3_600_000).toISOString(),
  );
  const times = { readyAt, windowStart: readyAt, windowEnd, estimatedDuration: 5 + size };
  return { ...times, requiredSkills: ['warm'], pickupLocation: { ...PICKUP, latitude: 51 + size / 100 } };
}

function changePackages(one: Step, taskId: number): Promise<unknown> | undefined {
  const { what, size } = one;
  const caller = fixture.staff;
  const item = { name: 'more', weight: 1 + size, quantity: 1 };
  switch (what) {
    case 'create':
      return create(one);
    case 'job': {
      const part = { name: 'part', taskType: 'delivery', customer: CUSTOMER, location: PICKUP, autoAssign: true };
      const children = [{ ...part, packages: [item] }, part];
      return fixture.task({ autoAssign: false, children }).then(({ id }) => void tasks.push(id));
    }
    case 'take-packages':
      return takePackage(taskId);
    case 'pack':
      return ask({ kind: 'add-package', caller, taskId, input: item });
    case 'repack':
      return packagesOf(taskId).then((ids) => {
        const packages = [...ids.map((id) => ({ id, weight: 2 + size })), item].slice(-3);
        return ask({ kind: 'update-task', caller, taskId, input: { location: undefined, packages } });
      });
    case 'unpack':
      return unpack(taskId);
    case 'lose':
      return packagesOf(taskId).then(async ([packageId]) => {
        if (packageId) await ask({ kind: 'change-package-status', caller, packageId, input: { status: 'cancelled' } });
      });
    default:
      return undefined;
  }
}

const loose: number[] = [];

async function unpack(taskId: number): Promise<void> {
  loose.push(...(await packagesOf(taskId)));
  await ask({ kind: 'update-task', caller: fixture.staff, taskId, input: { location: undefined, packages: [] } });
}

/** A new task with one that was taken off another, unless that has it still. */
async function takePackage(taskId: number): Promise<void> {
  const packageIds = [...loose.splice(-1), ...(await packagesOf(taskId))].slice(0, 1);
  try {
    tasks.push((await fixture.task({ packageIds })).id);
  } catch (error) {
    assert.match((error as Error).message, /PACKAGE_ATTACHED/);
  }
}

async function packagesOf(taskId: number): Promise<number[]> {
  return ((await fixture.read(taskId)).packages ?? []).map(({ id }) => id);
}

async function changeAgent(what: Step['what'], agentId: number, size: number): Promise<void> {
  const caller = fixture.staff;
  const update = (input: object) => ask({ kind: 'update-agent', caller, agentId, input });
  if (what === 'duty') await ask({ kind: 'change-duty', caller, agentId, input: { onDuty: size % 3 > 0 } });
  if (what === 'equip')
    await update({ vehicle: { type: 'van', maxWeightKg: 100 + size }, skills: ['cold', `s${size}`] });
  if (what === 'dismiss') await update({ isActive: size % 3 > 0 });
}

const readAll = (store: RoundStore) => store.readRound(fixture.organization.organizationId, { after: 0 });

/** Carried orders come in no fixed order. */
function sorted({ carried, ...rows }: RoundRows): RoundRows {
  return { ...rows, carried: carried.toSorted((a, b) => a.taskId - b.taskId) };
}

const afresh = async () => sorted(await readAll(createRoundStore(sql, 0)));

test('for any actions, rounds with a memory see the same as one that reads everything again', async () => {
  const seed = Number(process.env['SEED'] ?? 1);
  const bursts = fc.sample(fc.array(step, { minLength: 1, maxLength: 3 }), { seed, numRuns: BURSTS });
  const [always, inTurns] = [createRoundStore(sql), createRoundStore(sql)];
  const seen = { sought: 0, carried: 0, loads: 0 };
  try {
    for (const [index, burst] of bursts.entries()) {
      await Promise.all(burst.map(carryOut));
      const all = await afresh();
      assert.deepEqual(sorted(await readAll(always)), all);
      if (index % 3 === 0) assert.deepEqual(sorted(await readAll(inTurns)), all);
      seen.sought += all.tasks.length;
      seen.carried += all.carried.length;
      seen.loads += [...all.tasks, ...all.carried].filter(({ packages }) => packages > 0).length;
    }
  } catch (error) {
    throw new Error(`SEED=${seed}: ${(error as Error).message}`, { cause: error });
  }
  // Or the rounds would have seen the same because they saw nothing.
  for (const count of Object.values(seen)) assert.ok(count > BURSTS, JSON.stringify(seen));
});

/** A store that says how many rows each of its statements had since the last look. */
function countingStore(fails = (_text: string) => false) {
  const counts: number[] = [];
  const unsafe = async (text: string, parameters: never[]) => {
    if (fails(text)) throw new Error('a planted failure');
    const rows = await sql.unsafe(text, parameters);
    counts.push(rows.length);
    return rows;
  };
  const store = createRoundStore(Object.assign(() => {}, { unsafe }) as unknown as Sql);
  return { store, counts: () => counts.splice(0) };
}

test('rows that have not changed since the last round are not read again', async () => {
  const { store, counts } = countingStore();
  const [first, second] = [await fixture.task(), await fixture.task({ packages: [{ name: 'a' }] })];
  const { tasks, agents, carried } = await readAll(store);
  const [, ofAgents, ofTasks] = counts();
  const known = new Set([...tasks, ...carried].map(({ taskId }) => taskId));
  assert.ok(ofAgents === agents.length && known.has(first.id) && ofTasks! >= known.size);
  await readAll(store);
  assert.deepEqual(counts(), [1]);
  await ask({ kind: 'add-package', caller: fixture.staff, taskId: first.id, input: { name: 'more' } });
  await fixture.task();
  assert.deepEqual(sorted(await readAll(store)), await afresh());
  assert.deepEqual(counts(), [1, 2]);
  for (const { id } of [first, second]) await cancel(id);
  assert.deepEqual(sorted(await readAll(store)), await afresh());
  assert.deepEqual(counts(), [1]);
  store.forget(fixture.organization.organizationId);
  await readAll(store);
  assert.equal(counts().length, 3);
});

const cancel = (taskId: number) =>
  ask({ kind: 'change-task-status', caller: fixture.staff, taskId, input: { status: 'cancelled' } });

test('a reading that fails halfway leaves what was known before', async () => {
  let isFailing = false;
  const { store, counts } = countingStore((text) => isFailing && text.includes('FROM tasks t\n'));
  const agentId = await fixture.agent();
  const { id } = await fixture.task();
  await readAll(store);
  await ask({ kind: 'change-duty', caller: fixture.staff, agentId, input: { onDuty: false } });
  await ask({ kind: 'add-package', caller: fixture.staff, taskId: id, input: { name: 'more' } });
  isFailing = true;
  await assert.rejects(readAll(store), /a planted failure/);
  isFailing = false;
  counts();
  assert.deepEqual(sorted(await readAll(store)), await afresh());
  assert.deepEqual(counts(), [1, 1]);
});

test('a task that came to its version another way, in a database that was restored, is read again', async () => {
  const store = createRoundStore(sql);
  const { id } = await fixture.task({ estimatedDuration: 10 });
  const durationOf = async () => (await readAll(store)).tasks.find(({ taskId }) => taskId === id)?.estimatedDuration;
  assert.equal(await durationOf(), 10);
  await withSql(
    fixture.databaseUrl,
    (direct) => direct`UPDATE tasks SET estimated_duration = 20, updated_at = updated_at + interval '1 millisecond'
      WHERE organization_id = ${fixture.organization.organizationId} AND id = ${id}`,
  );
  assert.equal(await durationOf(), 20);
});
