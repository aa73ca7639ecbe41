import type { Answer, Command, ReadTask, SingleCommand } from '../../../schema/commands.ts';
import { ERRORS, notFound, type Refusal, refusal } from '../../../schema/errors.ts';
import { isTerminal, type TaskRecord } from '../../../schema/tasks/task.ts';
import { isAsked } from '../../domain/assignment/assignment-machine.ts';
import { mayChange, maySee } from '../../domain/tasks/task-machine.ts';
import { isoTime } from '../../runtime/clock.ts';
import { encodePackage } from '../../views/package-view.ts';
import { matchesEtag } from '../../views/parts/etag.ts';
import { encodeFollowed } from '../../views/parts/followed-task.ts';
import { encodeTask } from '../../views/task-view.ts';
import {
  applyDraft,
  type DecidedCommand,
  type DecideTools,
  findKept,
  keepOutcome,
  keepRefusal,
  openBatchAt,
} from '../apply/apply-decision.ts';
import { encodeShown } from '../apply/encode-shown.ts';
import { decideAnswerRequest } from '../decide/assignment/answer-request.ts';
import { decideAssignCouriers } from '../decide/assignment/assign-couriers.ts';
import { decideAssignTask } from '../decide/assignment/assign-task.ts';
import { decideProposeOffers } from '../decide/assignment/propose-offers.ts';
import { decideSearchAgent } from '../decide/assignment/search-agent.ts';
import { decideUnassignTask } from '../decide/assignment/unassign-task.ts';
import { type DecideContext, type Decision, refuse, type Shown } from '../decide/decision.ts';
import { decidePayTask } from '../decide/money/pay-task.ts';
import { decideRefundPayment } from '../decide/money/refund-payment.ts';
import { decideSettlePayment } from '../decide/money/settle-payment.ts';
import { decideTopUpWallet } from '../decide/money/top-up-wallet.ts';
import { decideChangeDuty } from '../decide/records/change-duty.ts';
import { decideCreateAgent } from '../decide/records/create-agent.ts';
import { decideCreateCustomer } from '../decide/records/create-customer.ts';
import { decideCreateWarehouse } from '../decide/records/create-warehouse.ts';
import { decideDeleteOrganization } from '../decide/records/delete-organization.ts';
import { decideUpdateAgent } from '../decide/records/update-agent.ts';
import { decideUpdateCustomer } from '../decide/records/update-customer.ts';
import { decideUpdateOrganization } from '../decide/records/update-organization.ts';
import { decideUpdateWarehouse } from '../decide/records/update-warehouse.ts';
import { decideAddPackage } from '../decide/tasks/add-package.ts';
import { decideChangePackageStatus } from '../decide/tasks/change-package-status.ts';
import { decideChangeTaskStatus } from '../decide/tasks/change-task-status.ts';
import { decideCreateTask } from '../decide/tasks/create-task.ts';
import { decideNoteArrival } from '../decide/tasks/note-arrival.ts';
import { decideNoteEta } from '../decide/tasks/note-eta.ts';
import { decideRateTask } from '../decide/tasks/rate-task.ts';
import { decideUpdateTask } from '../decide/tasks/update-task.ts';
import { type DueTimers, decideWakeUp } from '../decide/tasks/wake-up.ts';
import { Draft } from '../state/draft.ts';
import type { OrgState } from '../state/org-state.ts';
import { decideBatch } from './decide-batch.ts';

/** Decides one command against memory, applies what it changes and stages it for the next commit. */
export function decideCommand(tools: DecideTools, command: Command, due?: DueTimers): DecidedCommand {
  const { state } = tools;
  if (state.deletedBy !== undefined) return afterTheEnd(state.deletedBy);
  if (command.kind === 'read-task') return readTask(state, command);
  const nowMs = Math.max(tools.clock.now(), state.lastAtMs);
  const replay = command.idempotency && replayOf(state, command, nowMs);
  if (replay) return replay;
  const now = isoTime(nowMs);
  const context: DecideContext = { now, random: tools.random, nextId: (kind) => tools.ids.next(kind) };
  if (command.kind === 'create-tasks') return decideBatch(tools, command, context, nowMs);
  const draft = new Draft(state);
  const decided = isBeyond(draft, command)
    ? FORBIDDEN
    : decide(draft, command, context, due && { ...due, nextDeadlineAt: nextDeadline(state, due) });
  const decision = precedes412(decided) || !hasChangedSince(state, command) ? decided : STALE;
  return decision.ok
    ? applyDecision(tools, command, draft, decision, now)
    : refuseCommand(tools, command, decision.refusal, now);
}

/** Nothing is kept of it: a key of this organization means nothing any more. */
function afterTheEnd(deletedBy: number): DecidedCommand {
  const answer = (): Answer => ({ ok: false, refusal: refusal('ORGANIZATION_DELETED') });
  return { answer, changes: false, restsOn: deletedBy };
}

/** Whether the command changes a task that its caller may only see. */
function isBeyond(draft: Draft, command: SingleCommand): boolean {
  const task = taskOf(draft, command);
  if (!task) return false;
  if (!mayChange(task, command.caller)) return true;
  return endedWith(draft, task, command).some((child) => !mayChange(child, command.caller));
}

function taskOf(draft: Draft, command: SingleCommand): TaskRecord | undefined {
  if (command.kind === 'change-package-status') return draft.findPackage(command.packageId)?.owner ?? undefined;
  if (command.kind === 'pay-task') return draft.findTask(command.input.taskId)?.task;
  return 'taskId' in command ? draft.findTask(command.taskId)?.task : undefined;
}

/** The open children of a job that the command cancels with it. */
function endedWith(draft: Draft, { childIds }: TaskRecord, command: SingleCommand): readonly TaskRecord[] {
  if (childIds === null || command.kind !== 'change-task-status' || command.input.status !== 'cancelled') return [];
  return childIds.map((id) => draft.findTask(id)!.task).filter(({ status }) => !isTerminal(status));
}

function decide(draft: Draft, command: SingleCommand, context: DecideContext, due?: DueTimers): Decision {
  switch (command.kind) {
    case 'create-task':
      return decideCreateTask(draft, command, context);
    case 'update-task':
      return decideUpdateTask(draft, command, context);
    case 'change-task-status':
      return decideChangeTaskStatus(draft, command, context);
    case 'rate-task':
      return decideRateTask(draft, command, context);
    case 'add-package':
      return decideAddPackage(draft, command, context);
    case 'change-package-status':
      return decideChangePackageStatus(draft, command, context);
    case 'create-customer':
      return decideCreateCustomer(draft, command, context);
    case 'update-customer':
      return decideUpdateCustomer(draft, command, context);
    case 'create-warehouse':
      return decideCreateWarehouse(draft, command, context);
    case 'update-warehouse':
      return decideUpdateWarehouse(draft, command, context);
    case 'create-agent':
      return decideCreateAgent(draft, command, context);
    case 'update-agent':
      return decideUpdateAgent(draft, command, context);
    case 'change-duty':
      return decideChangeDuty(draft, command, context);
    case 'assign-task':
      return decideAssignTask(draft, command, context);
    case 'unassign-task':
      return decideUnassignTask(draft, command, context);
    case 'search-agent':
      return decideSearchAgent(draft, command, context);
    case 'answer-request':
      return decideAnswerRequest(draft, command, context);
    case 'propose-offers':
      return decideProposeOffers(draft, command, context);
    case 'assign-couriers':
      return decideAssignCouriers(draft, command, context);
    case 'pay-task':
      return decidePayTask(draft, command, context);
    case 'refund-payment':
      return decideRefundPayment(draft, command, context);
    case 'settle-payment':
      return decideSettlePayment(draft, command, context);
    case 'top-up-wallet':
      return decideTopUpWallet(draft, command, context);
    case 'update-organization':
      return decideUpdateOrganization(draft, command, context);
    case 'delete-organization':
      return decideDeleteOrganization(draft, command);
    case 'note-arrival':
      return decideNoteArrival(draft, command, context);
    case 'note-eta':
      return decideNoteEta(draft, command, context);
    case 'wake-up':
      // Asked again after a failure it knows nothing of what is due; the next scan wakes the organization anew.
      return due ? decideWakeUp(draft, due, context) : refuse(refusal('NOT_APPLIED'));
  }
}

const FORBIDDEN = refuse(refusal('FORBIDDEN'));
const STALE = refuse(refusal('PRECONDITION_FAILED'));

/** The order of refusal puts what may not be asked and what is not there before what has changed. */
function precedes412(decision: Decision): boolean {
  return (
    !decision.ok && decision.refusal.code !== 'PACKAGE_LIMIT_EXCEEDED' && ERRORS[decision.refusal.code].status < 409
  );
}

/** Whether the record is none of those that If-Match names. */
function hasChangedSince(state: OrgState, command: SingleCommand): boolean {
  if (!('ifMatch' in command) || !command.ifMatch) return false;
  const current = encodeShown(state, targetOf(state, command));
  return current !== undefined && !matchesEtag(command.ifMatch, current);
}

function targetOf(state: OrgState, command: Extract<SingleCommand, { ifMatch?: unknown }>): Shown {
  switch (command.kind) {
    case 'update-task':
      return { kind: 'task', id: command.taskId };
    case 'change-package-status':
      return { kind: 'package', id: command.packageId };
    case 'update-warehouse':
      return { kind: 'warehouse', id: command.warehouseId };
    case 'update-agent':
      return { kind: 'agent', id: command.agentId };
    case 'update-organization':
      return { kind: 'organization', id: state.organizationId };
  }
}

function nextDeadline(state: OrgState, due: DueTimers): string | null {
  const [earliest] = [due.nextDeadlineAt, state.deadlineSinceScan].filter((at) => at !== null).sort();
  return earliest ?? null;
}

function applyDecision(
  tools: DecideTools,
  command: SingleCommand,
  draft: Draft,
  { status, shown }: Extract<Decision, { ok: true }>,
  now: string,
): DecidedCommand {
  const { state } = tools;
  if (draft.changes.length === 0 && !command.idempotency) return unchanged(state, status, shown);
  const batch = openBatchAt(tools, now);
  const { data, toldAt } = applyDraft(tools, batch, draft, command, shown);
  keepOutcome(tools, batch, command.idempotency, { status, body: data, toldAt });
  const answer: Answer = { ok: true, status, data, sequence: state.lastSequence };
  return { answer: () => answer, changes: true, restsOn: batch.ticket };
}

/** Nothing had to be done: the answer rests on the newest there is. */
function unchanged(state: OrgState, status: 200 | 201, shown: Shown): DecidedCommand {
  const answer: Answer = { ok: true, status, data: encodeShown(state, shown) ?? '{}', sequence: state.lastSequence };
  return { answer: () => answer, changes: false, restsOn: undefined };
}

function refuseCommand(tools: DecideTools, command: SingleCommand, why: Refusal, now: string): DecidedCommand {
  const ticket = keepRefusal(tools, command.idempotency, why, now);
  return { answer: () => ({ ok: false, refusal: why }), changes: ticket !== undefined, restsOn: ticket };
}

/** The first answer again, or 422 when the key stands for another payload. */
function replayOf(state: OrgState, { idempotency }: Command, nowMs: number): DecidedCommand | undefined {
  const kept = findKept(state, idempotency!, nowMs);
  if (!kept) return undefined;
  const { fingerprint, status, body, sequence } = kept.record;
  const isSame = fingerprint === idempotency!.fingerprint;
  const answer = (): Answer => {
    if (!isSame) return { ok: false, refusal: refusal('IDEMPOTENCY_KEY_REUSED') };
    return status < 300
      ? { ok: true, status: status as 200 | 201, data: body, sequence, replayed: true }
      : { ok: false, refusal: JSON.parse(body) as Refusal, replayed: true };
  };
  return { answer, changes: false, restsOn: kept.ticket };
}

/** A task as it is now; the answer waits until its newest change is durable, and no longer. */
function readTask(state: OrgState, { taskId, caller, show }: ReadTask): DecidedCommand {
  const live = state.findTask(taskId);
  if (!live || !(maySee(live.task, caller) || isAsked(live.task, caller.agentId))) {
    const answer = (): Answer => ({ ok: false, refusal: notFound('Task', taskId) });
    return { answer, changes: false, restsOn: live ? state.basisOf(live).ticket : undefined };
  }
  state.touchTask(live);
  const bundle = state.bundleOf(live);
  const { ticket, sequence } = state.basisOf(live);
  const { organization } = state;
  const encode = () => {
    if (show === 'task') return encodeTask(bundle);
    if (show === 'tracking') return encodeFollowed(bundle, organization);
    return `{"items":[${bundle.packages.map(encodePackage).join(',')}],"count":${bundle.packages.length}}`;
  };
  return { answer: () => ({ ok: true, status: 200, data: encode(), sequence }), changes: false, restsOn: ticket };
}
