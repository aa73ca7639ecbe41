import * as v from 'valibot';
import { HISTORY_KINDS, TASK_STATUSES } from './task.ts';

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
