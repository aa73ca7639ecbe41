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
    for (const location of batch.locations) rows.locations.push(JSON.stringify(location));
    for (const step of batch.history) rows.history.push(JSON.stringify(step));
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

/** Absent fields become null columns: what is null is neither sent nor parsed. */
function encodeRow({ record, expectedVersion }: StagedRow<object>, extra = ''): string {
  let json = `{"expectedVersion":${expectedVersion}${extra}`;
  for (const [key, value] of Object.entries(record)) {
    if (value === null) continue;
    json += `,"${key}":${typeof value === 'number' ? value : JSON.stringify(value)}`;
  }
  return `${json}}`;
}

function encodeTaskRow(row: StagedRow<TaskRecord>): string {
  return encodeRow(row, `,"statusRank":${STATUS_RANK[row.record.status]}`);
}
