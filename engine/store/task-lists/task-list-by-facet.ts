import { LIMITS } from '../../../schema/limits.ts';
import { TASK_STATUSES, type TaskStatus } from '../../../schema/tasks/task.ts';
import { isEmptyFilter, partsOf, type TaskFilter, TIME_RANGES } from '../../../schema/tasks/task-filter.ts';
import { hasTrigrams } from '../../domain/search-text.ts';
import { numberArray } from '../postgres.ts';
import { allOf, firstOf, MOVING, SETTLED, withMoving } from './listed-tasks.ts';
import { IS_OF_KIND } from './task-list-by-kind.ts';
import {
  conditionsOf,
  FIRST_TAKEN,
  hasRange,
  IS_UNASSIGNED,
  kindsText,
  ofKindsText,
  rangeText,
  ranksOf,
  referenceText,
} from './task-list-conditions.ts';
import type { PagePlan, PageText } from './task-list-request.ts';
import { foundText, withinText } from './task-list-searches.ts';
import { walkAlong, walkedOr } from './task-list-walk.ts';

/**
 * Lists whose filter names more than kinds: they gather all matching tasks and sort them. The time depends on the number of tasks behind the rarest part; the count comes with it.
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
    isReusable: isOneOf(GATHERED_OFTEN, text.request.filter) || isFoundOften(text.request.filter),
  };
}

/**
 * Frequent filters, by the names of their parts: planning takes longer than reading, and each set of parts is a text of
 * its own. Filters whose best plan depends on their values are not among them.
 */
const FOUND_OFTEN: ReadonlySet<string> = new Set(['search', 'bbox']);
const GATHERED_OFTEN: ReadonlySet<string> = new Set([
  'customerId',
  'agentId',
  'status,agentId',
  'locationId',
  'integrationData',
  'scheduledFrom,scheduledTo',
  'channelId,scheduledFrom,scheduledTo',
  'timeToServe,scheduledFrom,scheduledTo',
  'code',
  'parentId',
]);
/** Parts that a large share of all tasks may match; no range counts as often that is not one of these. */
const WIDE_OFTEN = [
  ...['created', 'updated', 'completed', 'due'].flatMap((name) => [
    `${name}From`,
    `${name}To`,
    `${name}From,${name}To`,
  ]),
  'outcome',
  'isDelayed',
  'autoAssignmentStatus',
  'courierType',
  'unassigned',
];
const COUNTED_OFTEN: ReadonlySet<string> = new Set(WIDE_OFTEN);
const ORDERED_OFTEN: ReadonlySet<string> = new Set([
  ...GATHERED_OFTEN,
  ...WIDE_OFTEN,
  'status,customerId',
  'status,integrationData',
]);

function isOneOf(often: ReadonlySet<string>, filter: TaskFilter): boolean {
  return often.has(partsOf(filter).join()) && (filter.integrationData?.length ?? 1) === 1;
}

/** Without trigrams, a plan for all values would read an index of them from end to end. */
function isFoundOften(filter: TaskFilter): boolean {
  return isOneOf(FOUND_OFTEN, filter) && hasTrigrams(filter.search === undefined ? [] : [filter.search]);
}

/** Lists that an index holds all parts of: counted along it without looking at a task, and found as planOrdered does. */
export function planCounted(text: PageText): PagePlan {
  const count = `(SELECT count(*) FROM (${matchesText(text, 't.id', 'seek')}) m)`;
  return { ...planOrdered(text), count };
}

const [SCHEDULED] = TIME_RANGES;

/** Where a side table has every field, tasks are not read. */
function matchingText(text: PageText): string {
  const { request, parameters, column } = text;
  const { scheduledFrom, scheduledTo, channelId, integrationData, ...others } = request.filter;
  const isAlone = request.sortBy === 'createdAt' && isEmptyFilter(others);
  const hasWindow = (scheduledFrom ?? scheduledTo) !== undefined;
  if (isAlone && hasWindow && integrationData === undefined) {
    const ofChannel = channelId === undefined ? 'true' : `s.channel_id = ${parameters.add(channelId, 'bigint')}`;
    return `SELECT s.task_id AS id, s.created_at AS key FROM scheduled_tasks s
      WHERE s.organization_id = $1::bigint AND ${rangeText({ scheduledFrom, scheduledTo }, SCHEDULED, 's', parameters)} AND ${ofChannel}`;
  }
  const { search, bbox, ...rest } = request.filter;
  if (request.sortBy === 'createdAt' && isEmptyFilter(rest)) {
    if (search !== undefined && !bbox)
      return `SELECT f.id, f.created_at AS key FROM (${foundText(search, parameters)}) f`;
    if (bbox && search === undefined)
      return `SELECT b.id, b.created_at AS key FROM (${withinText(bbox, parameters)}) b`;
  }
  if (isAlone && !hasWindow && channelId === undefined && integrationData?.length === 1) {
    const [[key, value]] = integrationData as readonly [readonly [string, string]];
    return `SELECT r.task_id AS id, r.created_at AS key FROM task_references r
      WHERE r.organization_id = $1::bigint AND r.reference = ${referenceText(key, value, parameters)}`;
  }
  return matchesText(text, `t.id, ${column} AS key`, isOneOf(GATHERED_OFTEN, request.filter) ? 'lead' : 'seek');
}

/** All tasks that match: those whose keys stand in an index as `way` leads to them. */
function matchesText({ request, parameters, byParts }: PageText, selected: string, way: 'seek' | 'lead'): string {
  return allOf(byParts, selected, (isAtHand) => conditionsOf(request.filter, parameters, isAtHand ? 'probe' : way));
}

/**
 * Lists that may be a large share of all tasks, before their first count: counted, and then found along the sort's index
 * where many match, gathered where few do or where that does not fill the page.
 */
export function planCountedFirst(text: PageText): PagePlan {
  const { filter } = text.request;
  const { parameters, end, column } = text;
  const ctes = [
    `counted AS MATERIALIZED (SELECT count(*) AS tasks FROM (${matchesText(text, 't.id', 'seek')}) m)`,
    `walked AS MATERIALIZED (${walkText(text, `(SELECT CASE WHEN tasks > ${LIMITS.tasksGatheredInsteadOfWalk} THEN ${LIMITS.walkedTasks} ELSE 0 END FROM counted)`)})`,
    `walk AS (SELECT count(*) >= ${text.after ? end : `least(${end}, (SELECT tasks FROM counted))`} AS was_enough FROM walked)`,
    text.page(
      walkedOr(`SELECT t.id, t.key FROM (${matchesText(text, `t.id, ${column} AS key`, 'seek')}) t
        WHERE ${text.behind('t.key', 't.id')} OFFSET 0`),
    ),
  ];
  const isReusable = isOneOf(COUNTED_OFTEN, filter);
  return { ctes, count: '(SELECT tasks FROM counted)', parameters, mayFallShort: false, isReusable };
}

/** The same lists along an index, for filters that too many tasks match to gather them all. */
export function planOrdered(text: PageText): PagePlan {
  const { filter, sortBy } = text.request;
  const { integrationData, customerId, agentId, locationId } = filter;
  if (sortBy !== 'createdAt') return walk(text);
  if (customerId !== undefined) return ordered(text, alongCreation(text));
  if (agentId) return ordered(text, ofAgents(text, agentId));
  if (locationId !== undefined) return ordered(text, ofPlace(text, locationId), true);
  if (integrationData) return ordered(text, ofReference(text, integrationData), true);
  if (filter.unassigned) return unassigned(text);
  return hasOwnIndex(filter) ? ordered(text, alongCreation(text)) : walk(text);
}

/** Whether a part has an index in the order of creation, of those that hardly any task is in at a time. */
function hasOwnIndex({ outcome, isDelayed, autoAssignmentStatus, courierType }: TaskFilter): boolean {
  const isSought = autoAssignmentStatus !== undefined && autoAssignmentStatus !== 'not_requested';
  return outcome !== undefined || isDelayed === true || isSought || courierType === 'external';
}

function ordered(text: PageText, source: string, mayFallShort = false): PagePlan {
  return orderedBy(text, [text.page(`(${source}) listed`)], mayFallShort);
}

function orderedBy(text: PageText, ctes: readonly string[], mayFallShort: boolean): PagePlan {
  const isReusable = isOneOf(ORDERED_OFTEN, text.request.filter) || isFoundOften(text.request.filter);
  return { ctes, count: 'NULL::bigint', parameters: text.parameters, mayFallShort, isReusable };
}

/** Most of them are among the newest tasks: along tasks_created for a little while, else the first of each kind. */
function unassigned(text: PageText): PagePlan {
  if (text.request.sortOrder === 'ASC' || !text.isInReach) return ordered(text, ofNobody(text));
  const ctes = [
    `walked AS MATERIALIZED (${walkText(text, `${LIMITS.tasksWalkedForUnassigned} + ${text.skip}`)})`,
    `walk AS (SELECT count(*) >= ${text.end} AS was_enough FROM walked)`,
    text.page(walkedOr(ofNobody(text))),
  ];
  return orderedBy(text, ctes, false);
}

/**
 * Nobody has a task in its first statuses: the first of each kind, by index alone. Of the others, tasks_unassigned holds
 * those that nobody has.
 */
function ofNobody(text: PageText): string {
  const { filter } = text.request;
  const { status = TASK_STATUSES } = filter;
  const isFirst = (one: TaskStatus) => TASK_STATUSES.indexOf(one) < FIRST_TAKEN;
  const [first, others] = [status.filter(isFirst), status.filter((one) => !isFirst(one))];
  const order = `${text.orderBy('t.created_at', 't.id')} ${text.enough}`;
  const isShown = (part: Partial<TaskFilter>) =>
    `${conditionsOf({ ...filter, ...part }, text.parameters, 'probe')} AND ${text.behind('t.created_at', 't.id')}`;
  const kinds = kindsText(ofKindsText({ ...filter, status: first }, text.parameters));
  return withMoving(
    `SELECT t.id, t.key FROM (${kinds}) k CROSS JOIN LATERAL (
        SELECT t.id, t.created_at AS key FROM ${SETTLED} t
        WHERE t.organization_id = $1::bigint AND ${isShown({ status: first, unassigned: undefined })} AND ${IS_OF_KIND} ${order}) t
      UNION ALL (SELECT t.id, t.created_at AS key FROM ${SETTLED} t
        WHERE t.organization_id = $1::bigint AND ${isShown({ status: others })} AND t.status_rank >= ${FIRST_TAKEN} AND ${IS_UNASSIGNED} ${order})`,
    `(SELECT t.id, t.created_at AS key FROM ${MOVING} t WHERE t.organization_id = $1::bigint AND ${isShown({})} ${order})`,
    filter,
  );
}

/**
 * Along tasks_customer, or the index of another part. Worst: that part has very many tasks, and the rest of the filter
 * lets few of them through.
 */
function alongCreation(text: PageText): string {
  const isShown = `${conditionsOf(text.request.filter, text.parameters, 'probe')} AND ${text.behind('t.created_at', 't.id')}`;
  const order = `${text.orderBy('t.created_at', 't.id')} ${text.enough}`;
  return `SELECT t.id, t.created_at AS key FROM ${firstOf(text.byParts, { where: isShown, order })} t
      WHERE t.organization_id = $1::bigint`;
}

/** The first tasks of each agent in each status, along tasks_agent, then the first of those. Worst: as with a customer. */
function ofAgents(text: PageText, agentIds: readonly number[]): string {
  const { agentId: _, status, ...rest } = text.request.filter;
  const agents = text.parameters.add(numberArray(agentIds), 'bigint[]');
  const ranks = text.parameters.add(numberArray(ranksOf(status ?? TASK_STATUSES)), 'smallint[]');
  const isShown = `${conditionsOf(rest, text.parameters, 'probe')} AND ${text.behind('t.created_at', 't.id')}`;
  const order = `${text.orderBy('t.created_at', 't.id')} ${text.enough}`;
  return withMoving(
    `SELECT t.id, t.key FROM unnest(${agents}) a (id) CROSS JOIN unnest(${ranks}) r (rank) CROSS JOIN LATERAL (
        SELECT t.id, t.created_at AS key FROM ${SETTLED} t
        WHERE t.organization_id = $1::bigint AND ${isShown} AND t.agent_id = a.id AND t.status_rank = r.rank ${order}) t`,
    `(SELECT t.id, t.created_at AS key FROM ${MOVING} t
        WHERE t.organization_id = $1::bigint AND ${isShown} AND t.agent_id = ANY (${agents}) AND t.status_rank = ANY (${ranks}) ${order})`,
    text.request.filter,
  );
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

/** Along the index of the sort, a bounded way. */
function walk(text: PageText): PagePlan {
  return ordered(text, walkText(text, `${LIMITS.walkedTasks}`), true);
}

/** Among the first `reach` tasks in the order of the list, those that match; a range of the sort's own time is left out. */
function walkText(text: PageText, reach: string): string {
  const { filter, sortBy } = text.request;
  const { parameters, column } = text;
  const own = TIME_RANGES.find((range) => range.at === sortBy && hasRange(filter, range));
  const bounds = own ? rangeText(filter, own, 't', parameters) : 'true';
  const where = `${bounds} AND ${text.behind(column, 't.id')}`;
  return walkAlong(text, { key: column, where, reach, matches: conditionsOf(filter, parameters, 'probe') });
}
