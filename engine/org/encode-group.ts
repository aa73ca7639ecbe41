import { TASK_STATUSES, type TaskRecord, type TaskStatus } from '../../schema/task.ts';
import type { CommitParameters } from '../store/commit-store.ts';
import type { OwnedShard } from '../store/shard-store.ts';
import type { OrgBatch, StagedRow } from './org-batch.ts';

/** Occurs in no JSON text: control characters are always escaped there. */
const RECORD_SEPARATOR = '\u001e';

const STATUS_RANK = Object.fromEntries(TASK_STATUSES.map((status, rank) => [status, rank])) as Record<
  TaskStatus,
  number
>;

/** A batch with the shard that its organization belongs to. */
export interface FencedBatch {
  readonly batch: OrgBatch;
  readonly shard: number;
}

/** Turns the batches of a group into the parameters of one `commit_group`. */
export function encodeGroup(
  groupId: string,
  group: readonly FencedBatch[],
  fences: readonly OwnedShard[],
): CommitParameters {
  const epochs = new Map(fences.map(({ shard, epoch }) => [shard, epoch]));
  const rows = {
    customers: [],
    locations: [],
    tasks: [],
    packages: [],
    history: [],
    events: [],
    idempotency: [],
    usage: [],
  } as Record<
    'customers' | 'locations' | 'tasks' | 'packages' | 'history' | 'events' | 'idempotency' | 'usage',
    string[]
  >;
  const heads: string[] = [];
  const eventBodies: string[] = [];
  const idempotencyBodies: string[] = [];
  for (const { batch, shard } of group) {
    const { organizationId, expectedSequence, lastSequence, lastAt, nextDeadlineAt } = batch;
    heads.push(JSON.stringify({ organizationId, expectedSequence, lastSequence, lastAt, nextDeadlineAt }));
    for (const row of batch.customers.values()) rows.customers.push(encodeRow(row));
    for (const row of batch.tasks.values()) rows.tasks.push(encodeTaskRow(row));
    for (const row of batch.packages.values()) rows.packages.push(encodeRow(row));
    for (const location of batch.locations) rows.locations.push(encodeRecord(location));
    for (const step of batch.history) rows.history.push(encodeRecord(step));
    for (const usage of batch.usage.values()) {
      const { resource, period, used } = usage;
      rows.usage.push(JSON.stringify({ organizationId, resource, period, used }));
    }
    for (const { sequence, at, type, body } of batch.events) {
      rows.events.push(
        `{"organizationId":${organizationId},"sequence":${sequence},"at":"${at}","type":"${type}","epoch":${epochs.get(shard)}}`,
      );
      eventBodies.push(body);
    }
    for (const { body, ...record } of batch.idempotency) {
      rows.idempotency.push(JSON.stringify(record));
      idempotencyBodies.push(body);
    }
  }
  const { customers, locations, tasks, packages, history, events, idempotency, usage } = rows;
  const counts = [heads, customers, locations, tasks, packages, history, events, idempotency, usage];
  return {
    groupId,
    shards: `{${fences.map(({ shard }) => shard).join(',')}}`,
    epochs: `{${fences.map(({ epoch }) => epoch).join(',')}}`,
    counts: `{${counts.map((list) => list.length).join(',')}}`,
    heads: jsonArray(heads)!,
    customers: jsonArray(customers),
    locations: jsonArray(locations),
    tasks: jsonArray(tasks),
    packages: jsonArray(packages),
    history: jsonArray(history),
    events: jsonArray(events),
    eventBodies: eventBodies.join(RECORD_SEPARATOR),
    idempotency: jsonArray(idempotency),
    idempotencyBodies: idempotencyBodies.join(RECORD_SEPARATOR),
    usage: jsonArray(usage),
  };
}

function jsonArray(encoded: readonly string[]): string | null {
  return encoded.length === 0 ? null : `[${encoded.join(',')}]`;
}

/** A row that is only ever inserted. */
function encodeRecord(record: object): string {
  return `{${encodeFields(record as Fields).slice(1)}}`;
}

function encodeRow({ record, expectedVersion }: StagedRow<object>, extra = ''): string {
  return `{"expectedVersion":${expectedVersion}${extra}${encodeFields(record as Fields)}}`;
}

function encodeTaskRow(row: StagedRow<TaskRecord>): string {
  return encodeRow(row, `,"statusRank":${STATUS_RANK[row.record.status]}`);
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * The fields of a record that are not null, each behind a comma. Absent fields become null columns: what is null is
 * neither sent nor parsed. Half the text of JSON.stringify in the same time.
 */
function encodeFields(record: Fields): string {
  let json = '';
  for (const key in record) {
    const value = record[key];
    if (value === null) continue;
    json += `,"${key}":${typeof value === 'number' ? value : encodeText(value)}`;
  }
  return json;
}

/** What JSON must escape, and what might be long enough for the native encoder to be faster. */
const NEEDS_ESCAPING = /[^ !#-[\]-\u00ff]/;
const SHORT_CHARS = 200;

function encodeText(value: unknown): string {
  const isPlain = typeof value === 'string' && value.length < SHORT_CHARS && !NEEDS_ESCAPING.test(value);
  return isPlain ? `"${value}"` : JSON.stringify(value);
}
