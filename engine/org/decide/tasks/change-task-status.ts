import type { ChangeTaskStatus } from '../../../../schema/commands.ts';
import { notFound, refusal } from '../../../../schema/errors.ts';
import { isTerminal, type TaskRecord } from '../../../../schema/tasks/task.ts';
import { closedRequest, hasRunOut } from '../../../domain/assignment/assignment-machine.ts';
import { mayHandleExceptions } from '../../../domain/tasks/exceptions.ts';
import { missingOf } from '../../../domain/tasks/requirements.ts';
import { detailsOfStep } from '../../../domain/tasks/step-details.ts';
import { changedTask } from '../../../domain/tasks/task-deadline.ts';
import { checkOccurredAt, fieldsOfStep, judgeStatusChange, outcomeOf } from '../../../domain/tasks/task-machine.ts';
import type { Draft } from '../../state/draft.ts';
import type { TaskFacts } from '../../state/state-view.ts';
import { type DecideContext, type Decision, done, refuse, violate } from '../decision.ts';
import { MONEY } from '../id-demand.ts';
import { rule, taskById } from '../rule.ts';
import { FOUND } from '../steps/accept-request.ts';
import { draftCash, draftUnpaid, judgeCash } from '../steps/cash-task.ts';
import { followChildren } from '../steps/job-upkeep.ts';
import { draftRequest, withdrawRequests } from '../steps/request-steps.ts';
import { endPackages, withoutSearch } from '../steps/task-end.ts';

type StatusInput = ChangeTaskStatus['input'];

export const changeTaskStatusRule = rule<ChangeTaskStatus>({
  needs(needed, { taskId, input }) {
    needed.task(taskId);
    needed.moneyOfEnd(taskId, input.status);
  },
  // Agents complete the tasks that collect cash and hand it over.
  ids: () => MONEY,
  followsAgent: true,
  task: taskById,
  alsoChanges: openChildrenThatEnd,
  decide: decideChangeTaskStatus,
});

/**
 * PUT /tasks/:id/status. A job is only cancelled, with its open children; a child's step is followed by its job.
 * Refuses: 403 for an agent that cancels, an integration that accepts, and an override by others than staff; 400 for an `occurredAt` in the future; 404; 409 STATUS_DERIVED,
 * AGENT_REQUIRED, INVALID_STATUS_TRANSITION, ASSIGNMENT_REQUEST_EXPIRED, PROOF_REQUIRED; 400 for an `occurredAt` before the previous step.
 */
export function decideChangeTaskStatus(draft: Draft, command: ChangeTaskStatus, context: DecideContext): Decision {
  const { taskId, input, caller } = command;
  const facts = draft.findTask(taskId);
  const verdict = judgeStatusChange(facts?.task, input.status, caller);
  const overrides = isText(input.overrideReason);
  if (verdict.kind === 'forbidden' || (overrides && !mayHandleExceptions(caller))) return refuse(refusal('FORBIDDEN'));
  // Wrong for every state of the task, and so reported before the faults of the task.
  if (input.occurredAt && input.occurredAt > context.now) return violate('occurredAt must not be in the future');
  if (verdict.kind === 'refused') return refuse(verdict.refusal);
  if (!facts || verdict.kind === 'not-found') return refuse(notFound('Task', taskId));
  if (verdict.kind === 'unchanged') return done('task', taskId);
  // An asked agent takes the task by this step too, as long as the request waits.
  const [offer] = facts.task.search?.open ?? [];
  if (input.status === 'accepted' && offer && hasRunOut(offer, context.now))
    return refuse(refusal('ASSIGNMENT_REQUEST_EXPIRED'));
  const children = (facts.task.childIds ?? []).map((id) => draft.findTask(id)!);
  const moving = [...children.filter(({ task }) => !isTerminal(task.status)), facts];
  for (const { task } of [...children, facts]) {
    const late = input.occurredAt ? checkOccurredAt(task, input.occurredAt, context.now) : undefined;
    if (late) return violate(late);
  }
  const missing = succeeds(input) ? missingOf(facts.task, facts.packages, input.note) : [];
  if (missing.length > 0 && !overrides) return refuse(refusal('PROOF_REQUIRED', undefined, { missing }));
  const uncovered = judgeCash(draft, facts.task, { status: input.status, outcome: input.outcome ?? null });
  if (uncovered) return refuse(uncovered);
  for (const one of moving) {
    draftStep(draft, one, input, context.now);
    draftCash(draft, one.task.id, caller, context);
  }
  if (facts.task.parentId !== null) {
    followChildren(draft, facts.task.parentId, context.now);
    draftUnpaid(draft, facts.task.parentId, context.now);
  }
  return done('task', taskId);
}

/** One task's step, with what it does to the packages. */
function draftStep(draft: Draft, { task: before, packages }: TaskFacts, input: StatusInput, now: string): void {
  const { status: to, reason, reasonCode } = input;
  const at = input.occurredAt ?? now;
  const fields = {
    ...fieldsOfStep(to, at),
    ...(to === 'completed' ? outcomeOf(input) : {}),
    ...(to === 'cancelled' ? withoutSearch(before) : {}),
    ...(to === 'accepted' && before.search ? FOUND : {}),
  };
  const task = changedTask(before, fields, now);
  const open = before.search?.open ?? [];
  if (to === 'accepted') for (const request of open) draftRequest(draft, closedRequest(request, 'accepted', at));
  else withdrawRequests(draft, open, now);
  draft.put({ kind: 'put-task', task, packages: endPackages(draft, packages, task, now) });
  const outcome = to === 'completed' ? { outcome: task.outcome, failureReason: task.failureReason } : {};
  const remarks = remarksOf(input, before, packages);
  draft.put({
    kind: 'tell',
    type: 'task.status_changed',
    taskId: task.id,
    extra: { previousStatus: before.status, status: to, reason: reason ?? null, ...outcome, ...remarks },
    step: {
      kind: 'status_changed',
      at,
      fromStatus: before.status,
      toStatus: to,
      reason: reason ?? null,
      reasonCode: reasonCode ?? null,
      details: remarks ? { ...detailsOfStep(before, task), ...remarks } : detailsOfStep(before, task),
    },
  });
}

function succeeds({ status, outcome }: StatusInput): boolean {
  return status === 'completed' && outcome !== 'failed';
}

/** The texts that stay with the end of a task: the courier's note, and why it succeeded without what is missing. */
function remarksOf(input: StatusInput, task: TaskRecord, packages: TaskFacts['packages']) {
  const { note, overrideReason } = input;
  const [hasNote, overrides] = [isText(note), isText(overrideReason)];
  if (!hasNote && !overrides) return undefined;
  return {
    ...(hasNote ? { note } : {}),
    ...(overrides ? { overrideReason, missing: missingOf(task, packages, note) } : {}),
  };
}

function isText(value: string | null | undefined): value is string {
  return value != null && value.trim() !== '';
}

/** The open children of a job that are cancelled with it. */
function openChildrenThatEnd(
  draft: Draft,
  { childIds }: TaskRecord,
  { input }: ChangeTaskStatus,
): readonly TaskRecord[] {
  if (childIds === null || input.status !== 'cancelled') return [];
  return childIds.map((id) => draft.findTask(id)!.task).filter(({ status }) => !isTerminal(status));
}
