import type { AssignmentMode, RequestStatus } from '../../../schema/assignment/assignment.ts';
import type { EventType } from '../../../schema/events.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { CustomerMail, MailKind, NoticeKind, PushKind } from '../../../schema/notices/notification.ts';
import { isTerminal, type TaskOutcome, type TaskStatus, type TaskType } from '../../../schema/tasks/task.ts';
import { isoOf } from '../shown-time.ts';

/** Events that may make a notice; of a creation only customers get one, of an update only couriers, when it amends. */
export const NOTICED_TYPES = [
  'task.created',
  'task.updated',
  'task.status_changed',
  'assignment_request.created',
  'assignment_request.accepted',
] as const satisfies readonly EventType[];

/** The parts of such an event's body that decide the recipients. */
export interface NoticedEvent {
  readonly type: (typeof NOTICED_TYPES)[number];
  /** ISO 8601. */
  readonly timestamp: string;
  readonly data: {
    readonly task?: NoticedTask;
    readonly assignmentRequest?: NoticedRequest;
    readonly previousStatus?: TaskStatus;
    readonly previousAgentId?: number | null;
    /** For an amendment, the names of the fields. */
    readonly changes?: readonly string[];
    readonly actor?: { readonly type: string; readonly id: number | null };
  };
}

interface NoticedTask {
  readonly id: number;
  readonly taskType: TaskType;
  readonly status: TaskStatus;
  readonly outcome: TaskOutcome | null;
  readonly agentId: number | null;
  readonly customerId: number | null;
  readonly customer: { readonly user: { readonly email: string | null } } | null;
  readonly parentId: number | null;
  readonly previousTaskId: number | null;
  readonly children: readonly unknown[];
}

interface NoticedRequest {
  readonly id: number;
  readonly taskId: number;
  readonly agentId: number;
  readonly mode: AssignmentMode;
  readonly expiresAt: string;
}

/** To all devices of an agent. */
export interface PushNotice {
  readonly kind: PushKind;
  readonly taskId: number;
  readonly agentId: number;
  /** The user who did it, and knows. */
  readonly exceptUserId: number | null;
  /** The offer that it is about. */
  readonly requestId: number | null;
  readonly expiresAt: string;
}

/** To a customer, once for each topic: the task, or the job that it is a part of. */
export interface MailNotice {
  readonly kind: MailKind;
  readonly taskId: number;
  readonly customerId: number;
  readonly topicId: number;
  readonly expiresAt: string;
}

export type Notice = PushNotice | MailNotice;

const WITH_COURIER: ReadonlySet<TaskStatus> = new Set(['assigned', 'accepted', 'in_transit']);

/** The notices of an event. `mail`: the mails that the organization's customers get. */
export function noticesOf(event: NoticedEvent, mail: CustomerMail): readonly Notice[] {
  return [lossOf(event), pushOf(event), mailOf(event, mail)].filter((notice) => notice !== undefined);
}

/** To an agent whose task went straight to another one. */
function lossOf({ timestamp, data: { task, previousAgentId, actor } }: NoticedEvent): PushNotice | undefined {
  if (!task || task.agentId === null || previousAgentId == null) return undefined;
  const common = { taskId: task.id, exceptUserId: userOf(actor), expiresAt: latest(timestamp) };
  return { ...common, kind: 'task_unassigned', agentId: previousAgentId, requestId: null };
}

function pushOf({ type, timestamp, data }: NoticedEvent): PushNotice | undefined {
  const { task, assignmentRequest: request, previousAgentId = null, actor } = data;
  const common = { exceptUserId: userOf(actor), expiresAt: latest(timestamp) };
  if (request) {
    const { id: requestId, taskId, agentId, expiresAt } = request;
    if (type === 'assignment_request.created')
      return { ...common, kind: 'task_offered', taskId, agentId, requestId, expiresAt };
    // One who is asked alone has the task already, and no other event says that somebody took it on the agent's behalf.
    const isAlone = request.mode === 'sequential' || actor?.type === 'system';
    return isAlone ? { ...common, kind: 'task_assigned', taskId, agentId, requestId: null } : undefined;
  }
  // The parts of a job have couriers, and events, of their own.
  if (!task || task.children.length > 0) return undefined;
  const { id: taskId, agentId } = task;
  if (type === 'task.updated' && data.changes) return toAgent('task_amended', agentId);
  // Another agent is only an update where the task keeps its status.
  if (type === 'task.updated' && data.previousAgentId !== undefined) return toAgent('task_assigned', agentId);
  if (type !== 'task.status_changed') return undefined;
  if (task.status === 'cancelled' && WITH_COURIER.has(data.previousStatus!)) return toAgent('task_cancelled', agentId);
  // Gifts and withdrawals by the system are offers.
  if (actor?.type === 'system') return undefined;
  if (task.status === 'awaiting_assignment') return toAgent('task_unassigned', previousAgentId);
  return task.status === 'assigned' ? toAgent('task_assigned', agentId) : undefined;

  function toAgent(kind: PushKind, id: number | null): PushNotice | undefined {
    return id === null ? undefined : { ...common, kind, taskId, agentId: id, requestId: null };
  }
}

function mailOf({ type, timestamp, data: { task } }: NoticedEvent, mail: CustomerMail): MailNotice | undefined {
  if (!task?.customerId || !task.customer?.user.email || goesBack(task)) return undefined;
  const { id: taskId, customerId } = task;
  const common = { taskId, customerId, expiresAt: latest(timestamp) };
  if (type === 'task.created')
    return mail.created ? { ...common, kind: 'tracking_created', topicId: task.parentId ?? taskId } : undefined;
  if (type !== 'task.status_changed' || task.children.length > 0) return undefined;
  if (task.status === 'in_transit' && mail.onTheWay) return { ...common, kind: 'tracking_on_the_way', topicId: taskId };
  if (task.status === 'completed' && task.outcome === 'succeeded' && mail.completed)
    return { ...common, kind: 'tracking_completed', topicId: taskId };
  return undefined;
}

/** Goods that did not reach the customer, and go back to the sender. */
function goesBack({ taskType, previousTaskId }: NoticedTask): boolean {
  return taskType === 'return' && previousTaskId !== null;
}

function userOf(actor: NoticedEvent['data']['actor']): number | null {
  return actor?.type === 'user' ? actor.id : null;
}

function latest(timestamp: string): string {
  return isoOf(Date.parse(timestamp) + LIMITS.noticePatienceMs);
}

/** The state of the notice's subject at the time of sending. */
export interface NoticeReason {
  readonly kind: NoticeKind;
  readonly expiresAt: string;
  readonly isOrganizationActive: boolean;
  /** Null: it has left the database. */
  readonly taskStatus: TaskStatus | null;
  /** The recipient of a push: its user, the task's present agent, and whether user and device may still get it. */
  readonly agentId: number | null;
  readonly taskAgentId: number | null;
  readonly isUserActive: boolean;
  readonly hasDevice: boolean;
  /** For an offer. */
  readonly requestStatus: RequestStatus | null;
  /** For a mail: whether the customer has an address, and gets this kind of mail. */
  readonly hasAddress: boolean;
  readonly isMailWanted: boolean;
}

/** Why a notice need not be sent any more; undefined when it does. */
export function reasonToDrop(notice: NoticeReason, now: string): string | undefined {
  if (notice.expiresAt <= now) return 'its time has passed';
  if (!notice.isOrganizationActive) return 'the organization is not active';
  if (notice.taskStatus === null) return 'the task is gone';
  return isMail(notice.kind)
    ? reasonToDropMail({ ...notice, kind: notice.kind, taskStatus: notice.taskStatus })
    : reasonToDropPush({ ...notice, kind: notice.kind });
}

function reasonToDropPush(notice: NoticeReason & { readonly kind: PushKind }): string | undefined {
  const { kind, agentId, taskAgentId, taskStatus, requestStatus } = notice;
  if (!notice.isUserActive) return 'the user is not active';
  if (!notice.hasDevice) return 'the device is signed out, or belongs to somebody else';
  if (kind === 'task_offered' && requestStatus !== 'pending') return 'the offer is no longer open';
  const hasTask = taskAgentId === agentId && taskStatus !== 'cancelled';
  if (kind === 'task_assigned' && !hasTask) return 'the task was taken back';
  if (kind === 'task_amended' && (!hasTask || taskStatus === 'completed'))
    return 'the task was taken back, or has ended';
  if (kind === 'task_unassigned' && hasTask) return 'the task was given back';
  return undefined;
}

function reasonToDropMail({
  kind,
  taskStatus,
  hasAddress,
  isMailWanted,
}: NoticeReason & { readonly kind: MailKind; readonly taskStatus: TaskStatus }): string | undefined {
  if (!hasAddress) return 'the customer has no e-mail address';
  if (!isMailWanted) return 'such mails were switched off';
  if (taskStatus === 'cancelled') return 'the task was cancelled';
  if (kind !== 'tracking_completed' && isTerminal(taskStatus)) return 'the task has ended';
  if (kind === 'tracking_on_the_way' && taskStatus !== 'in_transit') return 'nobody is on the way any more';
  return undefined;
}

export function isMail(kind: NoticeKind): kind is MailKind {
  return kind.startsWith('tracking_');
}

/** Milliseconds before the next try. `attempts`: those made so far; `drawn`: evenly from 0 up to 1. */
export function noticePause(attempts: number, drawn: number): number {
  const pauseMs = Math.min(LIMITS.noticeFirstPauseMs * 2 ** (attempts - 1), LIMITS.noticeLongestPauseMs);
  return pauseMs * (0.75 + drawn / 2);
}

/** An address as the log of notices shows it: `a***@example.com`. */
export function maskedAddress(email: string): string {
  return email.replace(/^(.).*(?=@)/u, '$1***');
}
