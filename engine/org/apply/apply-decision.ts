import type { Answer, Command } from '../../../schema/commands.ts';
import { ERRORS, isOutcome, type Refusal } from '../../../schema/errors.ts';
import type { IdempotencyKey } from '../../../schema/fields/idempotency-key.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { RandomSource } from '../../runtime/random.ts';
import type { IdempotencyRecord, IdKind } from '../../store/actor/actor-store.ts';
import type { Shown } from '../decide/decision.ts';
import { isNews, type News } from '../state/changes.ts';
import type { Draft } from '../state/draft.ts';
import type { OrgState } from '../state/org-state.ts';
import { auditLineOf } from './audit-line.ts';
import { encodeShown } from './encode-shown.ts';
import { type ToldChange, tellNews } from './event-encoding.ts';
import { JointNews } from './joint-news.ts';
import type { OrgBatch } from './org-batch.ts';
import { belongingsOf, blursTextSearches } from './searched-records.ts';
import type { ShownTasks } from './shown-tasks.ts';

/** The parts of the actor that a decision uses. */
export interface DecideTools {
  readonly state: OrgState;
  readonly shownTasks: ShownTasks;
  readonly random: RandomSource;
  readonly clock: Clock;
  readonly ids: { next(kind: IdKind): number };
  /** Names the incarnation of the log; part of every event's id. */
  readonly history: string;
  /** The batch that takes the change; calling it promises to put something in. */
  openBatch(): OrgBatch;
  /** Set while the parts of one commit are applied; who applies them tells the news at the end that they have put off. */
  readonly joint?: JointNews;
}

/** A decision that has been applied: how to answer once it is safe, and what that answer rests on. */
export interface DecidedCommand {
  readonly answer: () => Answer;
  readonly changes: boolean;
  /** Ticket of the batch that must be durable first; undefined: the newest there is. */
  readonly restsOn: number | undefined;
}

/** Opens the batch that takes what is decided now. */
export function openBatchAt(tools: DecideTools, now: string): OrgBatch {
  const batch = tools.openBatch();
  batch.lastAt = now;
  // Always at the batch's time: no decision is earlier than a commit.
  tools.state.lastAtMs = Date.parse(now);
  return batch;
}

/** The JSON of the record that answers, and the task.created event that tells the same, if one does. */
export interface AppliedDraft {
  readonly data: string;
  readonly toldAt: number | null;
}

/** Makes memory and the batch what the draft says. News that may wait for the other parts of a joint commit are put off. */
export function applyDraft(
  tools: DecideTools,
  batch: OrgBatch,
  draft: Draft,
  command: Pick<Command, 'caller'>,
  shown: Shown,
): AppliedDraft {
  const { state, joint = new JointNews(state) } = tools;
  let applied: AppliedDraft | undefined;
  for (const change of draft.changes) {
    if (isNews(change)) {
      if (joint.putOff(change)) continue;
      const told = logNews(tools, batch, change, command, joint);
      if (isAbout(change, shown)) applied = answerOf(change, told, shown);
    } else {
      const before = joint.untold.note(change);
      const line = auditLineOf(state, change, command.caller, batch.lastAt);
      batch.blursTextSearches ||= blursTextSearches(state, change);
      state.apply(change, batch.ticket);
      batch.stage(
        change,
        before?.task,
        change.kind === 'put-task' ? belongingsOf(state, change.task.id, before) : undefined,
      );
      if (line) batch.noteAudit(line);
    }
  }
  if (!tools.joint) tellPutOff(tools, batch, command, joint);
  batch.nextDeadlineAt = state.nextDeadlineAt;
  return applied ?? { data: encodeShown(state, shown) ?? '{}', toldAt: null };
}

/** Tells the news that were put off, after all the changes that they show. */
export function tellPutOff(
  tools: DecideTools,
  batch: OrgBatch,
  command: Pick<Command, 'caller'>,
  joint: JointNews,
): void {
  for (const news of joint.take()) logNews(tools, batch, news, command, joint);
}

function logNews(
  { state, history }: DecideTools,
  batch: OrgBatch,
  news: News,
  { caller }: Pick<Command, 'caller'>,
  { untold }: JointNews,
): ToldChange {
  state.lastSequence += 1;
  state.apply(news, batch.ticket);
  const before = 'taskId' in news ? untold.take(news.taskId) : undefined;
  const told = tellNews(state, news, { history, sequence: state.lastSequence, at: batch.lastAt, caller, before });
  batch.log(told.event, told.history);
  return told;
}

function isAbout(news: News, shown: Shown): boolean {
  if (shown.kind === 'payment') return news.kind === 'tell-payment' && news.paymentId === shown.id;
  const isOfTask = news.kind === 'tell' || news.kind === 'tell-payment';
  return isOfTask && shown.kind === 'task' && news.taskId === shown.id;
}

/** The text that the event of the shown record already holds; undefined when the record must be encoded again. */
function answerOf(news: News, { event, json }: ToldChange, shown: Shown): AppliedDraft | undefined {
  // The payment of a task's end changes the task once more after its event.
  if (json === undefined || (shown.kind === 'task' && news.kind === 'tell-payment')) return undefined;
  const isPlain = news.kind === 'tell' && news.type === 'task.created' && !news.extra;
  return { data: json, toldAt: isPlain ? event.sequence : null };
}

/** Keeps an outcome under its key, in the same commit as the effect. Does nothing without a key. */
export function keepOutcome(
  tools: DecideTools,
  batch: OrgBatch,
  idempotency: IdempotencyKey | undefined,
  outcome: { readonly status: number; readonly body: string; readonly toldAt: number | null },
): void {
  if (!idempotency) return;
  const { organizationId, lastSequence: sequence } = tools.state;
  const { scope, key, scopedKey, fingerprint } = idempotency;
  const record: IdempotencyRecord = { organizationId, scope, key, at: batch.lastAt, fingerprint, sequence, ...outcome };
  tools.state.rememberIdempotency(scopedKey, record, batch.ticket);
  batch.remember(record);
}

/** Keeps a refusal, if it is an outcome. Returns the ticket of its batch; undefined when nothing was kept. */
export function keepRefusal(
  tools: DecideTools,
  idempotency: IdempotencyKey | undefined,
  why: Refusal,
  now: string,
): number | undefined {
  if (!idempotency || !isOutcome(why)) return undefined;
  const batch = openBatchAt(tools, now);
  batch.nextDeadlineAt = tools.state.nextDeadlineAt;
  keepOutcome(tools, batch, idempotency, {
    status: ERRORS[why.code].status,
    body: JSON.stringify(why),
    toldAt: null,
  });
  return batch.ticket;
}

/** The answer kept under a valid key, with the ticket that it rests on. */
export function findKept(state: OrgState, { scopedKey }: IdempotencyKey, nowMs: number) {
  const kept = state.findIdempotency(scopedKey);
  const isHonoured = kept && Date.parse(kept.record.at) > nowMs - LIMITS.idempotencyRetentionMs;
  return isHonoured ? kept : undefined;
}
