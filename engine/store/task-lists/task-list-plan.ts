import { LIMITS } from '../../../schema/limits.ts';
import { isTerminal } from '../../../schema/tasks/task.ts';
import { isCountedByKind, isEmptyFilter, partsOf, type TaskFilter } from '../../../schema/tasks/task-filter.ts';
import { planCounted, planCountedFirst, planGathered, planOrdered } from './task-list-by-facet.ts';
import { planByKind } from './task-list-by-kind.ts';
import { planBySchedule } from './task-list-by-schedule.ts';
import { type PagePlan, type PageRequest, PageText } from './task-list-request.ts';

/**
 * How a page is found. The planner would choose by statistics over all organizations, and cannot know that the newest
 * tasks are the open ones; so each statement leaves it one way.
 * Lists that are counted by kind have their own (task-list-by-kind.ts). The others use an index where many tasks match
 * and gather where few do (task-list-by-facet.ts); `matching` is the known number of matches, undefined before the
 * first count.
 */
export function planPage(organizationId: number, request: PageRequest, matching: number | undefined): PagePlan {
  const text = new PageText(organizationId, request);
  const { filter, sortBy, isWhole } = request;
  if (sortBy !== 'scheduledAt' && isCountedByKind(filter)) return planByKind(text);
  if (isWhole) return planGathered(text);
  if (sortBy === 'scheduledAt') return mayWalkSchedule(request, matching) ? planBySchedule(text) : planGathered(text);
  if (matching === undefined) {
    if (hasHistoryOfAgent(request)) return planCounted(text);
    return mayBeMany(request) ? planCountedFirst(text) : planGathered(text);
  }
  return matching <= gatheredAtMost(request) ? planGathered(text) : planOrdered(text);
}

/** Whether a page gets the count of so few tasks along the way, or nearly so: a known count saves nothing. */
export function isCountedInPassing(request: PageRequest, matching: number): boolean {
  const atMost = hasHistoryOfAgent(request) ? LIMITS.tasksCountedAtOnce : gatheredAtMost(request);
  return matching <= atMost;
}

/** Every task that an agent has done: thousands, where gathering takes longer than counting. Open tasks are few. */
function hasHistoryOfAgent({ filter, sortBy, skip, take }: PageRequest): boolean {
  const { agentId, status, ...others } = filter;
  const isListed = agentId?.length === 1 && isEmptyFilter(others) && sortBy === 'createdAt';
  return isListed && (status?.some(isTerminal) ?? true) && skip + take <= LIMITS.walkedPageEnd;
}

/** Parts that a large share of all tasks may match. */
const WIDE_PARTS: ReadonlySet<keyof TaskFilter> = new Set([
  'status',
  'taskType',
  'channelId',
  'timeToServe',
  'createdFrom',
  'createdTo',
  'updatedFrom',
  'updatedTo',
  'completedFrom',
  'completedTo',
  'dueFrom',
  'dueTo',
  'outcome',
  'isDelayed',
  'autoAssignmentStatus',
  'courierType',
  'unassigned',
]);

/** Whether a list that was never counted is best counted first: it may be a large share of all tasks. */
function mayBeMany({ filter, sortBy, skip, take }: PageRequest): boolean {
  return (
    sortBy !== 'status' && skip + take <= LIMITS.walkedPageEnd && partsOf(filter).every((name) => WIDE_PARTS.has(name))
  );
}

function mayWalkSchedule({ filter, skip, take }: PageRequest, matching: number | undefined): boolean {
  if (skip + take > LIMITS.walkedPageEnd) return false;
  return isCountedByKind(filter) || (matching !== undefined && matching > LIMITS.tasksGatheredInsteadOfWalk);
}

function gatheredAtMost({ filter, sortBy, skip, take }: PageRequest): number {
  const { customerId, agentId, locationId, integrationData } = filter;
  const hasIndex = customerId !== undefined || agentId !== undefined;
  if (sortBy === 'createdAt' && hasIndex) return LIMITS.tasksGatheredAtOnce;
  if (sortBy === 'status' || skip + take > LIMITS.walkedPageEnd) return Number.POSITIVE_INFINITY;
  const isListedApart = sortBy === 'createdAt' && (integrationData ?? locationId) !== undefined;
  return isListedApart ? LIMITS.tasksGatheredAtOnce : LIMITS.tasksGatheredInsteadOfWalk;
}
