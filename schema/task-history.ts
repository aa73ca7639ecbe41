import * as v from 'valibot';
import { TASK_STATUSES, type TaskStatus } from './task.ts';
import type { TaskChanges } from './task-changes.ts';

export const HISTORY_KINDS = [
  'created',
  'updated',
  'status_changed',
  'delayed',
  'arrived',
  'eta_updated',
  'package_added',
  'package_status_changed',
  'assignment_request',
  'payment',
] as const;

/** One step in the life of a task; outlives the event log. A row of `task_history`. */
export interface TaskHistoryRecord {
  readonly organizationId: number;
  readonly taskId: number;
  /** Sequence of the event that tells of the same step. */
  readonly sequence: number;
  /** When it happened; a driver who was offline may tell it later. */
  readonly at: string;
  readonly recordedAt: string;
  readonly kind: (typeof HISTORY_KINDS)[number];
  readonly fromStatus: TaskStatus | null;
  readonly toStatus: TaskStatus | null;
  readonly reason: string | null;
  readonly reasonCode: string | null;
  /** What else there is to say: changed fields, the package and its statuses. */
  readonly details: Readonly<Record<string, unknown>> | null;
  readonly actorType: string;
  readonly actorId: number | null;
  /** Of the request, and where it came from; null for the system's own steps. */
  readonly correlationId: string | null;
  readonly address: string | null;
  /** Null for a creation: it is told by what the task is now and by the steps since. */
  readonly changes: TaskChanges | null;
}

const nullableStatus = v.nullable(v.picklist(TASK_STATUSES));

/** One step in the life of a task. `sequence` is that of the event that tells of it. */
const historyStepView = v.object({
  sequence: v.number(),
  kind: v.picklist(HISTORY_KINDS),
  /** When it happened, which a driver who was offline may have told later: `recordedAt`. */
  at: v.string(),
  recordedAt: v.string(),
  fromStatus: nullableStatus,
  toStatus: nullableStatus,
  reason: v.nullable(v.string()),
  reasonCode: v.nullable(v.string()),
  details: v.nullable(v.record(v.string(), v.unknown())),
  actor: v.object({ type: v.string(), id: v.nullable(v.number()) }),
});
export type HistoryStepView = v.InferOutput<typeof historyStepView>;

export const taskHistoryView = v.object({ items: v.array(historyStepView), count: v.number() });
