import { LIMITS } from '../../../schema/limits.ts';
import { isEmptyFilter, partsOf, type TaskFilter } from '../../../schema/tasks/list-tasks.ts';
import { TASK_STATUSES } from '../../../schema/tasks/task.ts';
import { numberArray } from '../postgres.ts';
import { conditionsOf, ranksOf, referenceText, windowText } from './task-list-conditions.ts';
import type { PagePlan, PageText } from './task-list-request.ts';

/**
 * Lists whose filter names a customer, agents, a place, a window of time or integration data. They gather all matching
 * tasks and sort them. The time depends on the number of tasks behind the rarest part; the count comes with it.
 */
export function planGathered(text: PageText): PagePlan {
  const ctes = [
    `matching AS MATERIALIZED (${matchingText(text)})`,
    text.page(`(SELECT id, key FROM matching WHERE ${text.behind('key', 'id')}) listed`),
  ];
  return {
    ctes,
    count: '(SELECT count(*) FROM matching)',
    parameters: text.parameters,
    mayFallShort: false,
    isReusable: isOneOf(GATHERED_OFTEN, text.request.filter),
  };
}

/**
 * Frequent filters, by the names of their parts: planning takes longer than reading, and each set of parts is a text of
 * its own. Filters whose best plan depends on their values are not among them.
 */
const GATHERED_OFTEN: ReadonlySet<string> = new Set([
  'customerId',
  'agentId',
  'status,agentId',
  'locationId',
  'integrationData',
  'scheduledFrom,scheduledTo',
  'channelId,scheduledFrom,scheduledTo',
  'timeToServe,scheduledFrom,scheduledTo',
]);
const ORDERED_OFTEN: ReadonlySet<string> = new Set([...GATHERED_OFTEN, 'status,customerId', 'status,integrationData']);

function isOneOf(often: ReadonlySet<string>, filter: TaskFilter): boolean {
  return often.has(partsOf(filter).join()) && (filter.integrationData?.length ?? 1) === 1;
}

/** Lists that an index holds all parts of: counted along it without looking at a task, and found as planOrdered does. */
export function planCounted(text: PageText): PagePlan {
  const count = `(SELECT count(*) FROM tasks t
      WHERE t.organization_id = $1::bigint AND ${conditionsOf(text.request.filter, text.parameters, 'seek')})`;
  return { ...planOrdered(text), count };
}

/** Where a side table has every field, tasks are not read. */
function matchingText({ request, parameters, column }: PageText): string {
  const { scheduledFrom, scheduledTo, channelId, integrationData, ...others } = request.filter;
  const isAlone = request.sortBy === 'createdAt' && isEmptyFilter(others);
  const hasWindow = (scheduledFrom ?? scheduledTo) !== undefined;
  if (isAlone && hasWindow && integrationData === undefined) {
    const ofChannel = channelId === undefined ? 'true' : `s.channel_id = ${parameters.add(channelId, 'bigint')}`;
    return `SELECT s.task_id AS id, s.created_at AS key FROM scheduled_tasks s
      WHERE s.organization_id = $1::bigint AND ${windowText({ scheduledFrom, scheduledTo }, 's', parameters)} AND ${ofChannel}`;
  }
  if (isAlone && !hasWindow && channelId === undefined && integrationData?.length === 1) {
    const [[key, value]] = integrationData as readonly [readonly [string, string]];
    return `SELECT r.task_id AS id, r.created_at AS key FROM task_references r
      WHERE r.organization_id = $1::bigint AND r.reference = ${referenceText(key, value, parameters)}`;
  }
  return `SELECT t.id, ${column} AS key FROM tasks t
      WHERE t.organization_id = $1::bigint AND ${conditionsOf(request.filter, parameters, isOneOf(GATHERED_OFTEN, request.filter) ? 'lead' : 'seek')}`;
}

/** The same lists along an index, for filters that too many tasks match to gather them all. */
export function planOrdered(text: PageText): PagePlan {
  const { filter, sortBy } = text.request;
  const { integrationData, customerId, agentId, locationId } = filter;
  if (sortBy !== 'createdAt') return walk(text);
  if (customerId !== undefined) return ordered(text, ofCustomer(text));
  if (agentId) return ordered(text, ofAgents(text, agentId));
  if (locationId !== undefined) return ordered(text, ofPlace(text, locationId), true);
  return integrationData ? ordered(text, ofReference(text, integrationData), true) : walk(text);
}

function ordered(text: PageText, source: string, mayFallShort = false): PagePlan {
  const ctes = [text.page(`(${source}) listed`)];
  const isReusable = isOneOf(ORDERED_OFTEN, text.request.filter);
  return { ctes, count: 'NULL::bigint', parameters: text.parameters, mayFallShort, isReusable };
}

/** Along tasks_customer. Worst: the customer has very many tasks, and the rest of the filter lets few of them through. */
function ofCustomer(text: PageText): string {
  return `SELECT t.id, t.created_at AS key FROM tasks t
      WHERE t.organization_id = $1::bigint AND ${conditionsOf(text.request.filter, text.parameters, 'probe')} AND ${text.behind('t.created_at', 't.id')}
      ${text.orderBy('t.created_at', 't.id')} ${text.enough}`;
}

/** The first tasks of each agent in each status, along tasks_agent, then the first of those. Worst: as with a customer. */
function ofAgents(text: PageText, agentIds: readonly number[]): string {
  const { agentId: _, status, ...rest } = text.request.filter;
  const agents = text.parameters.add(numberArray(agentIds), 'bigint[]');
  const ranks = text.parameters.add(numberArray(ranksOf(status ?? TASK_STATUSES)), 'smallint[]');
  return `SELECT t.id, t.key FROM unnest(${agents}) a (id) CROSS JOIN unnest(${ranks}) r (rank) CROSS JOIN LATERAL (
      SELECT t.id, t.created_at AS key FROM tasks t
      WHERE t.organization_id = $1::bigint AND ${conditionsOf(rest, text.parameters, 'probe')} AND t.agent_id = a.id AND t.status_rank = r.rank
        AND ${text.behind('t.created_at', 't.id')}
      ${text.orderBy('t.created_at', 't.id')} ${text.enough}) t`;
}

/** The task that the place was made for, and those after it along location_uses, where it may stand as well. */
function ofPlace(text: PageText, locationId: number): string {
  const location = text.parameters.add(locationId, 'bigint');
  const isShown = conditionsOf(text.request.filter, text.parameters, 'probe');
  const order = text.orderBy('u.created_at', 'u.task_id');
  return `SELECT t.id, t.created_at AS key FROM locations l JOIN tasks t ON t.organization_id = $1::bigint AND t.id = l.task_id
      WHERE l.organization_id = $1::bigint AND l.id = ${location} AND ${isShown} AND ${text.behind('t.created_at', 't.id')}
      UNION (SELECT t.id, u.created_at AS key FROM (
        SELECT u.task_id, u.created_at FROM location_uses u
        WHERE u.organization_id = $1::bigint AND u.location_id = ${location} AND ${text.behind('u.created_at', 'u.task_id')}
        ${order} LIMIT ${LIMITS.walkedTasks}) u
      JOIN tasks t ON t.organization_id = $1::bigint AND t.id = u.task_id
      WHERE t.organization_id = $1::bigint AND ${isShown} ${order} ${text.enough})`;
}

/** Along task_references_of. */
function ofReference(text: PageText, [first, ...others]: NonNullable<TaskFilter['integrationData']>): string {
  const rest: TaskFilter = { ...text.request.filter, integrationData: others.length > 0 ? others : undefined };
  const reference = referenceText(first![0], first![1], text.parameters);
  return `SELECT t.id, r.created_at AS key FROM (
        SELECT r.task_id, r.created_at FROM task_references r
        WHERE r.organization_id = $1::bigint AND r.reference = ${reference} AND ${text.behind('r.created_at', 'r.task_id')}
        ${text.orderBy('r.created_at', 'r.task_id')} LIMIT ${LIMITS.walkedTasks}) r
      JOIN tasks t ON t.organization_id = $1::bigint AND t.id = r.task_id
      WHERE t.organization_id = $1::bigint AND ${conditionsOf(rest, text.parameters, 'probe')} ${text.orderBy('r.created_at', 't.id')} ${text.enough}`;
}

/** Along tasks_created or tasks_updated, a bounded way. */
function walk(text: PageText): PagePlan {
  const order = text.orderBy(text.column, 't.id');
  const source = `SELECT t.id, ${text.column} AS key FROM (
        SELECT * FROM tasks t WHERE t.organization_id = $1::bigint AND ${text.behind(text.column, 't.id')} ${order}
        LIMIT ${LIMITS.walkedTasks}) t
      WHERE t.organization_id = $1::bigint AND ${conditionsOf(text.request.filter, text.parameters, 'probe')} ${order} ${text.enough}`;
  return ordered(text, source, true);
}
