import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OrgBatch, type StagedRow } from '../../../../engine/org/apply/org-batch.ts';
import { encodeBatch } from '../../../../engine/org/commit/encode-batch.ts';
import { encodeGroup } from '../../../../engine/org/commit/encode-group.ts';
import { createRandomSource } from '../../../../engine/runtime/random.ts';
import { type CommitStore, createCommitStore } from '../../../../engine/store/actor/commit-store.ts';
import type { RecordColumns } from '../../../../engine/store/rows/record-columns.ts';
import {
  AGENT,
  ASSIGNMENT_REQUEST,
  CUSTOMER,
  LOCATION,
  PACKAGE,
  PAYMENT,
  TASK,
  TASK_HISTORY,
  WAREHOUSE,
} from '../../../../engine/store/rows/record-tables.ts';
import { TASK_STATUSES, type TaskRecord, type TaskStatus } from '../../../../schema/tasks/task.ts';
import { seedOrganization } from '../../../support/seeds/seed.ts';
import { useDatabase } from '../../../support/system/use-database.ts';

/**
 * A commit of a row of each table that comes as lines, each field with a value of its own: what stands one place further
 * than it was meant is seen, also between fields of one type.
 */

let store: CommitStore;
let organizationId: number;
/** The types of the columns of each table. */
const types = new Map<string, string>();
const random = createRandomSource();

const { url, sql } = useDatabase(
  {},
  async () => {
    store = createCommitStore(url, { statementTimeoutMs: 30_000, deadlineMs: 30_000 });
    ({ organizationId } = await seedOrganization(url));
    const columns = await sql<{ name: string; type: string }[]>`
      SELECT table_name || '.' || column_name AS name, data_type AS type FROM information_schema.columns
      WHERE table_schema = 'public'`;
    for (const { name, type } of columns) types.set(name, type);
  },
  () => store.stop(),
);

type Row = Readonly<Record<string, unknown>>;

/** Values that Postgres would reject or understand differently. */
const MEANT: Readonly<Record<string, Row>> = {
  customers: { customerType: 'business' },
  locations: { latitude: 12.5, longitude: -120.25 },
  tasks: { status: 'assigned', integrationData: null },
  agents: { agentType: 'freelancer', isActive: true, onDuty: false },
  assignment_requests: { status: 'accepted' },
  payments: { method: 'wallet', status: 'failed', step: 'refund' },
};

/** The fields that a change leaves as they were. */
const KEPT: Readonly<Record<string, readonly string[]>> = {
  customers: ['userId', 'createdAt'],
  tasks: [
    'code',
    'taskType',
    'customerId',
    'channelId',
    'parentId',
    'trackingToken',
    'createdAt',
    'attempt',
    'previousTaskId',
  ],
  packages: ['createdAt'],
  warehouses: ['createdAt'],
  agents: ['userId', 'email', 'createdAt'],
  assignment_requests: [
    ...['taskId', 'agentId', 'channelId', 'mode', 'attempt', 'score', 'distanceM', 'etaSeconds'],
    ...['expiresAt', 'createdAt'],
  ],
  payments: [
    ...['taskId', 'customerId', 'agentId', 'courierId', 'channelId', 'method', 'amountMinor', 'currency', 'reference'],
    ...['provider', 'checkoutToken', 'createdAt'],
  ],
};

const HASH = 'hash, (of "a" \\password)';
const BODY = '{"a":"\\u001e"}';
let told = 1_000;

/** Another value at each call. */
function nextValue(table: string, name: string): unknown {
  told += 1;
  const type = types.get(`${table}.${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`)!;
  if (type.startsWith('timestamp')) return new Date(Date.UTC(2030, 0, 1) + told * 1_001).toISOString();
  if (type === 'json') return { [name]: `${told} "\\,` };
  if (type === 'double precision') return told + 0.125;
  if (type === 'boolean') return told % 2 === 0;
  if (type === 'uuid') return random.uuid();
  return type === 'text' ? `${name} ${told} (")` : told;
}

function madeUp<T>(table: string, { names }: RecordColumns<T>, fixed: Row): T {
  const values = names.map((name) => [name, nextValue(table, name)]);
  return { ...Object.fromEntries(values), organizationId, ...MEANT[table], ...fixed } as T;
}

const VERSIONED = {
  customers: CUSTOMER,
  tasks: TASK,
  packages: PACKAGE,
  warehouses: WAREHOUSE,
  agents: AGENT,
  assignment_requests: ASSIGNMENT_REQUEST,
  payments: PAYMENT,
} as const;

/** A row of each table, in this version. */
function versionOf(version: number): Record<keyof typeof VERSIONED, Row> {
  const rows = Object.entries(VERSIONED).map(([table, columns]) => [
    table,
    madeUp<unknown>(table, columns as RecordColumns<unknown>, { id: 7, version }),
  ]);
  return Object.fromEntries(rows);
}

function stage(batch: OrgBatch, rows: ReturnType<typeof versionOf>, task: TaskRecord | null): void {
  const put = (map: ReadonlyMap<number, unknown>, record: Row) =>
    (map as Map<number, StagedRow<unknown>>).set(7, { record, expectedVersion: (record['version'] as number) - 1 });
  put(batch.customers, rows.customers);
  put(batch.tasks, rows.tasks);
  put(batch.packages, rows.packages);
  put(batch.warehouses, rows.warehouses);
  put(batch.agents, rows.agents);
  put(batch.requests, rows.assignment_requests);
  put(batch.payments, rows.payments);
  batch.taskChanges.push({ before: task, after: rows.tasks as unknown as TaskRecord });
}

function batchBehind(sequence: number, events: number): OrgBatch {
  const batch = new OrgBatch(organizationId, 1, sequence);
  batch.lastSequence = sequence + events;
  batch.lastAt = '2030-01-01T00:00:00.000Z';
  return batch;
}

const commit = (batch: OrgBatch) => store.commit(encodeGroup(random.uuid(), [encodeBatch(batch, 77)], []));

/** The one row of a table. */
async function readRow<T>(table: string, columns: RecordColumns<T>): Promise<T> {
  const rows = await sql
    .unsafe(`SELECT ${columns.list('t')} FROM ${table} t WHERE t.organization_id = $1`, [organizationId])
    .values();
  assert.equal(rows.length, 1, table);
  return columns.ofValues(rows[0]!, 0);
}

async function assertRows(meant: ReturnType<typeof versionOf>): Promise<void> {
  for (const [table, columns] of Object.entries(VERSIONED)) {
    const read = await readRow<unknown>(table, columns as RecordColumns<unknown>);
    assert.deepEqual({ ...(read as Row) }, meant[table as keyof typeof meant], table);
  }
}

/** The fields that readers of records do not see. */
async function assertBeside(task: Row, outcome: Row): Promise<void> {
  const [beside] = await sql`
    SELECT (SELECT task_id FROM locations WHERE organization_id = ${organizationId}) AS place,
      (SELECT status_rank FROM tasks WHERE organization_id = ${organizationId}) AS rank,
      (SELECT password_hash FROM users WHERE organization_id = ${organizationId} AND role = 'agent') AS password`;
  assert.deepEqual(
    { ...beside },
    { place: 9, rank: TASK_STATUSES.indexOf(task['status'] as TaskStatus), password: HASH },
  );
  const [event] = await sql`
    SELECT sequence, at, type, epoch, body FROM events WHERE organization_id = ${organizationId}`;
  assert.deepEqual({ ...event }, { sequence: 41, at: outcome['at'], type: 'task.created', epoch: 77, body: BODY });
  const [kept] = await sql`
    SELECT organization_id AS "organizationId", scope, key, at, fingerprint, status, sequence, told_at AS "toldAt", body
    FROM idempotency_records WHERE organization_id = ${organizationId}`;
  assert.deepEqual({ ...kept }, outcome);
}

test('each field of each row stands where it was meant, when it is made and when it changes', async () => {
  const made = versionOf(1);
  const first = batchBehind(0, 1);
  stage(first, made, null);
  first.passwords.set(7, HASH);
  const location = madeUp('locations', LOCATION, { id: 8 });
  first.locations.push({ location, taskId: 9 });
  const step = madeUp('task_history', TASK_HISTORY, { taskId: 7 });
  first.history.push(step);
  // There is a partition for it.
  const at = new Date().toISOString();
  first.events.push({ organizationId, sequence: 41, at, type: 'task.created', body: BODY });
  const outcome = { organizationId, scope: 'a, (scope)', key: 'a "key"', at, fingerprint: 'a \\print' };
  first.idempotency.push({ ...outcome, status: 201, sequence: 31, toldAt: 32, body: '{}' });
  await commit(first);
  await assertRows(made);
  assert.deepEqual(await readRow('locations', LOCATION), location);
  assert.deepEqual(await readRow('task_history', TASK_HISTORY), step);
  await assertBeside(made.tasks, { ...outcome, status: 201, sequence: 31, toldAt: 32, body: '' });

  const changed = versionOf(2);
  const second = batchBehind(1, 1);
  stage(second, changed, made.tasks as unknown as TaskRecord);
  await commit(second);
  const expected = Object.entries(changed).map(([table, row]) => {
    const was = made[table as keyof typeof made];
    return [table, { ...row, ...Object.fromEntries(KEPT[table]!.map((name) => [name, was[name]])) }];
  });
  await assertRows(Object.fromEntries(expected));
});
