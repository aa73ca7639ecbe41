import type { Answer, Command, ReadTask, SingleCommand } from '../../../schema/commands.ts';
import { ERRORS, notFound, type Refusal, refusal } from '../../../schema/errors.ts';
import { isAsked } from '../../domain/assignment/assignment-machine.ts';
import { maySee } from '../../domain/tasks/task-machine.ts';
import { isoTime } from '../../runtime/clock.ts';
import { matchesEtag } from '../../views/parts/etag.ts';
import { encodeFollowed } from '../../views/parts/followed-task.ts';
import { encodePackage } from '../../views/task-view.ts';
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
import { type DecideContext, type Decision, type DueTimers, refuse, type Shown } from '../decide/decision.ts';
import { decideByRule, ruleOf } from '../decide/rules.ts';
import { Draft } from '../state/draft.ts';
import type { OrgState } from '../state/org-state.ts';
import { decideActions } from './decide-actions.ts';
import { decideBatch } from './decide-batch.ts';

/** Decides one command against memory, applies what it changes and stages it for the next commit. */
export function decideCommand(tools: DecideTools, command: Command, due?: DueTimers): DecidedCommand {
  const { state } = tools;
  if (state.deletedBy !== undefined) return afterTheEnd(state.deletedBy);
  if (command.kind === 'read-task') return readTask(tools, command);
  const nowMs = Math.max(tools.clock.now(), state.lastAtMs);
  const replay = command.idempotency && replayOf(state, command, nowMs);
  if (replay) return replay;
  const now = isoTime(nowMs);
  const context: DecideContext = {
    now,
    random: tools.random,
    nextId: (kind) => tools.ids.next(kind),
    due: due && { ...due, nextDeadlineAt: nextDeadline(state, due) },
  };
  if (command.kind === 'create-tasks') return decideBatch(tools, command, context, nowMs);
  if (command.kind === 'act-on-tasks') return decideActions(tools, command, context);
  const draft = new Draft(state);
  const decided = decideByRule(draft, command, context);
  const decision = precedes412(decided) || !hasChangedSince(state, command) ? decided : STALE;
  return decision.ok
    ? applyDecision(tools, command, draft, decision, now)
    : refuseCommand(tools, command, decision.refusal, now);
}

/** The answer is not kept: a key of this organization has no meaning any more. */
function afterTheEnd(deletedBy: number): DecidedCommand {
  const answer = (): Answer => ({ ok: false, refusal: refusal('ORGANIZATION_DELETED') });
  return { answer, changes: false, restsOn: deletedBy };
}

const STALE = refuse(refusal('PRECONDITION_FAILED'));

/** In the order of refusal a forbidden or unknown record comes before a changed one. */
function precedes412(decision: Decision): boolean {
  return (
    !decision.ok && decision.refusal.code !== 'PACKAGE_LIMIT_EXCEEDED' && ERRORS[decision.refusal.code].status < 409
  );
}

/** Whether the record differs from every one that If-Match names. */
function hasChangedSince(state: OrgState, command: SingleCommand): boolean {
  if (!('ifMatch' in command) || !command.ifMatch) return false;
  const current = encodeShown(state, ruleOf(command).target(command, state.organizationId));
  return current !== undefined && !matchesEtag(command.ifMatch, current);
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

/** Nothing had to change: the answer rests on the newest change. */
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
function readTask({ state, shownTasks }: DecideTools, { taskId, caller, show }: ReadTask): DecidedCommand {
  const live = state.findTask(taskId);
  if (!live || !(maySee(live.task, caller) || isAsked(live.task, caller.agentId))) {
    const answer = (): Answer => ({ ok: false, refusal: notFound('Task', taskId) });
    return { answer, changes: false, restsOn: live ? state.basisOf(live).ticket : undefined };
  }
  state.noteRead(live);
  const { ticket, sequence } = state.basisOf(live);
  if (show === 'task') {
    const { json, etag } = shownTasks.of(state, live);
    const answer: Answer = { ok: true, status: 200, data: json, etag, sequence };
    return { answer: () => answer, changes: false, restsOn: ticket };
  }
  const bundle = state.bundleOf(live);
  const { organization } = state;
  const encode = () => {
    if (show === 'tracking') return encodeFollowed(bundle, organization);
    const packages = bundle.packages.map(encodePackage);
    return `{"items":[${packages.join(',')}],"count":${packages.length},"nextCursor":null}`;
  };
  return { answer: () => ({ ok: true, status: 200, data: encode(), sequence }), changes: false, restsOn: ticket };
}
