import * as v from 'valibot';
import { named } from '../fields/named.ts';
import { shownId, shownInteger } from '../fields/shown-fields.ts';
import { shiftView } from '../fleet/shift.ts';
import { TASK_STATUSES, type TaskStatus } from './task.ts';

/** The open tasks of an agent, with the time that each task holds. */
export interface ScheduledItem {
  readonly taskId: number;
  readonly from: string;
  /** Not included. */
  readonly until: string;
  /** No other task may take up any of this time. */
  readonly exclusive: boolean;
  readonly status: TaskStatus;
}

const scheduledItemView = named(
  'ScheduledTask',
  v.object({
    taskId: shownId,
    from: v.string(),
    until: v.string(),
    exclusive: v.boolean(),
    status: v.picklist(TASK_STATUSES),
  }),
);

/** `shifts` are those that have not ended. Source: docs/contract.md §4, §5 "Slots". */
export const scheduleView = named(
  'Schedule',
  v.object({ items: v.array(scheduledItemView), count: shownInteger, shifts: v.array(shiftView) }),
);
