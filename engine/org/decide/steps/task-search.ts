import {
  type AssignmentRequestRecord,
  type AssignmentSettings,
  assignmentSettingsOf,
  type FailureReason,
  type PassedOverAgents,
  type TaskSearch,
} from '../../../../schema/assignment/assignment.ts';
import type { TaskRecord, TaskStatus } from '../../../../schema/tasks/task.ts';
import {
  afterDecline,
  closedRequest,
  type Decline,
  endOfSearch,
} from '../../../domain/assignment/assignment-machine.ts';
import { candidatesOf } from '../../../domain/assignment/search-wait.ts';
import { detailsOfStep } from '../../../domain/tasks/step-details.ts';
import { changedTask } from '../../../domain/tasks/task-deadline.ts';
import { fieldsOfStep } from '../../../domain/tasks/task-machine.ts';
import type { Draft } from '../../state/draft.ts';
import { isSuited } from './agent-fit.ts';
import { followChildren } from './job-upkeep.ts';
import { draftRequest } from './request-steps.ts';
import { tellUpdated } from './tell-updated.ts';

export function settingsOf(draft: Draft): AssignmentSettings {
  return assignmentSettingsOf(draft.organization.settings);
}

export interface Step {
  readonly reason?: string | null;
  readonly reasonCode?: string | null;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

/** Drafts a step of a task with its event, and its job's. */
export function draftStatus(
  draft: Draft,
  before: TaskRecord,
  to: TaskStatus,
  fields: Partial<TaskRecord>,
  now: string,
  step: Step = {},
): TaskRecord {
  const task = changedTask(before, { ...fieldsOfStep(to, now), ...fields }, now);
  const { reason = null, reasonCode = null } = step;
  const own = detailsOfStep(before, task);
  const details = step.details ? { ...own, ...step.details } : own;
  // The event names the agent that loses the task.
  const taken = before.agentId !== null && task.agentId === null ? { previousAgentId: before.agentId } : {};
  draft.put({ kind: 'put-task', task });
  draft.put({
    kind: 'tell',
    type: 'task.status_changed',
    taskId: task.id,
    extra: { previousStatus: before.status, status: to, reason, ...taken },
    step: { kind: 'status_changed', fromStatus: before.status, toStatus: to, reason, reasonCode, details },
  });
  if (task.parentId !== null) followChildren(draft, task.parentId, now);
  return draft.findTask(task.id)!.task;
}

/**
 * Drafts the progress of a search, without a step of the task; where the task shows no change, only its search
 * changed.
 */
export function draftSearch(
  draft: Draft,
  before: TaskRecord,
  fields: Pick<TaskRecord, 'search' | 'autoAssignmentStatus'> & Partial<TaskRecord>,
  now: string,
  { reasonCode = null, details }: Omit<Step, 'reason'> = {},
): TaskRecord {
  const task = changedTask(before, fields, now);
  const shown = (['autoAssignmentStatus', 'autoAssignmentFailureReason'] as const).filter(
    (key) => task[key] !== before[key],
  );
  const changed = shown.length > 0 ? shown : ['search'];
  draft.put({ kind: 'put-task', task });
  tellUpdated(draft, task.id, changed, { kind: 'updated', reasonCode, details: { changed, ...details } });
  return task;
}

/** A request was turned down, ran out or was withdrawn from its agent: its task is free again, and looks on or gives up. */
export function draftDecline(
  draft: Draft,
  taskId: number,
  request: AssignmentRequestRecord,
  how: Decline,
  now: string,
  reason: string | null = null,
): void {
  const { task: before } = draft.findTask(taskId)!;
  const search = afterDecline(before.search!, request, how);
  const isLast = search.open.length === 0;
  const fields = { search, autoAssignmentStatus: isLast ? 'searching' : before.autoAssignmentStatus } as const;
  const closed = closedRequest(request, how, now, reason);
  const reasonCode = how === 'cancelled' ? whyWithdrawn(draft, request) : null;
  if (!isLast) {
    // The other agents are still being asked: the request's own event says everything.
    draft.put({ kind: 'put-task', task: changedTask(before, fields, now) });
    return draftRequest(draft, closed, { reasonCode });
  }
  draftRequest(draft, closed, { reasonCode });
  if (before.status === 'assigned')
    draftStatus(draft, before, 'awaiting_assignment', fields, now, { reasonCode: reasonCode ?? how });
  else draftSearch(draft, before, fields, now, { reasonCode, details: { requestId: request.id } });
  endSearchIfOver(draft, taskId, now);
}

/**
 * The agent has just got another task. Withdraws its open requests for tasks that its vehicle can no longer carry; their
 * searches go on without this agent.
 */
export function withdrawFromFull(draft: Draft, agentId: number, now: string): void {
  for (const request of draft.openRequestsOf(agentId)) withdrawIfUnsuited(draft, request, now);
}

/** Withdraws a request from an agent that lacks the skills, or whose vehicle cannot carry the task beside its others. */
export function withdrawIfUnsuited(draft: Draft, request: AssignmentRequestRecord, now: string): void {
  const { taskId, agentId } = request;
  const facts = draft.findTask(taskId);
  const agent = draft.findAgent(agentId);
  // Some commands give an agent a task without reading its requests: then only those in memory are looked at.
  if (!facts || !agent || isSuited(draft, facts, agent)) return;
  draftDecline(draft, taskId, request, 'cancelled', now, 'withdrawn');
}

function whyWithdrawn(draft: Draft, { agentId }: AssignmentRequestRecord): 'agent_unsuited' | 'agent_inactive' {
  return draft.findAgent(agentId)!.isActive ? 'agent_unsuited' : 'agent_inactive';
}

/** Gives up when the search is over by its own rules. */
export function endSearchIfOver(draft: Draft, taskId: number, now: string): void {
  const { task } = draft.findTask(taskId)!;
  const reason = task.search ? endOfSearch(task.search, task, settingsOf(draft).maxAttempts, now) : undefined;
  if (reason) failSearch(draft, task, reason, now, candidatesOf(task.search!));
}

/**
 * Ends a search without success. `details.reason` is the reason that the task shows. The last round may have lacked
 * something else: that is `details.lacking`.
 */
export function failSearch(
  draft: Draft,
  before: TaskRecord,
  reason: FailureReason,
  now: string,
  details: Readonly<Record<string, unknown>> | PassedOverAgents = {},
): void {
  const { attempts } = before.search!;
  const fields = { search: null, autoAssignmentStatus: 'failed', autoAssignmentFailureReason: reason } as const;
  const step = { reasonCode: reason, details: { attempts, ...details, reason } };
  if (before.status === 'new') {
    // It ends where it would have searched from, so that staff can assign the task by hand, or the search can start
    // again.
    draftStatus(draft, before, 'awaiting_assignment', fields, now, step);
  } else draftSearch(draft, before, fields, now, step);
}

/** A search that begins now, or goes on. */
export function begun(search: TaskSearch): TaskSearch {
  return search.startsAt === null ? search : { ...search, startsAt: null };
}
