import type { TaskFilter } from '../../../schema/tasks/list-tasks.ts';
import type { TaskRecord } from '../../../schema/tasks/task.ts';

/** Whether a list with this filter holds the task; says the same as the SQL of engine/store/task-lists/task-list-conditions.ts. */
export function matchesFilter(task: TaskRecord, filter: TaskFilter): boolean {
  const { status, taskType, customerId, agentId, channelId, locationId, timeToServe } = filter;
  if (status && !status.includes(task.status)) return false;
  if (taskType && !taskType.includes(task.taskType)) return false;
  if (customerId !== undefined && task.customerId !== customerId) return false;
  if (agentId && (task.agentId === null || !agentId.includes(task.agentId))) return false;
  if (channelId !== undefined && task.channelId !== channelId) return false;
  if (locationId !== undefined && task.locationId !== locationId) return false;
  if (timeToServe && task.timeToServe !== timeToServe) return false;
  return isInWindow(task.scheduledAt, filter) && hasIntegrationData(task.integrationData, filter);
}

/** The filter among the tasks of one agent; null stands for all tasks. */
export function narrowToAgent(filter: TaskFilter, agentId: number | null): TaskFilter {
  if (agentId === null) return filter;
  const isAsked = filter.agentId?.includes(agentId) ?? true;
  return { ...filter, agentId: [isAsked ? agentId : 0] };
}

/** Moments are ISO 8601 UTC in milliseconds, which compare as text. */
function isInWindow(scheduledAt: string | null, { scheduledFrom, scheduledTo }: TaskFilter): boolean {
  if (scheduledFrom === undefined && scheduledTo === undefined) return true;
  if (scheduledAt === null) return false;
  return (
    !(scheduledFrom !== undefined && scheduledAt < scheduledFrom) &&
    !(scheduledTo !== undefined && scheduledAt > scheduledTo)
  );
}

function hasIntegrationData(data: TaskRecord['integrationData'], { integrationData: wanted }: TaskFilter): boolean {
  return wanted === undefined || wanted.every(([key, value]) => data !== null && textOf(data, key) === value);
}

/** The text of a scalar at the top level; objects, arrays and null have none. */
function textOf(data: Readonly<Record<string, unknown>>, key: string): string | undefined {
  const value = Object.hasOwn(data, key) ? data[key] : null;
  return typeof value === 'object' || value === undefined ? undefined : String(value);
}
