import { type Refusal, refusal } from '../../../schema/errors.ts';
import { LIMITS } from '../../../schema/limits.ts';
import {
  isCashType,
  isTerminal,
  TASK_STATUSES,
  type TaskOutcome,
  type TaskRecord,
  type TaskStatus,
} from '../../../schema/tasks/task.ts';
import { mayUpdate } from './task-machine.ts';

type ChildStatus = Pick<TaskRecord, 'status'>;
type ChildOutcome = Pick<TaskRecord, 'status' | 'outcome'>;
type ChildTimes = Pick<
  TaskRecord,
  'status' | 'assignedAt' | 'acceptedAt' | 'startedAt' | 'completedAt' | 'cancelledAt'
>;

type Derived = Pick<
  TaskRecord,
  'status' | 'outcome' | 'failureReason' | 'assignedAt' | 'acceptedAt' | 'startedAt' | 'completedAt' | 'cancelledAt'
>;

/**
 * The fields of a job that follow from its children, derived again at each change of a child while the job is open. A
 * job that was cancelled as a whole stays cancelled, also when a child had been completed before.
 */
export function deriveJob(children: readonly (ChildOutcome & ChildTimes)[]): Derived {
  return { status: jobStatus(children), ...jobOutcome(children), ...jobTimes(children) };
}

/** The status that follows from those of the children (docs/contract.md §3 "Jobs"). */
export function jobStatus(children: readonly ChildStatus[]): TaskStatus {
  if (children.length === 0) throw new RangeError('a job has at least one child');
  const statuses = new Set(children.map(({ status }) => status));
  const open = TASK_STATUSES.filter((status) => statuses.has(status) && !isTerminal(status));
  if (open.length === 0) return statuses.has('completed') ? 'completed' : 'cancelled';
  return statuses.has('completed') ? 'in_transit' : open.at(-1)!;
}

/** A completed job succeeded when all of its completed children did: one failure is not to be overlooked. */
export function jobOutcome(children: readonly ChildOutcome[]): {
  readonly outcome: TaskOutcome | null;
  readonly failureReason: string | null;
} {
  if (jobStatus(children) !== 'completed') return { outcome: null, failureReason: null };
  const completed = children.filter(({ status }) => status === 'completed');
  const failed = completed.filter(({ outcome }) => outcome === 'failed').length;
  if (failed === 0) return { outcome: 'succeeded', failureReason: null };
  return { outcome: 'failed', failureReason: `${failed} of ${completed.length} completed tasks failed` };
}

/**
 * The first time that a child made each step, where cancelled children count only among themselves, and the end of the
 * last child: a job whose last open child is cancelled is completed by that, and not before.
 */
function jobTimes(children: readonly ChildTimes[]): Omit<ChildTimes, 'status'> {
  const alive = children.filter(({ status }) => status !== 'cancelled');
  const counted = alive.length > 0 ? alive : children;
  const first = (field: 'assignedAt' | 'acceptedAt' | 'startedAt') => sorted(counted.map((child) => child[field]))[0];
  const lastEnd = sorted(children.map(({ completedAt, cancelledAt }) => completedAt ?? cancelledAt)).at(-1) ?? null;
  const status = jobStatus(children);
  return {
    assignedAt: first('assignedAt') ?? null,
    acceptedAt: first('acceptedAt') ?? null,
    startedAt: first('startedAt') ?? null,
    completedAt: status === 'completed' ? lastEnd : null,
    cancelledAt: status === 'cancelled' ? lastEnd : null,
  };
}

function sorted(times: readonly (string | null)[]): string[] {
  return times.filter((at) => at !== null).sort();
}

/**
 * Whether a task takes `wanted` more children. Jobs have one level; a task that has no children yet becomes a job only
 * while nobody serves it, since its own courier would be lost; a cash task never, since nobody would complete it and
 * take the cash. Refuses with INVALID_PARENT, `details.reason` one of `cash`, `is_child`, `terminal`, `under_way`, `full`.
 */
export function checkNewChildren(
  parent: Pick<TaskRecord, 'id' | 'status' | 'taskType' | 'parentId' | 'childIds'>,
  wanted: number,
): Refusal | undefined {
  const no = (reason: string, message: string) => refusal('INVALID_PARENT', message, { parentId: parent.id, reason });
  if (isCashType(parent.taskType)) return no('cash', 'A cash task cannot become a job');
  if (parent.parentId !== null) return no('is_child', 'The parent is itself a child of a job');
  if (isTerminal(parent.status)) return no('terminal', `The parent is already ${parent.status}`);
  if (parent.childIds === null && !mayUpdate(parent.status)) {
    return no('under_way', `A task in ${parent.status} cannot become a job`);
  }
  if ((parent.childIds?.length ?? 0) + wanted > LIMITS.jobChildren) {
    return no('full', `A job has at most ${LIMITS.jobChildren} children`);
  }
  return undefined;
}
