import * as v from 'valibot';
import { named } from '../fields/named.ts';
import { actorView, shownId, shownInteger, shownTime } from '../fields/shown-fields.ts';
import { TASK_STATUSES, type TaskStatus } from './task.ts';
import type { TaskChanges } from './task-changes.ts';

export const HISTORY_KINDS = named('HistoryKind', [
  'created',
  'updated',
  'status_changed',
  'reassigned',
  'delayed',
  'arrived',
  'picked_up',
  'eta_updated',
  'at_risk',
  'rated',
  'package_added',
  'package_status_changed',
  'package_scanned',
  'assignment_request',
  'payment',
] as const);

/** One step in the life of a task; outlives the event log. A row of `task_history`. */
export interface TaskHistoryRecord {
  readonly organizationId: number;
  readonly taskId: number;
  /** Sequence of the event of the same step. */
  readonly sequence: number;
  /** When it happened; a driver who was offline may tell it later. */
  readonly at: string;
  readonly recordedAt: string;
  readonly kind: (typeof HISTORY_KINDS)[number];
  readonly fromStatus: TaskStatus | null;
  readonly toStatus: TaskStatus | null;
  readonly reason: string | null;
  readonly reasonCode: string | null;
  /** Further details, by the kind of the step: see DETAILS. */
  readonly details: Readonly<Record<string, unknown>> | null;
  readonly actorType: string;
  readonly actorId: number | null;
  /** The id of the request, and where it came from; null for the system's own steps. */
  readonly correlationId: string | null;
  readonly address: string | null;
  /** Null for a creation: the present task and the later steps give it. */
  readonly changes: TaskChanges | null;
}

/** The content of `details`, by the kind of the step. */
const DETAILS =
  'What else there is to say of the step, null when nothing. created: `previousTaskId`, `attempt` where it attempts a ' +
  'failed task again. status_changed to assigned: `agentId`, or `courierId` of ' +
  'an external courier; to awaiting_assignment from the one that had the task: `previousAgentId` or `previousCourierId`, ' +
  'also where an offer was rejected or expired; to completed: `outcome`, with `failureReason` when it failed, the courier’s `note`, and `overrideReason` with what was `missing`. reassigned: ' +
  '`agentId`, `previousAgentId` or `previousCourierId`, and `packageIdsInCustody`, which the former courier has or handed ' +
  'over. updated: `changed`, the names of the fields, and the kind of a `proof` that came. arrived: `place`, `agentId`, `position`. picked_up: `agentId`. eta_updated: the ETA. at_risk: `etaAt`, `dueAt`. rated: ' +
  '`rating`. package_added: `packageId`; ' +
  'package_status_changed: `fromStatus` and `toStatus`, too; package_scanned: `packageId`, `barcode`. assignment_request: `requestId`, `agentId`, `status`, ' +
  'and of an offer that comes late `reason` window_cannot_be_met with `lateMinutes`. ' +
  'payment: `paymentId`, `method`, `status`, `amount`, `currency`. Where somebody is looked for: why a round found nobody ' +
  'is `reason` (`busy_agent` or `ready_time` where it asks an agent later), with `counts` and `nearest`; a search that failed has the task’s autoAssignmentFailureReason as `reason`, ' +
  'its `attempts`, the `counts` and `nearest` of its last round, and where that round ended it what it lacked as ' +
  '`lacking`.';

const nullableStatus = v.nullable(v.picklist(TASK_STATUSES));

/** One step in the life of a task. `sequence` is that of its event. */
const historyStepView = named(
  'TaskHistoryStep',
  v.object({
    sequence: shownId,
    kind: v.picklist(HISTORY_KINDS),
    /** When it happened, which a driver who was offline may have told later: `recordedAt`. */
    at: shownTime,
    recordedAt: shownTime,
    fromStatus: nullableStatus,
    toStatus: nullableStatus,
    reason: v.nullable(v.string()),
    reasonCode: v.pipe(
      v.nullable(v.string()),
      v.description(
        'Given with the step, or the engine’s: `rejected` or `expired` of an offer, or the reason of a search that failed',
      ),
    ),
    details: v.pipe(v.nullable(v.record(v.string(), v.unknown())), v.description(DETAILS)),
    actor: actorView,
  }),
);
export type HistoryStepView = v.InferOutput<typeof historyStepView>;

export const taskHistoryView = named('TaskHistory', v.object({ items: v.array(historyStepView), count: shownInteger }));
