import type { ChangeTaskStatus } from '../../../schema/commands.ts';
import { notFound, refusal } from '../../../schema/errors.ts';
import type { PackageRecord, PackageStatus } from '../../../schema/package.ts';
import { isTerminal, type TaskRecord, type TaskStatus } from '../../../schema/task.ts';
import { allowedNext, canBecome } from '../../domain/task-machine.ts';
import type { OrgState } from '../org-state.ts';
import { type DecideContext, type Decision, refuse } from './decision.ts';

/**
 * PUT /tasks/:id/status. Cancels; the other targets of the transition table come with agents.
 * Refuses: 404; 409 AGENT_REQUIRED; 409 INVALID_STATUS_TRANSITION.
 */
export function decideChangeTaskStatus(state: OrgState, command: ChangeTaskStatus, context: DecideContext): Decision {
  const live = state.findTask(command.taskId);
  if (!live) return refuse(notFound('Task', command.taskId));
  const { status: to, reason, reasonCode } = command.input;
  const { task } = live;
  if (to === 'in_transit' && task.agentId === null && task.courierId === null) return refuse(refusal('AGENT_REQUIRED'));
  if (to !== 'cancelled' || !canBecome(task.status, to)) return refuse(invalidTransition(task.status, to));

  const packages = live.packages.map((record) => cancelPackage(record, context.now));
  return {
    ok: true,
    status: 200,
    taskId: task.id,
    changes: [
      {
        kind: 'task-status-changed',
        task: cancelTask(task, context.now),
        previousStatus: task.status,
        packages,
        changedPackages: packages.filter((record, index) => record !== live.packages[index]),
        reason: reason ?? null,
        reasonCode: reasonCode ?? null,
      },
    ],
  };
}

function invalidTransition(from: TaskStatus, to: TaskStatus) {
  const message = isTerminal(from) ? `The task is already ${from}` : `A task in ${from} cannot become ${to}`;
  return refusal('INVALID_STATUS_TRANSITION', message, { from, to, allowed: allowedNext(from) });
}

function cancelTask(task: TaskRecord, now: string): TaskRecord {
  const autoAssignmentStatus = ['pending', 'searching', 'offered'].includes(task.autoAssignmentStatus)
    ? 'cancelled'
    : task.autoAssignmentStatus;
  return {
    ...task,
    version: task.version + 1,
    status: 'cancelled',
    autoAssignmentStatus,
    deadlineAt: null,
    updatedAt: now,
  };
}

const NOT_YET_TAKEN: ReadonlySet<PackageStatus> = new Set(['pending', 'picking_up']);
const ENDED: ReadonlySet<PackageStatus> = new Set(['delivered', 'payment_dropped', 'returned', 'cancelled', 'lost']);

/** An open package of a cancelled task is cancelled, or returned when it is in custody (decisions.md §3). */
function cancelPackage(record: PackageRecord, now: string): PackageRecord {
  if (ENDED.has(record.status)) return record;
  const status = NOT_YET_TAKEN.has(record.status) ? 'cancelled' : 'returned';
  return { ...record, version: record.version + 1, status, updatedAt: now };
}
