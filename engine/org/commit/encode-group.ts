import type { CommitParameters } from '../../store/actor/commit-store.ts';
import {
  COMMITTED_TABLES,
  COUNTED_TABLES,
  type CommittedRows,
  rowsText,
  type Table,
} from '../../store/actor/commit-tables.ts';
import type { OwnedShard } from '../../store/cluster/shard-store.ts';
import { SEPARATOR } from '../../store/rows/encode-line.ts';
import { type EncodedBatch, TASK_MARKS } from './encode-batch.ts';

/** Turns the batches of a group into the parameters of one `commit_group`. */
export function encodeGroup(
  groupId: string,
  batches: readonly EncodedBatch[],
  fences: readonly OwnedShard[],
): CommitParameters {
  const rowsOf = (table: Table) => batches.flatMap(({ tables }) => tables.get(table) ?? []);
  const textOf = (table: Table) =>
    rowsText(
      table,
      rowsOf(table).map(({ text }) => text),
    );
  const counts = COUNTED_TABLES.map((table) => rowsOf(table).reduce((sum, { count }) => sum + count, 0));
  const marked = TASK_MARKS.map((mark) => batches.reduce((sum, { marks }) => sum + marks[mark], 0));
  const bodiesOf = (table: Table, bodies: (batch: EncodedBatch) => string) =>
    batches
      .filter(({ tables }) => tables.has(table))
      .map(bodies)
      .join(SEPARATOR);
  const rows = Object.fromEntries(COMMITTED_TABLES.map(({ field }) => [field, textOf(field)])) as CommittedRows;
  return {
    ...rows,
    groupId,
    shards: `{${fences.map(({ shard }) => shard).join(',')}}`,
    epochs: `{${fences.map(({ epoch }) => epoch).join(',')}}`,
    counts: `{${[...counts, ...marked].join(',')}}`,
    eventBodies: bodiesOf('events', ({ eventBodies }) => eventBodies),
    idempotencyBodies: bodiesOf('idempotency', ({ idempotencyBodies }) => idempotencyBodies),
    separator: SEPARATOR,
  };
}
