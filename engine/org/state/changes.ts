import type { OrganizationRecord } from '../../../schema/accounts/organization.ts';
import type { AssignmentRequestRecord } from '../../../schema/assignment/assignment.ts';
import type { CustomerRecord } from '../../../schema/customers/customer.ts';
import type { LocationRecord } from '../../../schema/customers/location.ts';
import type { EventType } from '../../../schema/events.ts';
import type { AgentRecord } from '../../../schema/fleet/agent.ts';
import type { EntryRecord, TransferRecord } from '../../../schema/money/ledger.ts';
import type { PaymentRecord } from '../../../schema/money/payment.ts';
import type { PackageRecord } from '../../../schema/tasks/package.ts';
import type { TaskRecord } from '../../../schema/tasks/task.ts';
import type { TaskHistoryRecord } from '../../../schema/tasks/task-history.ts';
import type { QuotaResource } from '../../domain/quota.ts';
import type { WarehouseWithLocation } from '../../store/records/warehouse-store.ts';

/** A task's record with its belongings. An absent part stays as it was. */
export interface PutTask {
  readonly kind: 'put-task';
  readonly task: TaskRecord;
  readonly location?: LocationRecord | null;
  readonly pickupLocation?: LocationRecord | null;
  /** All packages of the task as they are now; those that changed have a `put-package` of their own. */
  readonly packages?: readonly PackageRecord[];
}

/** A line of the log about a task as it stands then, and the step that its history keeps. */
export interface Tell {
  readonly kind: 'tell';
  readonly type: EventType;
  readonly taskId: number;
  /** The event's data beside the task. */
  readonly extra?: Readonly<Record<string, unknown>>;
  readonly step: Pick<TaskHistoryRecord, 'kind'> &
    Partial<Pick<TaskHistoryRecord, 'at' | 'fromStatus' | 'toStatus' | 'reason' | 'reasonCode' | 'details'>>;
  /** The changed fields of a job that follows its children: one event has those of a whole commit. */
  readonly followed?: readonly string[];
}

/** A line of the log about an agent as it is then. Of the channel that the caller speaks for: an agent has none. */
export interface TellAgent {
  readonly kind: 'tell-agent';
  readonly type: EventType;
  readonly agentId: number;
  readonly extra: Readonly<Record<string, unknown>>;
}

/** A line of the log about a request as it stands then, and the step of its task that the history keeps. */
export interface TellRequest {
  readonly kind: 'tell-request';
  readonly requestId: number;
  readonly taskId: number;
  /** The history's details beside the request. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  /** Why it was withdrawn from its agent alone, as the history says it. */
  readonly reasonCode?: string | null;
}

/** A line of the log about a payment as it stands then, with its task, and the step that the task's history keeps. */
export interface TellPayment {
  readonly kind: 'tell-payment';
  readonly type: EventType;
  readonly paymentId: number;
  readonly taskId: number;
}

/** The parts of a line of the log. */
export type News = Tell | TellAgent | TellRequest | TellPayment;

/** Money moves: a line of the ledger, whose entries cancel out. */
export interface MoveMoney {
  readonly kind: 'move-money';
  readonly transfer: TransferRecord;
  readonly entries: readonly EntryRecord[];
}

/**
 * The changes of a decision, in full records. A change is applied to memory and written to Postgres as it stands:
 * neither adds anything of its own. Every `put-task` is followed by a `tell` of that task, or of a request or a payment
 * for it: no change without an event. One that changes nothing shown has none, and keeps the task's `updatedAt`.
 */
export type Change =
  | PutTask
  | News
  | MoveMoney
  | { readonly kind: 'put-customer'; readonly customer: CustomerRecord }
  /** An agent, and its user with it. `passwordHash` is the new user's, if it has one. `isByTime`: nobody has changed it. */
  | {
      readonly kind: 'put-agent';
      readonly agent: AgentRecord;
      readonly passwordHash?: string | null;
      readonly isByTime?: boolean;
    }
  | { readonly kind: 'put-warehouse'; readonly facts: WarehouseWithLocation }
  /** A new place; `taskId` when it was made for that task alone. */
  | { readonly kind: 'put-location'; readonly location: LocationRecord; readonly taskId: number | null }
  /** A package as it is now, and the task that had it before, if it leaves one. */
  | { readonly kind: 'put-package'; readonly record: PackageRecord; readonly leaves: number | null }
  | { readonly kind: 'put-request'; readonly request: AssignmentRequestRecord }
  | { readonly kind: 'put-payment'; readonly payment: PaymentRecord }
  | { readonly kind: 'count-usage'; readonly resource: QuotaResource; readonly period: string; readonly used: number }
  | { readonly kind: 'put-organization'; readonly organization: OrganizationRecord }
  /** The end of the organization. `nameHash`: SHA-256 of its name, hex. `requestedBy`: the user. */
  | { readonly kind: 'put-tombstone'; readonly nameHash: string; readonly requestedBy: number | null }
  | { readonly kind: 'scan-timers'; readonly nextDeadlineAt: string | null };

export function isNews(change: Change): change is News {
  return change.kind.startsWith('tell');
}
