import type { FailureReason, TaskSearch } from '../assignment/assignment.ts';
import type { CourierRecord } from '../assignment/courier.ts';
import type { CustomerOfTask, CustomerRecord } from '../customers/customer.ts';
import type { LocationRecord } from '../customers/location.ts';
import { named } from '../fields/named.ts';
import type { Requirements } from '../fields/requirements.ts';
import type { AgentOfTask } from '../fleet/agent.ts';
import type { PackageOfTask, PackageRecord } from './package.ts';
import type { ProofKind } from './proof.ts';

/** In lifecycle order: the order in which lists sort by status. */
export const TASK_STATUSES = named('TaskStatus', [
  'new',
  'awaiting_assignment',
  'assigned',
  'accepted',
  'in_transit',
  'completed',
  'cancelled',
] as const);
export type TaskStatus = (typeof TASK_STATUSES)[number];

export const TASK_TYPES = ['delivery', 'pickup', 'return', 'transfer'] as const;
/** Cash types are made by their own roles only, and every list filter knows them. */
export const CASH_TASK_TYPES = ['cash_collection', 'cash_drop'] as const;
export const ALL_TASK_TYPES = named('TaskType', [...TASK_TYPES, ...CASH_TASK_TYPES] as const);
export type TaskType = (typeof ALL_TASK_TYPES)[number];

export const TIMES_TO_SERVE = named('TimeToServe', ['asap', 'scheduled'] as const);
export type TimeToServe = (typeof TIMES_TO_SERVE)[number];

export const COURIER_TYPES = named('CourierType', ['internal', 'external'] as const);
export type CourierType = (typeof COURIER_TYPES)[number];

export const AUTO_ASSIGNMENT_STATUSES = named('AutoAssignmentStatus', [
  'not_requested',
  'pending',
  'searching',
  'offered',
  'assigned',
  'failed',
  'cancelled',
] as const);
export type AutoAssignmentStatus = (typeof AUTO_ASSIGNMENT_STATUSES)[number];

export const TASK_OUTCOMES = named('TaskOutcome', ['succeeded', 'failed'] as const);
export type TaskOutcome = (typeof TASK_OUTCOMES)[number];

/**
 * A row of `tasks`. Times are ISO 8601 UTC in milliseconds, money is in minor units, durations in minutes.
 * Records are never changed in place: a change makes a new one with the next `version`.
 */
export interface TaskRecord {
  readonly organizationId: number;
  readonly id: number;
  readonly version: number;
  readonly name: string;
  readonly code: string;
  readonly taskType: TaskType;
  readonly status: TaskStatus;
  readonly timeToServe: TimeToServe;
  readonly scheduledAt: string | null;
  readonly assignedAt: string | null;
  readonly acceptedAt: string | null;
  readonly startedAt: string | null;
  readonly completedAt: string | null;
  readonly cancelledAt: string | null;
  readonly description: string | null;
  readonly notes: string | null;
  readonly customerId: number | null;
  readonly agentId: number | null;
  readonly courierType: CourierType;
  readonly courierId: number | null;
  /** As it was when it took the task. */
  readonly courier: CourierRecord | null;
  readonly paymentId: number | null;
  readonly locationId: number | null;
  readonly pickupLocationId: number | null;
  readonly channelId: number;
  /** The job that the task is a part of. */
  readonly parentId: number | null;
  /** The parts of a job, in the order of their making; null for a task that is none. */
  readonly childIds: readonly number[] | null;
  readonly integrationData: Readonly<Record<string, unknown>> | null;
  readonly autoAssignmentStatus: AutoAssignmentStatus;
  readonly autoAssignmentFailureReason: FailureReason | null;
  readonly search: TaskSearch | null;
  readonly preferredAgentId: number | null;
  readonly readyAt: string | null;
  readonly windowStart: string | null;
  readonly windowEnd: string | null;
  readonly estimatedDuration: number | null;
  readonly requiredSkills: readonly string[] | null;
  readonly amountMinor: number | null;
  readonly currency: string | null;
  readonly outcome: TaskOutcome | null;
  readonly failureReason: string | null;
  readonly trackingToken: string;
  /** The customer's rating, given once. */
  readonly rating: TaskRating | null;
  /** When it was found late; null while it is in time. */
  readonly delayedAt: string | null;
  /** When the agent that has it reached the place where it is delivered. */
  readonly arrivedAt: string | null;
  /** When that agent was last said to arrive. */
  readonly etaAt: string | null;
  /** When its actor has to look at it again; null when nothing is due. */
  readonly deadlineAt: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** When it last came to wait for somebody; null if it never has, or in a release that did not keep it. */
  readonly awaitingSince: string | null;
  /** 1, and one more for each failed task before it. */
  readonly attempt: number;
  /** The failed task whose order it carries out once more. */
  readonly previousTaskId: number | null;
  /** The task that carries out its order once more. */
  readonly nextTaskId: number | null;
  /** The person to meet and to call for this task instead of the customer. */
  readonly contact: TaskContact | null;
  /** When its agent was last said to come to the pickup. */
  readonly pickupEtaAt: string | null;
  /** When the agent that has it reached the pickup. */
  readonly pickupArrivedAt: string | null;
  /** When its courier had the goods, as somebody said. */
  readonly pickedUpAt: string | null;
  /** Needed before it is completed as succeeded; null for nothing. */
  readonly requirements: Requirements | null;
  /** The kinds of proofs that it has; null for none. */
  readonly proofs: readonly ProofKind[] | null;
  /** It has a place among the moving tasks until it ends (docs/internals/lists-and-search.md). */
  readonly movingWhileOpen: boolean;
}

/** A person at the place of a task; the phone is in E.164. */
export interface TaskContact {
  readonly name: string;
  readonly phone: string;
}

/** A task with all that its JSON shows, whether it came from an actor's memory or from SQL. */
export interface ShownTask {
  readonly task: TaskRecord;
  readonly customer: CustomerOfTask | null;
  readonly agent: AgentOfTask | null;
  readonly location: LocationRecord | null;
  readonly pickupLocation: LocationRecord | null;
  readonly packages: readonly PackageOfTask[];
  /** The parts of a job with all that their JSON shows; a part has none. */
  readonly children: readonly ShownTask[];
}

/** The same with whole records, as an actor holds it. */
export interface TaskBundle extends ShownTask {
  readonly customer: CustomerRecord | null;
  readonly packages: readonly PackageRecord[];
  readonly children: readonly TaskBundle[];
}

/** Where a task leads its agent. */
export const STOP_PLACES = named('StopPlace', ['pickup', 'dropoff'] as const);
export type StopPlace = (typeof STOP_PLACES)[number];

export function isCashType(taskType: TaskType | undefined): taskType is (typeof CASH_TASK_TYPES)[number] {
  return taskType === 'cash_collection' || taskType === 'cash_drop';
}

export function isTerminal(status: TaskStatus): boolean {
  return status === 'completed' || status === 'cancelled';
}

/** A customer's stored rating of a task. */
export interface TaskRating {
  readonly score: number;
  readonly comment: string | null;
  readonly at: string;
}
