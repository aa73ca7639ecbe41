import * as v from 'valibot';
import { isoTime, oneOf, queryId, queryInteger, queryList } from './fields.ts';
import { LIMITS } from './limits.ts';
import { ALL_TASK_TYPES, TASK_STATUSES, TIMES_TO_SERVE } from './task.ts';

const TASK_SORTS = ['createdAt', 'updatedAt', 'status'] as const;
const SORT_ORDERS = ['ASC', 'DESC'] as const;

/** Parameters that may be repeated or hold a comma list; any other given twice is a violation. */
export const TASK_LIST_PARAMETERS: ReadonlySet<string> = new Set(['status', 'taskType', 'agentId']);

/** The query of GET /tasks. Source: interface.md "GET /api/v1/tasks", decisions.md §1 "Lists". */
export const listTasksQuery = v.object({
  page: v.optional(queryInteger(1, Number.MAX_SAFE_INTEGER), '1'),
  limit: v.optional(queryInteger(1, LIMITS.pageSize), String(LIMITS.defaultPageSize)),
  status: v.optional(queryList(TASK_STATUSES)),
  taskType: v.optional(queryList(ALL_TASK_TYPES)),
  customerId: v.optional(queryId),
  agentId: v.optional(v.array(queryId)),
  channelId: v.optional(queryId),
  locationId: v.optional(queryId),
  timeToServe: v.optional(oneOf(TIMES_TO_SERVE)),
  scheduledFrom: v.optional(isoTime),
  scheduledTo: v.optional(isoTime),
  sortBy: v.optional(oneOf(TASK_SORTS), 'createdAt'),
  sortOrder: v.optional(oneOf(SORT_ORDERS), 'DESC'),
});
export type ListTasksQuery = v.InferOutput<typeof listTasksQuery>;
