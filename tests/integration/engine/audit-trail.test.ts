import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as v from 'valibot';
import type { Answer, Caller, Command } from '../../../schema/commands.ts';
import { createCustomerInput, updateCustomerInput } from '../../../schema/customers/customer.ts';
import { createWarehouseInput, updateWarehouseInput } from '../../../schema/customers/warehouse.ts';
import { createTaskSchema } from '../../../schema/tasks/create-task.ts';
import type { TaskChanges } from '../../../schema/tasks/task-changes.ts';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import { updateTaskSchema } from '../../../schema/tasks/update-task.ts';
import { callerOf, type EngineFixture, startEngineFixture } from '../../faults/support/engine-fixture.ts';
import { taskInput } from '../../support/api-client.ts';
import { withSql } from '../../support/seeds/seed.ts';
import { until } from '../../support/until.ts';

const ORIGIN = { correlationId: '3b241101-e2bb-4255-8caf-4136c566a962', address: 'fe80::1%eth0' };

let fixture: EngineFixture;
let organizationId: number;
let caller: Caller;

before(async () => {
  fixture = await startEngineFixture({ organizations: 1 });
  organizationId = fixture.organizationIds[0]!;
  caller = { ...callerOf(fixture.organizations[0]!), origin: ORIGIN };
});
after(() => fixture.stop());

async function ask<T = TaskView>(command: Command): Promise<T> {
  const answer: Answer = await fixture.engine.ask(organizationId, command);
  assert.ok(answer.ok, JSON.stringify(answer));
  return JSON.parse(answer.data) as T;
}

const createTask = (overrides: object = {}) =>
  ask({ kind: 'create-task', caller, input: v.parse(createTaskSchema(), taskInput(overrides)) });
const updateTask = (taskId: number, body: object) =>
  ask({ kind: 'update-task', caller, taskId, input: v.parse(updateTaskSchema(), body) });

interface Line {
  readonly kind: string;
  readonly actorType: string;
  readonly actorId: number | null;
  readonly correlationId: string | null;
  readonly address: string | null;
  readonly changes: TaskChanges | null;
}
const historyOf = (taskId: number) =>
  withSql(fixture.databaseUrl, async (sql) => [
    ...(await sql<Line[]>`
      SELECT kind, actor_type, actor_id, correlation_id, address, changes FROM task_history
      WHERE organization_id = ${organizationId} AND task_id = ${taskId} ORDER BY sequence`),
  ]);

interface AuditLine {
  readonly version: number;
  readonly correlationId: string | null;
  readonly address: string | null;
  readonly actorId: number | null;
  readonly before: Record<string, unknown> | null;
  readonly after: Record<string, unknown>;
}
const auditOf = (recordType: string, recordId: number) =>
  withSql(fixture.databaseUrl, async (sql) => [
    ...(await sql<AuditLine[]>`
      SELECT version, correlation_id, address, actor_id, before, after FROM audit_records
      WHERE organization_id = ${organizationId} AND record_type = ${recordType} AND record_id = ${recordId}
      ORDER BY version`),
  ]);

test('a step of a task keeps who made it, from where, and the fields that changed with their former values', async () => {
  const { id } = await createTask({ notes: 'ring twice' });
  await updateTask(id, { notes: 'knock', name: 'Two boxes of books' });
  const [created, updated] = await historyOf(id);
  const who = { actorType: 'channel', actorId: caller.id, ...ORIGIN };
  assert.deepEqual(created, { kind: 'created', ...who, changes: null });
  assert.deepEqual(updated, {
    kind: 'updated',
    ...who,
    changes: { before: { notes: 'ring twice' }, after: { notes: 'knock' } },
  });
});

test('packages that end with their task are logged by id and changed fields', async () => {
  const { id, packages } = await createTask({ packages: [{ name: 'ice' }, { name: 'lamp' }] });
  await ask({ kind: 'change-task-status', caller, taskId: id, input: { status: 'cancelled' } });
  const { changes } = (await historyOf(id)).at(-1)!;
  assert.deepEqual([changes?.before.status, changes?.after.status], ['new', 'cancelled']);
  const side = (status: string) => packages.map((item) => ({ id: item.id, status }));
  assert.deepEqual(changes?.before.packages, side('pending'));
  assert.deepEqual(changes?.after.packages, side('cancelled'));
});

test('a package that moves to a new task is logged as gone by the task that it leaves', async () => {
  const { id, packages } = await createTask({ packages: [{ name: 'ice' }, { name: 'lamp' }] });
  const moved = packages[0]!;
  await ask({ kind: 'change-task-status', caller, taskId: id, input: { status: 'cancelled' } });
  await createTask({ packageIds: [moved.id] });
  const { changes } = (await historyOf(id)).at(-1)!;
  assert.deepEqual(
    changes?.before.packages?.map(({ id: packageId, name }) => [packageId, name]),
    [[moved.id, 'ice']],
  );
  assert.deepEqual(changes?.after.packages, []);
});

test('steps that the engine makes by itself name no request', async () => {
  const overdue = { timeToServe: 'scheduled', scheduledAt: new Date(Date.now() + 3_600_000).toISOString() };
  const { id } = await createTask(overdue);
  const actor = fixture.engine.parts.directory.find(organizationId)!;
  const lines = await withSql(fixture.databaseUrl, async (sql) => {
    // As if the hour had passed: the actor is not there meanwhile.
    actor.retire();
    await sql`UPDATE tasks SET deadline_at = now() - interval '1 second', scheduled_at = now() - interval '2 hours'
      WHERE organization_id = ${organizationId} AND id = ${id}`;
    await sql`UPDATE organization_heads SET next_deadline_at = now() - interval '1 second'
      WHERE organization_id = ${organizationId}`;
    await until('the task is reported as delayed', async () => {
      await fixture.engine.parts.directory.scanTimers();
      await fixture.engine.parts.directory.find(organizationId)?.wake();
      await fixture.engine.parts.groupCommit.whenIdle();
      return (await historyOf(id)).length >= 2;
    });
    return historyOf(id);
  });
  const { kind, actorType, actorId, correlationId, address } = lines[1]!;
  assert.deepEqual([kind, actorType, actorId, correlationId, address], ['delayed', 'system', null, null, null]);
});

test('customers keep every version with what it was before', async () => {
  const contact = { name: 'Grace Hopper', phone: '+442079460123' };
  const { id } = await ask<{ id: number }>({
    kind: 'create-customer',
    caller,
    input: v.parse(createCustomerInput, contact),
  });
  const input = v.parse(updateCustomerInput, { address: '1 Yard St' });
  await ask({ kind: 'update-customer', caller, customerId: id, input });
  await createTask({ customer: { ...contact, email: 'grace@navy.example' } });
  const [made, moved, filled] = await auditOf('customer', id);
  assert.deepEqual([made?.before, made?.after['phoneE164']], [null, contact.phone]);
  assert.deepEqual([moved?.before?.['address'], moved?.after['address']], [null, '1 Yard St']);
  assert.deepEqual(moved?.before, made?.after);
  assert.deepEqual([filled?.before?.['email'], filled?.after['email']], [null, 'grace@navy.example']);
  for (const line of [made, moved, filled]) {
    assert.deepEqual(
      { correlationId: line?.correlationId, address: line?.address, actorId: line?.actorId },
      { ...ORIGIN, actorId: caller.id },
    );
  }
});

test('warehouses are kept with their places', async () => {
  const { location } = taskInput();
  const { id } = await ask<{ id: number }>({
    kind: 'create-warehouse',
    caller,
    input: v.parse(createWarehouseInput, { name: 'North', location }),
  });
  const input = v.parse(updateWarehouseInput, { location: { ...(location as object), address: '2 Elsewhere' } });
  await ask({ kind: 'update-warehouse', caller, warehouseId: id, input });
  const [, moved] = await auditOf('warehouse', id);
  const places = [moved?.before?.['location'], moved?.after['location']].map(
    (at) => (at as { address: string }).address,
  );
  assert.deepEqual(places, ['12 St James Square, London', '2 Elsewhere']);
});

test('a command that changes nothing leaves no line', async () => {
  const { id, notes } = await createTask({ notes: 'same' });
  await updateTask(id, { notes });
  assert.equal((await historyOf(id)).length, 1);
});
