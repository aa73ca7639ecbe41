import { TASK_STATUSES, type TaskStatus } from '../../schema/task.ts';
import { encodeRecord, encodeValue } from '../store/encode-record.ts';
import type { IdempotencyRecord } from '../store/org-store.ts';
import type { RecordColumns } from '../store/record-columns.ts';
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
} from '../store/task-rows.ts';
import { countDeltas, paidTasks, relistedTasks, soughtChanges } from './list-upkeep.ts';
import type { OrgBatch, StagedLocation, StagedRow } from './org-batch.ts';

/** Occurs in no JSON text: control characters are always escaped there. */
export const RECORD_SEPARATOR = '\u001e';

/** What `commit_group` is told the number of rows of, in its order. */
export const COUNTED_TABLES = [
  'heads',
  'customers',
  'locations',
  'tasks',
  'packages',
  'history',
  'events',
  'idempotency',
  'usage',
  'warehouses',
  'organizations',
  'audit',
  'agents',
  'requests',
  'payments',
  'transfers',
  'ledgerEntries',
  'paidTasks',
] as const;

/** What few tasks are; `commit_group` is told how many, in its order, and looks for no others. */
export const TASK_MARKS = ['made', 'relisted', 'scheduled', 'reusing', 'referring', 'sought'] as const;

type Marks = Record<(typeof TASK_MARKS)[number], number>;

export type Table = (typeof COUNTED_TABLES)[number] | 'taskCounts';

/** Rows of one table, one after another. */
export interface EncodedRows {
  readonly json: string;
  readonly count: number;
}

/** The rows of one batch as JSON; bodies that are JSON themselves go beside them. */
export interface EncodedBatch {
  /** That its events carry. */
  readonly epoch: number;
  readonly tables: ReadonlyMap<Table, EncodedRows>;
  /** How many of its tasks are what `TASK_MARKS` names. */
  readonly marks: Readonly<Marks>;
  readonly eventBodies: string;
  readonly idempotencyBodies: string;
}

const STATUS_RANK = Object.fromEntries(TASK_STATUSES.map((status, rank) => [status, rank])) as Record<
  TaskStatus,
  number
>;

/** Encodes what a batch changes. It may not change any more; who waits for it is no part of that. */
export function encodeBatch(batch: OrgBatch, epoch: number): EncodedBatch {
  const { organizationId, expectedSequence, lastSequence, lastAt, nextDeadlineAt } = batch;
  const encoded: EncodedTables = new Map();
  put(encoded, 'heads', [JSON.stringify({ organizationId, expectedSequence, lastSequence, lastAt, nextDeadlineAt })]);
  put(encoded, 'customers', encodeRows(CUSTOMER, batch.customers));
  put(encoded, 'packages', encodeRows(PACKAGE, batch.packages));
  put(encoded, 'warehouses', encodeRows(WAREHOUSE, batch.warehouses));
  put(encoded, 'agents', encodeAgents(batch));
  put(encoded, 'requests', encodeRows(ASSIGNMENT_REQUEST, batch.requests));
  put(encoded, 'payments', encodeRows(PAYMENT, batch.payments));
  put(encoded, 'transfers', batch.transfers.map(encodeRecord));
  put(encoded, 'ledgerEntries', batch.ledgerEntries.map(encodeRecord));
  put(encoded, 'locations', batch.locations.map(encodeLocation));
  put(
    encoded,
    'history',
    batch.history.map((step) => `{${TASK_HISTORY.encode(step)}}`),
  );
  put(encoded, 'usage', encodeUsage(batch));
  put(encoded, 'events', encodeEvents(batch, epoch));
  put(encoded, 'idempotency', batch.idempotency.map(encodeOutcome));
  put(encoded, 'audit', batch.audit);
  put(encoded, 'organizations', encodeOrganization(batch));
  return {
    epoch,
    tables: encoded,
    marks: putTasks(encoded, batch),
    eventBodies: batch.events.map(({ body }) => body).join(RECORD_SEPARATOR),
    // What an event tells anyway is read from there.
    idempotencyBodies: batch.idempotency
      .map(({ toldAt, body }) => (toldAt === null ? body : ''))
      .join(RECORD_SEPARATOR),
  };
}

type EncodedTables = Map<Table, EncodedRows>;

function put(encoded: EncodedTables, table: Table, rows: readonly string[]): void {
  if (rows.length > 0) encoded.set(table, { json: rows.join(','), count: rows.length });
}

function encodeRows<T>({ encode }: RecordColumns<T>, rows: ReadonlyMap<number, StagedRow<T>>): string[] {
  const encoded: string[] = [];
  for (const { record, expectedVersion } of rows.values()) encoded.push(encodeRow(expectedVersion, encode(record)));
  return encoded;
}

function encodeRow(expectedVersion: number, members: string): string {
  return `{"expectedVersion":${expectedVersion},${members}}`;
}

/** `taskId`: the task that the place was made for, if it was made for one. */
function encodeLocation({ location, taskId }: StagedLocation): string {
  return `{${LOCATION.encode(location)}${taskId === null ? '' : `,"taskId":${taskId}`}}`;
}

function encodeAgents({ agents, passwords }: OrgBatch): string[] {
  return [...agents].map(([id, { record, expectedVersion }]) => {
    const hash = passwords.get(id);
    const password = hash === undefined ? '' : `,"passwordHash":${JSON.stringify(hash)}`;
    return encodeRow(expectedVersion, `${AGENT.encode(record)}${password}`);
  });
}

function encodeUsage({ organizationId, usage }: OrgBatch): string[] {
  return [...usage.values()].map(({ resource, period, used }) =>
    JSON.stringify({ organizationId, resource, period, used }),
  );
}

function encodeEvents({ organizationId, events }: OrgBatch, epoch: number): string[] {
  return events.map(
    ({ sequence, at, type }) =>
      `{"organizationId":${organizationId},"sequence":${sequence},"at":"${at}","type":"${type}","epoch":${epoch}}`,
  );
}

function encodeOutcome(record: IdempotencyRecord): string {
  const { organizationId, scope, key, at, fingerprint, status, sequence, toldAt } = record;
  const names = `"scope":${encodeValue(scope)},"key":${encodeValue(key)},"fingerprint":${encodeValue(fingerprint)}`;
  return `{"organizationId":${organizationId},${names},"at":"${at}","status":${status},"sequence":${sequence},"toldAt":${toldAt}}`;
}

function encodeOrganization({ organizationId, organization, tombstone }: OrgBatch): string[] {
  const rows = organization
    ? [JSON.stringify({ expectedVersion: organization.expectedVersion, ...organization.record })]
    : [];
  if (!tombstone) return rows;
  const { nameHash, requestedBy } = tombstone;
  return [...rows, JSON.stringify({ organizationId, nameHash, requestedBy })];
}

function putTasks(encoded: EncodedTables, { organizationId, tasks, locations, taskChanges }: OrgBatch): Marks {
  const relisted = relistedTasks(taskChanges);
  const sought = soughtChanges(taskChanges);
  const newPlaces = new Set(locations.map(({ location }) => location.id));
  const paid = paidTasks(taskChanges);
  const marks: Marks = { made: 0, relisted: 0, scheduled: 0, reusing: 0, referring: 0, sought: 0 };
  const rows: string[] = [];
  const paidRows: string[] = [];
  for (const { record, expectedVersion } of tasks.values()) {
    const { id, version, status, locationId, paymentId, updatedAt } = record;
    if (paid.has(id)) {
      paidRows.push(JSON.stringify({ organizationId, id, expectedVersion, version, paymentId, updatedAt }));
      continue;
    }
    const isNew = expectedVersion === 0;
    const reuses = isNew && locationId !== null && !newPlaces.has(locationId);
    const isRelisted = relisted.has(id);
    const isListed = isNew || isRelisted;
    const soughtNow = sought.size === 0 ? undefined : sought.get(id);
    let members = `"statusRank":${STATUS_RANK[status]},`;
    if (isNew) marks.made += 1;
    if (isListed && record.scheduledAt !== null) marks.scheduled += 1;
    if (isListed && record.integrationData !== null) marks.referring += 1;
    if (isRelisted) {
      marks.relisted += 1;
      members += '"relist":true,';
    }
    if (reuses) {
      marks.reusing += 1;
      members += '"reusesLocation":true,';
    }
    if (soughtNow !== undefined) {
      marks.sought += 1;
      members += `"sought":${soughtNow},`;
    }
    rows.push(encodeRow(expectedVersion, members + TASK.encode(record)));
  }
  const counts = countDeltas(taskChanges).map((count) => JSON.stringify({ organizationId, ...count }));
  put(encoded, 'tasks', rows);
  put(encoded, 'paidTasks', paidRows);
  put(encoded, 'taskCounts', counts);
  return marks;
}
