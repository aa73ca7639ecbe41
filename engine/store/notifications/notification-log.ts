import { LIMITS } from '../../../schema/limits.ts';
import type { ListNotificationsQuery, NotificationView } from '../../../schema/notices/notification.ts';
import type { Sql } from '../postgres.ts';
import { retried } from '../statements.ts';

export interface NotificationPage {
  /** Newest first. */
  readonly items: readonly NotificationView[];
  /** Whether there are more behind them. */
  readonly hasMore: boolean;
}

/** A page of the notices to couriers and customers, sent or waiting. It reads no token and no whole address. */
export async function listNotifications(
  sql: Sql,
  organizationId: number,
  { taskId, status, kind, channel, part: { before, limit } }: ListNotificationsQuery,
): Promise<NotificationPage> {
  const query = () => sql<NotificationView[]>`
    SELECT id, kind, channel, status, reason, task_id, user_id, platform, customer_id, address, attempts,
      due_at AS next_attempt_at, expires_at, created_at, settled_at
    FROM notifications
    WHERE organization_id = ${organizationId} ${taskId ? sql`AND task_id = ${taskId}` : sql``}
      ${status ? sql`AND status = ${status}` : sql``} ${kind ? sql`AND kind = ${kind}` : sql``}
      ${channel ? sql`AND channel = ${channel}` : sql``} ${before ? sql`AND id < ${before}` : sql``}
    ORDER BY id DESC LIMIT ${limit + 1}`;
  const items = await retried(query, LIMITS.readDeadlineMs, 'listing notifications');
  return { items: items.slice(0, limit), hasMore: items.length > limit };
}
