import { LIMITS } from '../../../schema/limits.ts';
import { isCountedByKind } from '../../../schema/tasks/task-filter.ts';
import { conditionsOf, kindsText, ofKindsText } from './task-list-conditions.ts';
import { noTime, type PagePlan, type PageText } from './task-list-request.ts';

/**
 * Lists by `scheduledAt`: along scheduled_tasks_at, and where that ends, the tasks without a schedule along the primary
 * key, each a bounded way. The second begins only when the first is known to have ended.
 */
export function planBySchedule(text: PageText): PagePlan {
  const { filter, sortOrder } = text.request;
  const { parameters } = text;
  const without = noTime(sortOrder);
  const isShown = conditionsOf(filter, parameters, 'probe');
  const order = text.orderBy('s.scheduled_at', 's.task_id');
  const isBehind = text.isBehindTimes ? `t.id ${text.comparison} ${text.after!.id}` : text.behind(without, 't.id');
  const ctes = [
    `passed AS MATERIALIZED (SELECT s.task_id, s.scheduled_at FROM scheduled_tasks s
      WHERE s.organization_id = $1::bigint AND ${text.isBehindTimes ? 'false' : text.behind('s.scheduled_at', 's.task_id')}
      ${order} LIMIT ${LIMITS.walkedTasks})`,
    `scheduled AS MATERIALIZED (SELECT t.id, s.scheduled_at AS key FROM passed s
      CROSS JOIN LATERAL (
        SELECT * FROM tasks t WHERE t.organization_id = $1::bigint AND t.id BETWEEN s.task_id AND s.task_id
        ORDER BY t.id LIMIT 1) t
      WHERE t.organization_id = $1::bigint AND ${isShown} ${text.orderBy('s.scheduled_at', 't.id')} LIMIT ${text.end})`,
    `others AS MATERIALIZED (SELECT t.id, ${without} AS key FROM (
        SELECT * FROM tasks t WHERE t.organization_id = $1::bigint AND ${isBehind} ORDER BY t.id ${sortOrder}
        LIMIT CASE WHEN (SELECT count(*) FROM passed) < ${LIMITS.walkedTasks}
          AND (SELECT count(*) FROM scheduled) < ${text.end} THEN ${LIMITS.walkedTasks} ELSE 0 END) t
      WHERE t.organization_id = $1::bigint AND t.scheduled_at IS NULL AND ${isShown} ORDER BY t.id ${sortOrder} LIMIT ${text.end})`,
    text.page('(SELECT id, key FROM scheduled UNION ALL SELECT id, key FROM others) listed'),
  ];
  const isCounted = isCountedByKind(filter);
  const count = isCounted
    ? `(SELECT coalesce(sum(count), 0)::bigint FROM (${kindsText(ofKindsText(filter, parameters))}) k)`
    : 'NULL::bigint';
  return { ctes, count, parameters, mayFallShort: true, isReusable: isCounted };
}
