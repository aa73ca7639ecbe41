import { TASK_STATUSES, type TaskStatus } from '../../../schema/tasks/task.ts';
import type { IdempotencyRecord } from '../../store/actor/actor-store.ts';
import { joinRows, type Table } from '../../store/actor/commit-tables.ts';
import { encodeField, SEPARATOR } from '../../store/rows/encode-line.ts';
import { encodeRecord } from '../../store/rows/encode-record.ts';
import type { RecordColumns } from '../../store/rows/record-columns.ts';
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
} from '../../store/rows/record-tables.ts';
import type { OrgBatch, StagedLocation, StagedRow } from '../apply/org-batch.ts';
import { countDeltas, paidTasks, relistedTasks, soughtChanges } from './list-upkeep.ts';

/** Features that few tasks have; `commit_group` gets their numbers, in its order, and looks for no others. */
export const TASK_MARKS = ['made', 'relisted', 'scheduled', 'reusing', 'referring', 'sought'] as const;

type Marks = Record<(typeof TASK_MARKS)[number], number>;

/** Rows of one table, one after another. */
export interface EncodedRows {
  readonly text: string;
  readonly count: number;
}

/** The rows of one batch; bodies that are JSON themselves go beside them. */
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
    batch.history.map((step) => `(${TASK_HISTORY.encode(step)})`),
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
    eventBodies: batch.events.map(({ body }) => body).join(SEPARATOR),
    // A body that an event already holds is read from there.
    idempotencyBodies: batch.idempotency.map(({ toldAt, body }) => (toldAt === null ? body : '')).join(SEPARATOR),
  };
}

type EncodedTables = Map<Table, EncodedRows>;

function put(encoded: EncodedTables, table: Table, rows: readonly string[]): void {
  if (rows.length > 0) encoded.set(table, { text: joinRows(table, rows), count: rows.length });
}

function encodeRows<T>({ encode }: RecordColumns<T>, rows: ReadonlyMap<number, StagedRow<T>>): string[] {
  const encoded: string[] = [];
  for (const { record, expectedVersion } of rows.values()) encoded.push(encodeRow(expectedVersion, encode(record)));
  return encoded;
}

function encodeRow(expectedVersion: number, fields: string): string {
  return `(${expectedVersion},${fields})`;
}

/** `taskId`: the task that the place was made for, if it was made for one. */
function encodeLocation({ location, taskId }: StagedLocation): string {
  return `(${taskId ?? ''},${LOCATION.encode(location)})`;
}

function encodeAgents({ agents, passwords }: OrgBatch): string[] {
  return [...agents].map(([id, { record, expectedVersion }]) => {
    const hash = passwords.get(id);
    return encodeRow(expectedVersion, `${hash === undefined ? '' : encodeField(hash)},${AGENT.encode(record)}`);
  });
}

function encodeUsage({ organizationId, usage }: OrgBatch): string[] {
  return [...usage.values()].map(({ resource, period, used }) =>
    JSON.stringify({ organizationId, resource, period, used }),
  );
}

function encodeEvents({ organizationId, events }: OrgBatch, epoch: number): string[] {
  return events.map(({ sequence, at, type }) => `(${organizationId},${sequence},${at},${type},${epoch})`);
}

function encodeOutcome(record: IdempotencyRecord): string {
  const { organizationId, scope, key, at, fingerprint, status, sequence, toldAt } = record;
  const names = `${encodeField(scope)},${encodeField(key)},${at},${encodeField(fingerprint)}`;
  return `(${organizationId},${names},${status},${sequence},${toldAt ?? ''})`;
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
    if (isNew) marks.made += 1;
    if (isListed && record.scheduledAt !== null) marks.scheduled += 1;
    if (isListed && record.integrationData !== null) marks.referring += 1;
    if (isRelisted) marks.relisted += 1;
    if (reuses) marks.reusing += 1;
    if (soughtNow !== undefined) marks.sought += 1;
    const listing = `${STATUS_RANK[status]},${isRelisted ? 't' : ''},${reuses ? 't' : ''},${soughtNow ?? ''}`;
    rows.push(encodeRow(expectedVersion, `${listing},${TASK.encode(record)}`));
  }
  const counts = countDeltas(taskChanges).map((count) => JSON.stringify({ organizationId, ...count }));
  put(encoded, 'tasks', rows);
  put(encoded, 'paidTasks', paidRows);
  put(encoded, 'taskCounts', counts);
  return marks;
}
