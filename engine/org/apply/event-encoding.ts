import type { Caller } from '../../../schema/commands.ts';
import { type EventType, eventId, type LoggedEvent } from '../../../schema/events.ts';
import type { PaymentRecord } from '../../../schema/money/payment.ts';
import { taskChangesOf } from '../../../schema/tasks/task-changes.ts';
import type { TaskHistoryRecord } from '../../../schema/tasks/task-history.ts';
import { formatMinor } from '../../domain/money/money.ts';
import { encodeAgent } from '../../views/agent-view.ts';
import { encodeAssignmentRequest } from '../../views/assignment-request-view.ts';
import { encodePayment } from '../../views/money/payment-view.ts';
import { inOnePiece } from '../../views/parts/serializer.ts';
import { encodeTask, encodeTaskWithin } from '../../views/task-view.ts';
import type { News, Tell, TellAgent, TellPayment, TellRequest } from '../state/changes.ts';
import type { OrgState } from '../state/org-state.ts';
import type { TaskFacts } from '../state/state-view.ts';

/** A change as the log tells it. */
export interface ToldChange {
  readonly event: LoggedEvent;
  /** The step in the history of the task that it is about, if it is about one. */
  readonly history?: TaskHistoryRecord;
  /** The record that an answer may show, as the event has it. */
  readonly json?: string;
}

interface TellContext extends LineContext {
  /** The task before the changes of the event; undefined for a new one, and for news about no task. */
  readonly before: TaskFacts | undefined;
}

interface LineContext {
  readonly history: string;
  readonly sequence: number;
  readonly at: string;
  readonly caller: Caller;
}

/**
 * Encodes the log's line for changes that have just been applied. It is encoded once: the same text goes to Postgres,
 * to streams, to webhooks and into the answer.
 */
export function tellNews(state: OrgState, news: News, told: TellContext): ToldChange {
  switch (news.kind) {
    case 'tell':
      return tellTask(state, news, told);
    case 'tell-agent':
      return tellAgent(state, news, told);
    case 'tell-request':
      return tellRequest(state, news, told);
    case 'tell-payment':
      return tellPayment(state, news, told);
  }
}

function tellTask(state: OrgState, tell: Tell, told: TellContext): ToldChange {
  const { type, taskId, step } = tell;
  const { sequence, at, caller, before } = told;
  const { organizationId } = state;
  const live = state.findTask(taskId)!;
  const head = headOf(state, type, live.task.channelId, told);
  const extra = tell.extra ? extraOf(tell.extra, caller) : '';
  const { whole: body, json } = encodeTaskWithin(`${head},"data":{"task":`, state.bundleOf(live), `${extra}}}`);
  return {
    event: { organizationId, sequence, type, at, body },
    history: historyStep(live, step, told, step.kind === 'created' ? undefined : before),
    json,
  };
}

/** The event of a request in its new state, and the step that its task's history keeps. */
function tellRequest(state: OrgState, tell: TellRequest, told: TellContext): ToldChange {
  const { sequence, at, caller, before } = told;
  const request = state.findRequest(tell.requestId)!;
  const { status, agentId, rejectionReason } = request;
  const type = `assignment_request.${status === 'pending' ? 'created' : status}` as const;
  const head = headOf(state, type, request.channelId, told);
  const body = `${head},"data":{"assignmentRequest":${encodeAssignmentRequest(request)}${extraOf({}, caller)}}}`;
  const details = { requestId: request.id, agentId, status, ...tell.details };
  const { reasonCode = null } = tell;
  const step = { kind: 'assignment_request', reason: rejectionReason, reasonCode, details } as const;
  return {
    event: { organizationId: state.organizationId, sequence, type, at, body: inOnePiece(body) },
    history: historyStep(state.findTask(tell.taskId)!, step, told, before),
  };
}

/** The event of a payment in its new state, with its task, and the step that the task's history keeps. */
function tellPayment(state: OrgState, tell: TellPayment, told: TellContext): ToldChange {
  const { type, paymentId, taskId } = tell;
  const { sequence, at, caller, before } = told;
  const payment = state.findPayment(paymentId)!;
  const live = state.findTask(taskId)!;
  const json = encodePayment(payment);
  const head = headOf(state, type, payment.channelId, told);
  const data = `"payment":${json},"task":${encodeTask(state.bundleOf(live))}${extraOf({}, caller)}`;
  const { organizationId } = state;
  return {
    event: { organizationId, sequence, type, at, body: inOnePiece(`${head},"data":{${data}}}`) },
    history: historyStep(live, paymentStep(payment), told, before),
    json,
  };
}

/** The payment facts that the history of a task keeps. */
export function paymentStep({ id, method, status, amountMinor, currency, failureReason }: PaymentRecord): Tell['step'] {
  const details = { paymentId: id, method, status, amount: formatMinor(amountMinor, currency), currency };
  return { kind: 'payment', reason: failureReason, details };
}

function historyStep(
  after: TaskFacts,
  step: Tell['step'],
  { sequence, at, caller }: LineContext,
  before: TaskFacts | undefined,
): TaskHistoryRecord {
  return {
    organizationId: after.task.organizationId,
    taskId: after.task.id,
    sequence,
    at: step.at ?? at,
    recordedAt: at,
    kind: step.kind,
    fromStatus: step.fromStatus ?? null,
    toStatus: step.toStatus ?? null,
    reason: step.reason ?? null,
    reasonCode: step.reasonCode ?? null,
    details: step.details ?? null,
    actorType: caller.type,
    actorId: caller.id,
    correlationId: caller.origin?.correlationId ?? null,
    address: caller.origin?.address ?? null,
    changes: before ? taskChangesOf(before, after) : null,
  };
}

/** The event of an agent in its new state. */
function tellAgent(state: OrgState, { type, agentId, extra }: TellAgent, told: LineContext): ToldChange {
  const { sequence, at, caller } = told;
  const head = headOf(state, type, caller.channelId, told);
  const body = `${head},"data":{"agent":${encodeAgent(state.findAgent(agentId)!)}${extraOf(extra, caller)}}}`;
  return { event: { organizationId: state.organizationId, sequence, type, at, body: inOnePiece(body) } };
}

function headOf({ organizationId }: OrgState, type: EventType, channelId: number, told: LineContext): string {
  const { history, sequence, at } = told;
  return (
    `{"id":"${eventId(history, organizationId, sequence)}","type":"${type}","timestamp":"${at}",` +
    `"apiVersion":"v1","organizationId":${organizationId},"channelId":${channelId},"sequence":${sequence}`
  );
}

/** The data beside the record, and the actor. */
function extraOf(extra: Readonly<Record<string, unknown>>, { type, id }: Caller): string {
  return `,${JSON.stringify({ ...extra, actor: { type, id } }).slice(1, -1)}`;
}
