import type { Answer, Command, ReadTask } from '../../schema/commands.ts';
import { ERRORS, notFound, type Refusal, refusal } from '../../schema/errors.ts';
import { LIMITS } from '../../schema/limits.ts';
import { type Clock, isoTime } from '../runtime/clock.ts';
import type { RandomSource } from '../runtime/random.ts';
import type { IdempotencyRecord, IdKind } from '../store/org-store.ts';
import { encodeTask } from '../views/task-view.ts';
import { decideChangeTaskStatus } from './decide/change-task-status.ts';
import { decideCreateTask } from './decide/create-task.ts';
import type { DecideContext, Decision } from './decide/decision.ts';
import { type DueTimers, decideWakeUp } from './decide/wake-up.ts';
import { isLogged, tellChange } from './event-encoding.ts';
import type { OrgBatch } from './org-batch.ts';
import { type OrgState, scopedKeyOf } from './org-state.ts';

/** What deciding needs from the actor. */
export interface DecideTools {
  readonly state: OrgState;
  readonly random: RandomSource;
  readonly clock: Clock;
  readonly ids: { next(kind: IdKind): number };
  /** Names the incarnation of the log; part of every event's id. */
  readonly history: string;
  /** The batch that takes the change; calling it promises to put something in. */
  openBatch(): OrgBatch;
}

/** A decision that has been applied: how to answer once it is safe, and what that answer rests on. */
export interface DecidedCommand {
  readonly answer: () => Answer;
  readonly changes: boolean;
  /** Ticket of the batch that must be durable first; undefined: the newest there is. */
  readonly restsOn: number | undefined;
}

/** Decides one command against memory, applies what it changes and stages it for the next commit. */
export function decideCommand(tools: DecideTools, command: Command, due?: DueTimers): DecidedCommand {
  if (command.kind === 'read-task') return readTask(tools.state, command);
  const nowMs = Math.max(tools.clock.now(), tools.state.lastAtMs);
  const replay = command.idempotency && findReplay(tools.state, command, nowMs);
  if (replay) return replay;
  const context: DecideContext = { now: isoTime(nowMs), random: tools.random, nextId: (kind) => tools.ids.next(kind) };
  const decision = decide(tools.state, command, context, due);
  return decision.ok
    ? commitDecision(tools, command, decision, context.now, nowMs)
    : refuseCommand(tools, command, decision.refusal, context.now);
}

function decide(
  state: OrgState,
  command: Exclude<Command, ReadTask>,
  context: DecideContext,
  due?: DueTimers,
): Decision {
  switch (command.kind) {
    case 'create-task':
      return decideCreateTask(state, command, context);
    case 'change-task-status':
      return decideChangeTaskStatus(state, command, context);
    case 'wake-up':
      // Asked again after a failure it knows nothing of what is due; the next scan wakes the organization anew.
      return due ? decideWakeUp(state, due, context) : { ok: false, refusal: refusal('NOT_APPLIED') };
  }
}

function commitDecision(
  tools: DecideTools,
  command: Command,
  decision: Extract<Decision, { ok: true }>,
  now: string,
  nowMs: number,
): DecidedCommand {
  const { state } = tools;
  const batch = tools.openBatch();
  let data = '';
  for (const change of decision.changes) {
    const sequence = state.lastSequence + 1;
    if (isLogged(change)) state.lastSequence = sequence;
    state.apply(change, batch.ticket);
    batch.stage(change);
    const told = tellChange(state, change, { history: tools.history, sequence, at: now, caller: command.caller });
    if (!told) continue;
    batch.log(told.event, told.history);
    if (told.history.taskId === decision.taskId) data = told.taskJson;
  }
  state.lastAtMs = nowMs;
  batch.lastAt = now;
  batch.nextDeadlineAt = state.nextDeadlineAt;
  const answer: Answer = { ok: true, status: decision.status, data, sequence: state.lastSequence };
  remember(tools, command, batch, now, decision.status, data);
  return { answer: () => answer, changes: true, restsOn: batch.ticket };
}

/** A refusal is kept under the idempotency key like any other outcome, and so is written. */
function refuseCommand(tools: DecideTools, command: Command, why: Refusal, now: string): DecidedCommand {
  const answer = () => ({ ok: false, refusal: why }) as const;
  if (!command.idempotency) return { answer, changes: false, restsOn: undefined };
  const batch = tools.openBatch();
  batch.lastAt = now;
  batch.nextDeadlineAt = tools.state.nextDeadlineAt;
  remember(tools, command, batch, now, ERRORS[why.code].status, JSON.stringify(why));
  return { answer, changes: true, restsOn: batch.ticket };
}

function remember(
  tools: DecideTools,
  command: Command,
  batch: OrgBatch,
  at: string,
  status: number,
  body: string,
): void {
  if (!command.idempotency) return;
  const { organizationId } = tools.state;
  const { scope, key, fingerprint } = command.idempotency;
  const record: IdempotencyRecord = { organizationId, scope, key, at, fingerprint, status, body };
  tools.state.rememberIdempotency(scopedKeyOf(command.idempotency), record, batch.ticket);
  batch.remember(record);
}

/** The first answer again, or 422 when the key stands for another payload. */
function findReplay(state: OrgState, command: Command, nowMs: number): DecidedCommand | undefined {
  const kept = state.findIdempotency(scopedKeyOf(command.idempotency!));
  if (!kept || Date.parse(kept.record.at) <= nowMs - LIMITS.idempotencyRetentionMs) return undefined;
  const { fingerprint, status, body } = kept.record;
  if (fingerprint !== command.idempotency!.fingerprint) {
    return {
      answer: () => ({ ok: false, refusal: refusal('IDEMPOTENCY_KEY_REUSED') }),
      changes: false,
      restsOn: kept.ticket,
    };
  }
  const sequence = state.lastSequence;
  const answer = (): Answer =>
    status < 300
      ? { ok: true, status: status as 200 | 201, data: body, sequence, replayed: true }
      : { ok: false, refusal: JSON.parse(body) as Refusal, replayed: true };
  return { answer, changes: false, restsOn: kept.ticket };
}

/** A task as it is now; the answer waits until its newest change is durable, and no longer. */
function readTask(state: OrgState, command: ReadTask): DecidedCommand {
  const live = state.findTask(command.taskId);
  if (!live)
    return {
      answer: () => ({ ok: false, refusal: notFound('Task', command.taskId) }),
      changes: false,
      restsOn: undefined,
    };
  state.touchTask(live);
  const bundle = state.bundleOf(live);
  const { ticket, sequence } = state.basisOf(live);
  const answer = (): Answer => ({ ok: true, status: 200, data: encodeTask(bundle), sequence });
  return { answer, changes: false, restsOn: ticket };
}
