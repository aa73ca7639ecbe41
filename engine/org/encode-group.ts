import type { CommitParameters } from '../store/commit-store.ts';
import type { OwnedShard } from '../store/shard-store.ts';
import { COUNTED_TABLES, type EncodedBatch, RECORD_SEPARATOR, TASK_MARKS, type Table } from './encode-batch.ts';

/** Turns the batches of a group into the parameters of one `commit_group`. */
export function encodeGroup(
  groupId: string,
  batches: readonly EncodedBatch[],
  fences: readonly OwnedShard[],
): CommitParameters {
  const rowsOf = (table: Table) => batches.flatMap(({ tables }) => tables.get(table) ?? []);
  const jsonOf = (table: Table) => jsonArray(rowsOf(table).map(({ json }) => json));
  const counts = COUNTED_TABLES.map((table) => rowsOf(table).reduce((sum, { count }) => sum + count, 0));
  const marked = TASK_MARKS.map((mark) => batches.reduce((sum, { marks }) => sum + marks[mark], 0));
  const bodiesOf = (table: Table, bodies: (batch: EncodedBatch) => string) =>
    batches
      .filter(({ tables }) => tables.has(table))
      .map(bodies)
      .join(RECORD_SEPARATOR);
  return {
    groupId,
    shards: `{${fences.map(({ shard }) => shard).join(',')}}`,
    epochs: `{${fences.map(({ epoch }) => epoch).join(',')}}`,
    counts: `{${[...counts, ...marked].join(',')}}`,
    heads: jsonOf('heads')!,
    customers: jsonOf('customers'),
    locations: jsonOf('locations'),
    tasks: jsonOf('tasks'),
    packages: jsonOf('packages'),
    history: jsonOf('history'),
    events: jsonOf('events'),
    eventBodies: bodiesOf('events', ({ eventBodies }) => eventBodies),
    idempotency: jsonOf('idempotency'),
    idempotencyBodies: bodiesOf('idempotency', ({ idempotencyBodies }) => idempotencyBodies),
    usage: jsonOf('usage'),
    warehouses: jsonOf('warehouses'),
    taskCounts: jsonOf('taskCounts'),
    organizations: jsonOf('organizations'),
    audit: jsonOf('audit'),
    agents: jsonOf('agents'),
    requests: jsonOf('requests'),
    payments: jsonOf('payments'),
    transfers: jsonOf('transfers'),
    ledgerEntries: jsonOf('ledgerEntries'),
    paidTasks: jsonOf('paidTasks'),
  };
}

function jsonArray(parts: readonly string[]): string | null {
  return parts.length === 0 ? null : `[${parts.join(',')}]`;
}
