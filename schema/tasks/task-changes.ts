import type { PackageRecord } from './package.ts';
import type { TaskRecord } from './task.ts';

/** A task's record and its packages, for the audit log. */
export interface AuditedTask {
  readonly task: TaskRecord;
  readonly packages: readonly PackageRecord[];
}

/**
 * Fields of a task, and of those of its packages that changed: a package that came or went is there whole, on one side
 * only; of one that stayed only the changed fields are.
 */
type TaskSide = Partial<TaskRecord> & { readonly packages?: readonly PackageSide[] };
type PackageSide = Pick<PackageRecord, 'id'> & Partial<PackageRecord>;

/** The changes of a step, before and after. The column `changes` of `task_history`. */
export interface TaskChanges {
  readonly before: TaskSide;
  readonly after: TaskSide;
}

/** Fields that no caller sets, and one that must stay secret. */
const UNTOLD: ReadonlySet<string> = new Set(['version', 'updatedAt', 'trackingToken', 'search', 'movingWhileOpen']);

/** The fields of a record that the audit log may tell. */
export function toldFields<T extends object>(record: T): Partial<T> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !UNTOLD.has(name))) as Partial<T>;
}

/** The differences between two states of a task; null when there is none for the log. */
export function taskChangesOf(before: AuditedTask, after: AuditedTask): TaskChanges | null {
  const fields = changedFields(before.task, after.task);
  const packages = before.packages === after.packages ? undefined : changedPackages(before.packages, after.packages);
  if (!fields && !packages) return null;
  return {
    before: { ...fields?.before, ...(packages && { packages: packages.before }) },
    after: { ...fields?.after, ...(packages && { packages: packages.after }) },
  };
}

/** A task as it was before a step, out of what it was after it: untold fields apart, and packages in any order. */
export function beforeTaskChanges({ task, packages }: AuditedTask, { before, after }: TaskChanges): AuditedTask {
  const { packages: were = [], ...fields } = before;
  const left = new Map(packages.map((record) => [record.id, record]));
  for (const { id } of after.packages ?? []) if (!were.some((one) => one.id === id)) left.delete(id);
  for (const one of were) left.set(one.id, { ...left.get(one.id), ...one } as PackageRecord);
  return { task: { ...task, ...fields }, packages: [...left.values()] };
}

interface Sides<T> {
  readonly before: T;
  readonly after: T;
}

function changedFields<T extends object>(before: T, after: T): Sides<Partial<T>> | undefined {
  if (before === after) return undefined;
  const names = (Object.keys(after) as (keyof T & string)[]).filter(
    (name) => !UNTOLD.has(name) && !isSame(before[name], after[name]),
  );
  if (names.length === 0) return undefined;
  const pick = (record: T) => Object.fromEntries(names.map((name) => [name, record[name]])) as Partial<T>;
  return { before: pick(before), after: pick(after) };
}

function changedPackages(
  before: readonly PackageRecord[],
  after: readonly PackageRecord[],
): Sides<readonly PackageSide[]> | undefined {
  const kept = new Map(after.map((record) => [record.id, record]));
  const sides: { readonly before: PackageSide[]; readonly after: PackageSide[] } = { before: [], after: [] };
  for (const was of before) {
    const is = kept.get(was.id);
    kept.delete(was.id);
    const fields = is && changedFields(was, is);
    if (!is) sides.before.push(was);
    else if (fields) {
      sides.before.push({ id: was.id, ...fields.before });
      sides.after.push({ id: was.id, ...fields.after });
    }
  }
  sides.after.push(...kept.values());
  return sides.before.length + sides.after.length === 0 ? undefined : sides;
}

/** Values of records are JSON; equal objects are most often the same one. */
function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  return JSON.stringify(one) === JSON.stringify(other);
}
