import { type Refusal, refusal } from '../../../schema/errors.ts';
import type { AgentRecord } from '../../../schema/fleet/agent.ts';
import { isCashType, isTerminal, TASK_STATUSES, type TaskRecord, type TaskStatus } from '../../../schema/tasks/task.ts';
import {
  type Actor,
  checkStep,
  fieldsOfStep,
  invalidTransition,
  mayUpdate,
  UNVISITED,
  type Verdict,
} from './task-machine.ts';

/** The exceptions of a day are for dispatchers and administrators. Source: docs/contract.md §2. */
export function mayHandleExceptions({ role }: Pick<Actor, 'role'>): boolean {
  return role !== 'agent' && role !== 'integration';
}

/** POST /tasks/:id/amend: until the task ends. Refuses with TASK_NOT_EDITABLE. */
export function checkAmendment({ status }: Pick<TaskRecord, 'status'>): Refusal | undefined {
  if (!isTerminal(status)) return undefined;
  const editableIn = TASK_STATUSES.filter((one) => !isTerminal(one));
  return refusal('TASK_NOT_EDITABLE', `A task in ${status} can no longer be amended`, { status, editableIn });
}

/** Judges the window of a changed task. Undefined or a sentence. */
export function checkWindow({
  windowStart,
  windowEnd,
  readyAt,
  scheduledAt,
}: Pick<TaskRecord, 'windowStart' | 'windowEnd' | 'readyAt' | 'scheduledAt'>): string | undefined {
  if (windowEnd === null) return undefined;
  if (windowStart !== null && windowEnd <= windowStart) return 'windowEnd must be after windowStart';
  if (scheduledAt !== null && windowEnd <= scheduledAt) return `windowEnd must be after scheduledAt (${scheduledAt})`;
  return readyAt !== null && readyAt > windowEnd ? `windowEnd must not be before readyAt (${readyAt})` : undefined;
}

/** The condition of a caller who decides by a state that may have passed. */
interface Expected {
  readonly fromAgentId?: number | null | undefined;
  readonly fromStatus?: TaskStatus | null | undefined;
}

/**
 * POST /tasks/:id/reassign, while a courier has the task. `unchanged` for the agent that has it already; one that is only
 * asked is given it.
 * Refuses with STATUS_DERIVED, INVALID_STATUS_TRANSITION, TASK_MOVED_ON, AGENT_NOT_ACTIVE.
 */
export function judgeReassignment(
  task: Pick<TaskRecord, 'status' | 'agentId' | 'courierId' | 'childIds' | 'search'>,
  agent: Pick<AgentRecord, 'id' | 'isActive'>,
  { fromAgentId, fromStatus }: Expected,
): Verdict {
  const { status, agentId } = task;
  // A job, and a task that nobody has or that has ended, are refused as by an assignment.
  if (task.childIds !== null || isTerminal(status)) return refuse(checkStep(task, 'assigned')!);
  if (mayUpdate(status)) return refuse(invalidTransition(status, 'assigned', 'Nobody has the task: assign it'));
  const isOther = fromAgentId != null && fromAgentId !== agentId;
  if (isOther || (fromStatus != null && fromStatus !== status)) {
    return refuse(refusal('TASK_MOVED_ON', undefined, { status, agentId }));
  }
  if (agentId === agent.id && task.search === null) return { kind: 'unchanged' };
  return agent.isActive ? { kind: 'change' } : refuse(refusal('AGENT_NOT_ACTIVE', undefined, { agentId: agent.id }));
}

/**
 * The times of the new agent, as far as it is with the task; the caller adds the agent. Goods that were picked up go along
 * where the status is kept.
 */
export function fieldsOfReassignment(
  before: TaskStatus,
  { keepsStatus }: { readonly keepsStatus: boolean },
  now: string,
): Partial<TaskRecord> {
  const status = keepsStatus ? before : 'assigned';
  return {
    ...UNVISITED,
    ...(keepsStatus ? { status, assignedAt: now } : fieldsOfStep('assigned', now)),
    acceptedAt: status === 'assigned' ? null : now,
    startedAt: status === 'in_transit' ? now : null,
    courierType: 'internal',
    courierId: null,
    courier: null,
  };
}

function refuse(refused: Refusal): Verdict {
  return { kind: 'refused', refusal: refused };
}

interface Attempt {
  readonly task: Pick<TaskRecord, 'taskType' | 'locationId' | 'nextTaskId'>;
}

/**
 * The last attempt at the order of a task: what is paid for the task counts for it, as for each attempt but a return.
 * A number is the id of the first one that `find` does not know.
 */
export function lastAttempt<A extends Attempt>(find: (taskId: number) => A | undefined, taskId: number): A | number {
  let last = find(taskId);
  if (!last) return taskId;
  for (let id = last.task.nextTaskId; id !== null; id = last.task.nextTaskId) {
    const next = find(id);
    if (!next) return id;
    if (isReturnOf(last, next)) break;
    last = next;
  }
  return last;
}

/** A return that is attempted again is a return, too, but to the same place. */
function isReturnOf({ task: before }: Attempt, { task: next }: Attempt): boolean {
  return next.taskType === 'return' && (before.taskType !== 'return' || before.locationId !== next.locationId);
}

type Failed = Pick<TaskRecord, 'status' | 'outcome' | 'childIds' | 'nextTaskId' | 'taskType' | 'pickupLocationId'>;

/**
 * POST /tasks/:id/reattempt: of a task that was completed as failed, once.
 * Refuses with STATUS_DERIVED, TASK_NOT_FAILED, TASK_ALREADY_REATTEMPTED, TASK_NOT_RETURNABLE.
 */
export function checkReattempt(task: Failed, wanted: { readonly isReturn: boolean }): Refusal | undefined {
  const { status, outcome, nextTaskId } = task;
  if (task.childIds !== null) {
    return refusal('STATUS_DERIVED', 'A job is not reattempted, its failed children are', { status, outcome });
  }
  if (status !== 'completed' || outcome !== 'failed') return refusal('TASK_NOT_FAILED', undefined, { status, outcome });
  if (nextTaskId !== null) return refusal('TASK_ALREADY_REATTEMPTED', undefined, { nextTaskId });
  if (!wanted.isReturn) return undefined;
  if (isCashType(task.taskType)) {
    return refusal('TASK_NOT_RETURNABLE', 'A cash task has nothing to bring back', { reason: 'cash' });
  }
  return task.pickupLocationId === null
    ? refusal('TASK_NOT_RETURNABLE', undefined, { reason: 'no_pickup_location' })
    : undefined;
}
