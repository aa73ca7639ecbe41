import { TASK_STATUSES, type TaskStatus } from '../../schema/task.ts';
import type { CommitParameters } from '../store/commit-store.ts';
import type { OwnedShard } from '../store/shard-store.ts';
import { encodeFields, encodeRecord } from './encode-record.ts';
import { countDeltas, paidTasks, relistedTasks, soughtChanges } from './list-upkeep.ts';
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

/** Rows by table, each encoded as JSON; bodies that are JSON themselves go beside them. */
class GroupRows {
  readonly heads: string[] = [];
  readonly customers: string[] = [];
  readonly locations: string[] = [];
  readonly tasks: string[] = [];
  readonly paidTasks: string[] = [];
  readonly packages: string[] = [];
  readonly history: string[] = [];
  readonly events: string[] = [];
  readonly idempotency: string[] = [];
  readonly usage: string[] = [];
  readonly warehouses: string[] = [];
  readonly taskCounts: string[] = [];
  readonly organizations: string[] = [];
  readonly audit: string[] = [];
  readonly agents: string[] = [];
  readonly requests: string[] = [];
  readonly payments: string[] = [];
  readonly transfers: string[] = [];
  readonly ledgerEntries: string[] = [];
  readonly eventBodies: string[] = [];
  readonly idempotencyBodies: string[] = [];

  add(batch: OrgBatch, epoch: number): void {
    const { organizationId, expectedSequence, lastSequence, lastAt, nextDeadlineAt } = batch;
    this.heads.push(JSON.stringify({ organizationId, expectedSequence, lastSequence, lastAt, nextDeadlineAt }));
    for (const row of batch.customers.values()) this.customers.push(encodeRow(row));
    for (const row of batch.packages.values()) this.packages.push(encodeRow(row));
    for (const row of batch.warehouses.values()) this.warehouses.push(encodeRow(row));
    for (const [id, row] of batch.agents) {
      const hash = batch.passwords.get(id);
      this.agents.push(encodeRow(row, hash === undefined ? '' : `,"passwordHash":${JSON.stringify(hash)}`));
    }
    for (const row of batch.requests.values()) this.requests.push(encodeRow(row));
    for (const row of batch.payments.values()) this.payments.push(encodeRow(row));
    for (const transfer of batch.transfers) this.transfers.push(encodeRecord(transfer));
    for (const entry of batch.ledgerEntries) this.ledgerEntries.push(encodeRecord(entry));
    for (const location of batch.locations) this.locations.push(encodeRecord(location));
    for (const step of batch.history) this.history.push(encodeRecord(step));
    for (const { resource, period, used } of batch.usage.values()) {
      this.usage.push(JSON.stringify({ organizationId, resource, period, used }));
    }
    for (const { sequence, at, type, body } of batch.events) {
      this.events.push(
        `{"organizationId":${organizationId},"sequence":${sequence},"at":"${at}","type":"${type}","epoch":${epoch}}`,
      );
      this.eventBodies.push(body);
    }
    for (const { body, ...record } of batch.idempotency) {
      this.idempotency.push(JSON.stringify(record));
      this.idempotencyBodies.push(record.toldAt === null ? body : '');
    }
    for (const line of batch.audit) this.audit.push(line);
    if (batch.organization) this.organizations.push(encodeRow(batch.organization));
    if (batch.tombstone) {
      const { nameHash, requestedBy } = batch.tombstone;
      this.organizations.push(JSON.stringify({ organizationId, nameHash, requestedBy }));
    }
    this.#addTasks(batch);
  }

  #addTasks({ organizationId, tasks, locations, taskChanges }: OrgBatch): void {
    const relisted = relistedTasks(taskChanges);
    const sought = soughtChanges(taskChanges);
    const newPlaces = new Set(locations.map(({ id }) => id));
    const paid = paidTasks(taskChanges);
    for (const row of tasks.values()) {
      const { id, version, locationId, paymentId, updatedAt } = row.record;
      if (paid.has(id)) {
        const { expectedVersion } = row;
        this.paidTasks.push(JSON.stringify({ organizationId, id, expectedVersion, version, paymentId, updatedAt }));
        continue;
      }
      const reuses = row.expectedVersion === 0 && locationId !== null && !newPlaces.has(locationId);
      const marks = `${relisted.has(id) ? ',"relist":true' : ''}${reuses ? ',"reusesLocation":true' : ''}`;
      const soughtNow = sought.size === 0 ? undefined : sought.get(id);
      const soughtMark = soughtNow === undefined ? '' : `,"sought":${soughtNow}`;
      this.tasks.push(encodeRow(row, `,"statusRank":${STATUS_RANK[row.record.status]}${marks}${soughtMark}`));
    }
    for (const count of countDeltas(taskChanges)) this.taskCounts.push(JSON.stringify({ organizationId, ...count }));
  }
}

/** Turns the batches of a group into the parameters of one `commit_group`. */
export function encodeGroup(
  groupId: string,
  group: readonly FencedBatch[],
  fences: readonly OwnedShard[],
): CommitParameters {
  const epochs = new Map(fences.map(({ shard, epoch }) => [shard, epoch]));
  const rows = new GroupRows();
  for (const { batch, shard } of group) rows.add(batch, epochs.get(shard)!);
  const { heads, customers, locations, tasks, packages, history, events, idempotency, usage, warehouses } = rows;
  const { organizations, audit, agents, requests, payments, transfers, ledgerEntries, paidTasks } = rows;
  const ofTasks = [heads, customers, locations, tasks, packages, history, events, idempotency, usage, warehouses];
  const counts = [...ofTasks, organizations, audit, agents, requests, payments, transfers, ledgerEntries, paidTasks];
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
    eventBodies: rows.eventBodies.join(RECORD_SEPARATOR),
    idempotency: jsonArray(idempotency),
    idempotencyBodies: rows.idempotencyBodies.join(RECORD_SEPARATOR),
    usage: jsonArray(usage),
    warehouses: jsonArray(warehouses),
    taskCounts: jsonArray(rows.taskCounts),
    organizations: jsonArray(organizations),
    audit: jsonArray(audit),
    agents: jsonArray(agents),
    requests: jsonArray(requests),
    payments: jsonArray(payments),
    transfers: jsonArray(transfers),
    ledgerEntries: jsonArray(ledgerEntries),
    paidTasks: jsonArray(paidTasks),
  };
}

function jsonArray(encoded: readonly string[]): string | null {
  return encoded.length === 0 ? null : `[${encoded.join(',')}]`;
}

function encodeRow({ record, expectedVersion }: StagedRow<object>, extra = ''): string {
  return `{"expectedVersion":${expectedVersion}${extra}${encodeFields(record)}}`;
}
