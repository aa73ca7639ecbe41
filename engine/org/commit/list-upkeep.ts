import type { TaskRecord } from '../../../schema/tasks/task.ts';
import { isSought } from '../../domain/assignment/assignment-machine.ts';
import type { TaskChange } from '../apply/org-batch.ts';

/** The counters that lists use instead of tasks, with their changes by this batch. */
export interface CountDelta {
  readonly status: string;
  readonly taskType: string;
  readonly channelId: number;
  readonly timeToServe: string;
  readonly delta: number;
}

/** The counters that these changes move, each once, none by 0. */
export function countDeltas(changes: readonly TaskChange[]): CountDelta[] {
  const deltas = new Map<string, CountDelta>();
  const move = ({ status, taskType, channelId, timeToServe }: TaskRecord, by: number) => {
    const key = `${status} ${taskType} ${channelId} ${timeToServe}`;
    const delta = (deltas.get(key)?.delta ?? 0) + by;
    deltas.set(key, { status, taskType, channelId, timeToServe, delta });
  };
  for (const { before, after } of changes) {
    if (before) move(before, -1);
    move(after, 1);
  }
  return [...deltas.values()].filter(({ delta }) => delta !== 0);
}

/** Tasks that lists find by something that has changed. */
export function relistedTasks(changes: readonly TaskChange[]): ReadonlySet<number> {
  const ids = new Set<number>();
  for (const { before, after } of changes) {
    if (!before) continue;
    const { name, scheduledAt, integrationData, locationId } = before;
    const isSame =
      name === after.name &&
      scheduledAt === after.scheduledAt &&
      integrationData === after.integrationData &&
      locationId === after.locationId;
    if (!isSame) ids.add(after.id);
  }
  return ids;
}

/** Tasks of which nothing changes but the payment that counts for them. */
export function paidTasks(changes: readonly TaskChange[]): ReadonlySet<number> {
  const ids = new Set<number>();
  for (const { before, after } of changes) if (before && isSameButPaid(before, after)) ids.add(after.id);
  for (const { before, after } of changes) if (!before || !isSameButPaid(before, after)) ids.delete(after.id);
  return ids;
}

function isSameButPaid(before: TaskRecord, after: TaskRecord): boolean {
  for (const name in after) {
    const isOther = before[name as keyof TaskRecord] !== after[name as keyof TaskRecord];
    if (isOther && name !== 'paymentId' && name !== 'version' && name !== 'updatedAt') return false;
  }
  return before.paymentId !== after.paymentId;
}

/** Tasks that rounds begin or cease to look at, by whether they do now. */
export function soughtChanges(changes: readonly TaskChange[]): ReadonlyMap<number, boolean> {
  const wasSought = new Map<number, boolean>();
  const sought = new Map<number, boolean>();
  for (const { before, after } of changes) {
    if (after.search === null && !before?.search) continue;
    if (!wasSought.has(after.id)) wasSought.set(after.id, before !== null && isSought(before));
    sought.set(after.id, isSought(after));
  }
  for (const [id, was] of wasSought) if (sought.get(id) === was) sought.delete(id);
  return sought;
}
