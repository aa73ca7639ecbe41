import { LIMITS } from '../../../schema/limits.ts';
import type { TaskSort } from '../../../schema/tasks/list-tasks.ts';
import { isTerminal, TASK_STATUSES } from '../../../schema/tasks/task.ts';
import { isEmptyFilter } from '../../../schema/tasks/task-filter.ts';
import { FIRST_TERMINAL } from '../rows/open-tasks-of.ts';
import { isOpenOnly, MOVING, SETTLED, withMoving } from './listed-tasks.ts';
import { kindsText, type OfKinds, ofKindsText } from './task-list-conditions.ts';
import type { PagePlan, PageText } from './task-list-request.ts';
import { walkAlong, walkedOr } from './task-list-walk.ts';

/**
 * Task `t`, a settled one, is of kind `k`: the leading columns of tasks_group after the organization, which holds every
 * selected column below.
 */
export const IS_OF_KIND = `t.status_rank = k.status_rank AND t.task_type = k.task_type
      AND t.time_to_serve = k.time_to_serve AND t.channel_id = k.channel_id`;
const ALL_TASKS = '(SELECT coalesce(sum(count), 0)::bigint FROM task_counts WHERE organization_id = $1::bigint)';
const MATCHING = '(SELECT tasks FROM counted)';

/**
 * The distance from one match to the next, where `tasks` match in total. No counter says where they lie: evenly, except
 * open tasks. Those are the newest, and hardly ever the oldest.
 */
const EVENLY = `${ALL_TASKS} / tasks::float8`;
const OPEN_FROM_NEWEST = '1';
const OPEN_FROM_OLDEST = `4 * ${EVENLY}`;
/** For the open ones alone, in the order in which they are due. */
const AMONG_OPEN = `(SELECT coalesce(sum(c.count), 0) FROM task_counts c WHERE c.organization_id = $1::bigint
        AND c.status = ANY ('{${TASK_STATUSES.filter((status) => !isTerminal(status)).join()}}')) / tasks::float8`;

/**
 * Lists whose filter names only status, type, channel and time to serve, but by `scheduledAt`. The counters know the existing kinds and their
 * numbers, so that no search is in vain.
 */
export function planByKind(text: PageText): PagePlan {
  const { request, parameters } = text;
  const plan = { parameters, mayFallShort: false, isReusable: true };
  if (isEmptyFilter(request.filter) && request.sortBy !== 'status')
    return { ...plan, ctes: [pageOfAll(text)], count: ALL_TASKS };
  const ofKinds = ofKindsText(request.filter, parameters);
  const page = { createdAt: pageByCreation, updatedAt: pageAlongGroup, dueAt: pageAlongGroup, status: pageByStatus }[
    request.sortBy as Exclude<TaskSort['sortBy'], 'scheduledAt'>
  ];
  const ctes = [
    `kinds AS MATERIALIZED (${kindsText(ofKinds)})`,
    'counted AS MATERIALIZED (SELECT count(*) AS kinds, coalesce(sum(count), 0)::bigint AS tasks FROM kinds)',
    ...page(text, ofKinds),
  ];
  return { ...plan, ctes, count: MATCHING };
}

/** Along tasks_created, or tasks_updated, or both indexes of times due, merged with the moving tasks. A far page passes over index entries alone: 0.1 µs each. */
function pageOfAll(text: PageText): string {
  const { inOrder, column } = text;
  // Where several are merged, each ends with the page at the latest.
  const enough = text.enough || (inOrder.length > 1 ? `LIMIT ${text.end}` : '');
  const parts = inOrder.map(
    (source) => `(SELECT t.id, ${column} AS key FROM ${source} t
      WHERE t.organization_id = $1::bigint AND ${text.behind(column, 't.id')} ${text.orderBy(column, 't.id')} ${enough})`,
  );
  return text.page(`(${parts.join(' UNION ALL ')}) listed`);
}

/**
 * Along tasks_created, or the first tasks of each kind and then the first of those. That takes a descent into
 * tasks_group for each kind, as long as a walk past 16 tasks: at most 84 for one channel, most of them empty and left
 * out.
 */
function pageByCreation(text: PageText, ofKinds: OfKinds): string[] {
  const isBehind = text.behind('t.created_at', 't.id');
  const order = `${text.orderBy('t.created_at', 't.id')} ${text.enough}`;
  const firstOfKinds = withMoving(
    `SELECT t.id, t.key FROM kinds k CROSS JOIN LATERAL (
        SELECT t.id, t.created_at AS key FROM ${SETTLED} t WHERE t.organization_id = $1::bigint AND ${IS_OF_KIND} AND ${isBehind} ${order}) t`,
    `(SELECT t.id, t.created_at AS key FROM ${MOVING} t WHERE t.organization_id = $1::bigint AND ${ofKinds('t')} AND ${isBehind} ${order})`,
    text.request.filter,
  );
  if (isOpenOnly(text.request.filter) && text.request.sortOrder === 'ASC')
    return [text.page(`(${firstOfKinds}) listed`)];
  return pageAlong(text, ofKinds, `kinds * (4 + ${text.end} / 12)`, firstOfKinds);
}

/**
 * Along tasks_updated or an index of times due, or all matches gathered from tasks_group. Worst: many match, and they lie at the far end; then
 * gathering takes 0.3 µs for each.
 */
function pageAlongGroup(text: PageText, ofKinds: OfKinds): string[] {
  const isBehind = text.behind(text.column, 't.id');
  const gathered = withMoving(
    `SELECT t.id, t.key FROM kinds k CROSS JOIN LATERAL (
        SELECT t.id, ${text.column} AS key FROM ${SETTLED} t WHERE t.organization_id = $1::bigint AND ${IS_OF_KIND} AND ${isBehind} OFFSET 0) t`,
    `SELECT t.id, ${text.column} AS key FROM ${MOVING} t WHERE t.organization_id = $1::bigint AND ${ofKinds('t')} AND ${isBehind}`,
    text.request.filter,
  );
  return pageAlong(text, ofKinds, 'tasks / 4', gathered);
}

/** Along the index of the sort as far as it is `worth`, or `otherwise` where that does not fill a page. */
function pageAlong(text: PageText, ofKinds: OfKinds, worth: string, otherwise: string): string[] {
  if (!text.isInReach) return [text.page(`(${otherwise}) listed`)];
  const { column, end } = text;
  const reach = reachText('counted', end, distanceOf(text), worth);
  return [
    `walked AS MATERIALIZED (${walkAlong(text, { key: column, where: text.behind(column, 't.id'), reach, matches: ofKinds('t') })})`,
    `walk AS (SELECT count(*) >= ${text.after ? end : `least(${end}, ${MATCHING})`} AS was_enough FROM walked)`,
    text.page(walkedOr(otherwise)),
  ];
}

function distanceOf({ request }: PageText): string {
  if (!isOpenOnly(request.filter)) return EVENLY;
  if (request.sortBy === 'dueAt') return AMONG_OPEN;
  return request.sortOrder === 'DESC' ? OPEN_FROM_NEWEST : OPEN_FROM_OLDEST;
}

/**
 * The counters give the statuses of a page. A single status goes along the primary key; otherwise, and where that does
 * not fill a page, the tasks of these statuses are gathered from tasks_group and sorted by id. Worst: a far page among
 * all completed tasks takes 0.3 µs for each of them.
 */
function pageByStatus(text: PageText, ofKinds: OfKinds): string[] {
  const { after } = text;
  const ranks = `ranks AS MATERIALIZED (SELECT * FROM (
        SELECT status_rank, sum(count)::bigint AS tasks, (sum(sum(count)) OVER (ORDER BY status_rank
          ${text.request.sortOrder}) - sum(count))::bigint AS before
        FROM kinds WHERE ${after ? `status_rank ${text.comparison} ${after.key}` : 'true'} GROUP BY status_rank) r
      WHERE before < ${text.end} AND before + tasks > ${text.skip})`;
  return [ranks, ...(after ? pageBehindStatus(text, after, ofKinds) : pageFromStatus(text, ofKinds))];
}

/** Numbered pages: `ranks` holds the statuses that the page lies in, with the number of tasks before each. */
function pageFromStatus(text: PageText, ofKinds: OfKinds): string[] {
  return [
    `main AS MATERIALIZED (SELECT min(status_rank) AS status_rank, min(tasks) AS tasks, min(before) AS before
      FROM ranks HAVING count(*) = 1)`,
    `walked AS MATERIALIZED (${walkInStatus(text, 'true', `${text.end} - before`, ofKinds)})`,
    `walk AS (SELECT count(*) > 0 AND count(*) + (SELECT before FROM main) >= ${text.end} AS was_enough FROM walked)`,
    text.page(
      walkedOr(gatheredText(text, ofKinds, 'IN (SELECT status_rank FROM ranks)')),
      `${text.skip} - coalesce((SELECT min(before) FROM ranks), ${text.skip})`,
    ),
  ];
}

/** Behind a cursor: the rest of its status, then `ranks`, the statuses after that as far as a page can reach. */
function pageBehindStatus(text: PageText, after: NonNullable<PageText['after']>, ofKinds: OfKinds): string[] {
  const isBehind = `t.id ${text.comparison} ${after.id}`;
  const others = gatheredText(text, ofKinds, 'IN (SELECT status_rank FROM ranks)');
  return [
    `main AS MATERIALIZED (SELECT status_rank, sum(count)::bigint AS tasks FROM kinds
      WHERE status_rank = ${after.key} GROUP BY status_rank)`,
    `walked AS MATERIALIZED (${walkInStatus(text, isBehind, text.end, ofKinds)})`,
    `walk AS (SELECT count(*) >= ${text.take} AS was_enough FROM walked)`,
    `begun AS MATERIALIZED (SELECT id, key FROM (${gatheredText(text, ofKinds, `= ${after.key}`, isBehind)}) o
      WHERE NOT (SELECT was_enough FROM walk) ${text.orderBy('key', 'id')} LIMIT ${text.take})`,
    text.page(
      walkedOr(`SELECT id, key FROM begun UNION ALL
        SELECT id, key FROM (${others}) o WHERE (SELECT count(*) FROM begun) < ${text.take}`),
    ),
  ];
}

/** The tasks of each kind whose status is one of `ranks`, no more of them by id than a page can hold. */
function gatheredText(text: PageText, ofKinds: OfKinds, ranks: string, condition = 'true'): string {
  const first = text.enough && `ORDER BY id ${text.request.sortOrder} ${text.enough}`;
  return withMoving(
    `SELECT t.id, k.status_rank AS key FROM (SELECT * FROM kinds WHERE status_rank ${ranks}) k CROSS JOIN LATERAL (
        SELECT id FROM (
          SELECT t.id FROM ${SETTLED} t WHERE t.organization_id = $1::bigint AND ${IS_OF_KIND} AND ${condition} OFFSET 0) t
        ${first} OFFSET 0) t`,
    `SELECT t.id, t.status_rank AS key FROM ${MOVING} t
      WHERE t.organization_id = $1::bigint AND ${ofKinds('t')} AND t.status_rank ${ranks} AND ${condition}`,
    text.request.filter,
  );
}

function walkInStatus(text: PageText, behind: string, wanted: string, ofKinds: OfKinds): string {
  const fromOldest = `CASE WHEN status_rank < ${FIRST_TERMINAL} THEN ${OPEN_FROM_OLDEST} ELSE ${EVENLY} END`;
  const reach = reachText('main', wanted, text.request.sortOrder === 'ASC' ? fromOldest : EVENLY, 'tasks / 4');
  const matches = `t.status_rank = (SELECT status_rank FROM main) AND ${ofKinds('t')}`;
  return walkAlong(text, { key: 't.id', where: behind, reach, matches });
}

/**
 * The number of tasks to walk past for `wanted` ones of those that `source`, a relation of one row or none, counts: as
 * many as it is `worth`, a quarter of the time of the other way, so that little is lost when too few are found. None
 * when they are not expected there, by the `distance` from each to the next.
 */
function reachText(source: 'counted' | 'main', wanted: string, distance: string, worth: string): string {
  return `coalesce((SELECT CASE WHEN (${wanted}) * (${distance}) <= reach THEN reach ELSE 0 END
        FROM (SELECT *, least(${LIMITS.walkedTasks}, ${worth}) AS reach FROM ${source}) s WHERE tasks > 0), 0)`;
}
