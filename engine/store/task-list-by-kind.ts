import { LIMITS } from '../../schema/limits.ts';
import { isEmptyFilter } from '../../schema/list-tasks.ts';
import { conditionsOf, kindsText } from './task-list-conditions.ts';
import type { PagePlan, PageText } from './task-list-request.ts';

/** That task `t` is of kind `k`: the leading columns of tasks_group after the organization, which holds all that is selected below. */
const OF_KIND = `t.status_rank = k.status_rank AND t.task_type = k.task_type
      AND t.time_to_serve = k.time_to_serve AND t.channel_id = k.channel_id`;
const COUNT = '(SELECT coalesce(sum(count), 0)::bigint FROM kinds)';

/**
 * Lists whose filter says nothing but status, type, channel and time to serve. The counters know which kinds there are
 * and how many tasks each has, so that nothing is looked for in vain.
 */
export function planByKind(text: PageText): PagePlan {
  const { filter, sortBy } = text.request;
  const ctes = [`kinds AS MATERIALIZED (${kindsText(filter, text.parameters)})`];
  if (sortBy === 'status') ctes.push(...pageByStatus(text));
  else if (isEmptyFilter(filter)) ctes.push(pageOfAll(text));
  else if (sortBy === 'createdAt') ctes.push(pageByCreation(text));
  else ctes.push(...pageByUpdate(text));
  return { ctes, count: COUNT, parameters: text.parameters, mayFallShort: false, isReusable: true };
}

/** Along tasks_created or tasks_updated. A far page passes over index entries alone: 0.1 µs each. */
function pageOfAll(text: PageText): string {
  return text.page(`(SELECT t.id, ${text.column} AS key FROM tasks t
      WHERE t.organization_id = $1::bigint AND ${text.behind(text.column, 't.id')}
      ${text.orderBy(text.column, 't.id')} ${text.enough}) listed`);
}

/**
 * The first tasks of each kind, then the first of those. Costs a descent into tasks_group for each kind: at most 84 for
 * one channel, most of them empty and left out.
 */
function pageByCreation(text: PageText): string {
  return text.page(`(SELECT t.id, t.key FROM kinds k CROSS JOIN LATERAL (
      SELECT t.id, t.created_at AS key FROM tasks t WHERE t.organization_id = $1::bigint AND ${OF_KIND} AND ${text.behind('t.created_at', 't.id')}
      ${text.orderBy('t.created_at', 't.id')} ${text.enough}) t) listed`);
}

/**
 * Along tasks_updated where many tasks match; where few do, or none of the first thousands, all that match are gathered
 * from tasks_group. Worst: many match, and all of them lie at the far end; then gathering takes 0.3 µs for each.
 */
function pageByUpdate(text: PageText): string[] {
  const behind = text.behind('t.updated_at', 't.id');
  const wanted = text.after ? text.take : `least(${text.take}, ${COUNT} - ${text.skip})`;
  return [
    `walked AS MATERIALIZED (${walkText(text, behind, `${COUNT} > ${LIMITS.tasksGatheredInsteadOfWalk}`)})`,
    `walk AS (SELECT count(*) - ${text.skip} >= ${wanted} AS was_enough FROM walked)`,
    text.page(`(SELECT id, key FROM walked WHERE (SELECT was_enough FROM walk)
      UNION ALL SELECT t.id, t.key FROM kinds k CROSS JOIN LATERAL (
        SELECT t.id, t.updated_at AS key FROM tasks t WHERE t.organization_id = $1::bigint AND ${OF_KIND} AND ${behind} OFFSET 0) t
      WHERE NOT (SELECT was_enough FROM walk)) listed`),
  ];
}

/**
 * The counters tell in which statuses a page lies. If in a single one that many tasks have, then along the primary key;
 * otherwise, and when none of the first thousands is in it, the tasks of these statuses are gathered from tasks_group and
 * sorted by id. Worst: a far page among all completed tasks takes 0.3 µs for each of them.
 */
function pageByStatus(text: PageText): string[] {
  const { after } = text;
  const ranks = `ranks AS MATERIALIZED (SELECT * FROM (
        SELECT status_rank, sum(count)::bigint AS count, (sum(sum(count)) OVER (ORDER BY status_rank
          ${text.request.sortOrder}) - sum(count))::bigint AS before
        FROM kinds WHERE ${after ? `status_rank ${text.comparison} ${after.key}` : 'true'} GROUP BY status_rank) r
      WHERE before < ${text.skip} + ${text.take} AND before + count > ${text.skip})`;
  const walked = (behind: string) => `walked AS MATERIALIZED (
      ${walkText(text, behind, 't.status_rank = (SELECT status_rank FROM main) AND EXISTS (SELECT FROM main)')})`;
  const gathered = (kinds: string) => `SELECT t.id, k.status_rank AS key FROM (
        SELECT kinds.* FROM kinds WHERE status_rank ${kinds} AND NOT (SELECT was_enough FROM walk)) k
      CROSS JOIN LATERAL (SELECT t.id FROM tasks t WHERE t.organization_id = $1::bigint AND ${OF_KIND} OFFSET 0) t`;
  return after
    ? [ranks, ...pageBehindStatus(text, after, walked, gathered)]
    : [ranks, ...pageFromStatus(text, walked, gathered)];
}

/** Numbered pages: `ranks` holds the statuses that the page lies in, with the number of tasks before each. */
function pageFromStatus(
  text: PageText,
  walked: (behind: string) => string,
  gathered: (kinds: string) => string,
): string[] {
  return [
    `main AS MATERIALIZED (SELECT min(status_rank) AS status_rank, min(before) AS before FROM ranks
      HAVING count(*) = 1 AND sum(count) > ${LIMITS.tasksGatheredInsteadOfWalk})`,
    walked('true'),
    `walk AS (SELECT count(*) > 0 AND count(*) + (SELECT before FROM main) >= ${text.skip} + ${text.take} AS was_enough FROM walked)`,
    text.page(
      `(SELECT id, key FROM walked WHERE (SELECT was_enough FROM walk)
      UNION ALL ${gathered('IN (SELECT status_rank FROM ranks)')}) listed`,
      `${text.skip} - coalesce((SELECT min(before) FROM ranks), ${text.skip})`,
    ),
  ];
}

/** Behind a cursor: what is left of its status, then `ranks`, the statuses after that as far as a page can reach. */
function pageBehindStatus(
  text: PageText,
  after: NonNullable<PageText['after']>,
  walked: (behind: string) => string,
  gathered: (kinds: string) => string,
): string[] {
  const behind = `id ${text.comparison} ${after.id}`;
  return [
    `main AS MATERIALIZED (SELECT ${after.key} AS status_rank FROM kinds
      WHERE status_rank = ${after.key} HAVING sum(count) > ${LIMITS.tasksGatheredInsteadOfWalk})`,
    walked(`t.${behind}`),
    `walk AS (SELECT count(*) >= ${text.take} AS was_enough FROM walked)`,
    `begun AS MATERIALIZED (SELECT id, key FROM (${gathered(`= ${after.key}`)}) listed
      WHERE ${behind} ${text.orderBy('key', 'id')} LIMIT ${text.take})`,
    text.page(`(SELECT id, key FROM walked WHERE (SELECT was_enough FROM walk)
      UNION ALL SELECT id, key FROM begun
      UNION ALL SELECT id, key FROM (${gathered('IN (SELECT status_rank FROM ranks)')}) listed
        WHERE (SELECT count(*) FROM begun) < ${text.take}) listed`),
  ];
}

/** The first tasks in the order of the list that match, among the first thousands, when it is worth while. */
function walkText(text: PageText, behind: string, isWorthWhile: string): string {
  const key = text.request.sortBy === 'status' ? 't.id' : text.column;
  const order = text.orderBy(key, 't.id');
  return `SELECT t.id, ${text.column} AS key FROM (
        SELECT * FROM tasks t WHERE t.organization_id = $1::bigint AND ${behind} ${order} LIMIT ${LIMITS.walkedTasks}) t
      WHERE ${isWorthWhile} AND ${conditionsOf(text.request.filter, text.parameters, 'probe')}
      ${order} ${text.isDeep ? 'LIMIT 0' : text.enough}`;
}
