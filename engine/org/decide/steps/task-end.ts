import type { PackageRecord, PackageStatus } from '../../../../schema/tasks/package.ts';
import type { TaskRecord } from '../../../../schema/tasks/task.ts';
import { afterCancellation, afterCompletion } from '../../../domain/tasks/package-machine.ts';
import type { Draft } from '../../state/draft.ts';

/** Drafts what a task's end does to its packages; before its end, nothing. Returns them all as they are then. */
export function endPackages(
  draft: Draft,
  packages: readonly PackageRecord[],
  task: TaskRecord,
  now: string,
): readonly PackageRecord[] {
  const moved = packages.map((record) => {
    const status = packageStatusAfter(record.status, task);
    return status === record.status ? record : { ...record, version: record.version + 1, status, updatedAt: now };
  });
  for (const [index, record] of moved.entries()) {
    if (record !== packages[index]) draft.put({ kind: 'put-package', record, leaves: null });
  }
  return moved;
}

/** The search for a courier ends with the cancelling of its task, and when somebody gives it to an agent. */
export function withoutSearch({
  autoAssignmentStatus,
}: TaskRecord): Pick<TaskRecord, 'search' | 'autoAssignmentStatus'> {
  const isUnderWay = ['pending', 'searching', 'offered'].includes(autoAssignmentStatus);
  return { search: null, autoAssignmentStatus: isUnderWay ? 'cancelled' : autoAssignmentStatus };
}

function packageStatusAfter(status: PackageStatus, { status: to, outcome }: TaskRecord): PackageStatus {
  if (to === 'cancelled') return afterCancellation(status);
  if (to === 'completed') return afterCompletion(status, outcome!);
  return status;
}
