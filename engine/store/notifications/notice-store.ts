import type { OrganizationSettings } from '../../../schema/accounts/organization.ts';
import type { RequestStatus } from '../../../schema/assignment/assignment.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { NoticeTemplates } from '../../../schema/notices/notice-templates.ts';
import type { NoticeChannel, NoticeKind, NoticeStatus, PushPlatform } from '../../../schema/notices/notification.ts';
import type { TaskStatus } from '../../../schema/tasks/task.ts';
import { hashed } from '../accounts/account-statements.ts';
import { type Fragment, numberArray, type Sql, textArray } from '../postgres.ts';
import { once } from '../statements.ts';

/** A notice that this process has leased, with the records that it is about. */
export interface LeasedNotice {
  readonly organizationId: number;
  readonly id: number;
  readonly kind: NoticeKind;
  readonly channel: NoticeChannel;
  /** Tries so far, this one included. */
  readonly attempts: number;
  readonly expiresAt: string;
  readonly organizationName: string;
  readonly organizationSettings: OrganizationSettings;
  readonly isOrganizationActive: boolean;
  readonly agentId: number | null;
  readonly isUserActive: boolean;
  /** Null for a device that may not get it any more, and for a mail. */
  readonly token: string | null;
  readonly platform: PushPlatform | null;
  readonly requestStatus: RequestStatus | null;
  /** Null for a push. */
  readonly email: string | null;
  readonly isMailWanted: boolean;
  readonly templates: NoticeTemplates;
  readonly customerName: string | null;
  readonly taskId: number;
  /** The fields of a task are null when it is gone. */
  readonly taskCode: string | null;
  readonly taskName: string | null;
  readonly taskStatus: TaskStatus | null;
  readonly taskAgentId: number | null;
  readonly trackingToken: string | null;
  readonly windowStart: string | null;
  readonly windowEnd: string | null;
  /** When its agent is expected at the door; null once it has come. */
  readonly etaAt: string | null;
  readonly address: string | null;
}

export interface NoticeEnd {
  readonly status: Exclude<NoticeStatus, 'pending'>;
  readonly reason?: string;
  /** The address of a mail, shortened for every reader. */
  readonly address?: string;
  /** The device's token is of no use: it is deleted, unless the device has another one by now. */
  readonly isTokenGone?: boolean;
}

/** The number of notices that a process can take on beside those in progress. */
export type NoticeRoom = Readonly<Record<NoticeChannel, number>>;

/** The organization and the channel whose room a notice in progress takes. */
export type NoticeLane = Pick<LeasedNotice, 'organizationId' | 'channel'>;

/** Notices in progress. A row is both the outbox and the log. */
export interface NoticeStore {
  /**
   * Leases due notices for LIMITS.noticeLeaseMs, of each channel as many as there is room for: those of the organizations
   * first that have the fewest in progress, and no more than one may have. `held`: those in progress here.
   */
  lease(room: NoticeRoom, held: Iterable<NoticeLane>): Promise<LeasedNotice[]>;
  /** Settles a notice. Only its last holder can. */
  settle(notice: LeasedNotice, end: NoticeEnd): Promise<void>;
  /** Retries after `pauseMs`. */
  postpone(notice: LeasedNotice, pauseMs: number, reason: string): Promise<void>;
}

export function createNoticeStore(sql: Sql): NoticeStore {
  return {
    lease: (room, held) => lease(sql, room, [...held]),
    async settle(notice, { status, reason = null, address = null, isTokenGone = false }) {
      const { organizationId, token } = notice;
      const forgetting = sql`
        DELETE FROM push_tokens d USING settled
        WHERE d.organization_id = ${organizationId} AND d.id = settled.push_token_id
          AND d.token_hash = ${hashed(sql, token ?? '')}`;
      await once(
        sql`
        WITH settled AS (
          UPDATE notifications SET status = ${status}, reason = ${reason?.slice(0, LIMITS.noticeReasonChars) ?? null},
            address = ${address}, due_at = NULL, settled_at = now()
          WHERE organization_id = ${organizationId} AND ${isHeld(sql, notice)} RETURNING push_token_id
        ) ${isTokenGone ? sql`, forgotten AS (${forgetting})` : sql``}
        SELECT FROM settled`,
        'settling a notice',
        LIMITS.fetchDeadlineMs,
      );
    },
    async postpone(notice, pauseMs, reason) {
      await once(
        sql`
        UPDATE notifications SET due_at = now() + ${pauseMs} * interval '1 ms',
          reason = ${reason.slice(0, LIMITS.noticeReasonChars)}
        WHERE organization_id = ${notice.organizationId} AND ${isHeld(sql, notice)}`,
        'postponing a notice',
        LIMITS.fetchDeadlineMs,
      );
    },
  };
}

/** No other process has leased it since. */
function isHeld(sql: Sql, { id, attempts }: LeasedNotice): Fragment {
  return sql`id = ${id} AND attempts = ${attempts} AND status = 'pending'`;
}

function lease(sql: Sql, room: NoticeRoom, held: readonly NoticeLane[]): Promise<LeasedNotice[]> {
  return once(
    sql<LeasedNotice[]>`
    WITH RECURSIVE ${dueNotices(sql, room, held)}, chosen AS MATERIALIZED (
      SELECT n.organization_id, n.id FROM notifications n
      WHERE (n.organization_id, n.id) IN (SELECT organization_id, id FROM due)
        AND n.status = 'pending' AND n.due_at <= now()
      FOR UPDATE SKIP LOCKED
    ), leased AS (
      UPDATE notifications n SET due_at = now() + ${LIMITS.noticeLeaseMs} * interval '1 ms', attempts = n.attempts + 1
      FROM chosen c WHERE n.organization_id = c.organization_id AND n.id = c.id
      RETURNING n.*
    )
    SELECT n.organization_id, n.id, n.kind, n.channel, n.attempts, n.expires_at, n.agent_id, n.task_id,
      coalesce(o.name, '') AS organization_name, coalesce(o.settings, '{}') AS organization_settings,
      coalesce(o.status = 'active', false) AS is_organization_active,
      coalesce(u.is_active, false) AS is_user_active, d.token, d.platform, r.status AS request_status,
      CASE WHEN n.channel = 'mail' THEN c.email END AS email,
      coalesce(CASE n.kind WHEN 'tracking_created' THEN s.mail_created WHEN 'tracking_on_the_way' THEN s.mail_on_the_way
        WHEN 'tracking_completed' THEN s.mail_completed END, false) AS is_mail_wanted,
      coalesce(s.templates, '{}') AS templates, nullif(concat_ws(' ', c.first_name, nullif(c.last_name, '')), '')
        AS customer_name,
      t.code AS task_code, t.name AS task_name, t.status AS task_status, t.agent_id AS task_agent_id, t.tracking_token,
      coalesce(t.window_start, t.scheduled_at) AS window_start, t.window_end, l.address,
      CASE WHEN t.arrived_at IS NULL THEN t.eta_at END AS eta_at
    FROM leased n
      LEFT JOIN organizations o ON o.organization_id = n.organization_id
      LEFT JOIN users u ON u.organization_id = n.organization_id AND u.id = n.user_id
      LEFT JOIN live_devices d
        ON d.organization_id = n.organization_id AND d.user_id = n.user_id AND d.id = n.push_token_id
      LEFT JOIN assignment_requests r ON r.organization_id = n.organization_id AND r.id = n.request_id
      LEFT JOIN notification_settings s ON s.organization_id = n.organization_id
      LEFT JOIN tasks t ON t.organization_id = n.organization_id AND t.id = n.task_id
      LEFT JOIN customers c ON c.organization_id = n.organization_id AND c.id = coalesce(n.customer_id, t.customer_id)
      LEFT JOIN locations l ON l.organization_id = n.organization_id AND l.id = coalesce(t.location_id, t.pickup_location_id)`,
    'looking for notices to send',
    LIMITS.fetchDeadlineMs,
  );
}

/** `due`: those to lease. Each organization and channel is asked by itself, so that nothing waits behind much of another. */
function dueNotices(sql: Sql, room: NoticeRoom, held: readonly NoticeLane[]): Fragment {
  return sql`
    waiting AS (
      (SELECT organization_id FROM notifications WHERE status = 'pending' ORDER BY organization_id LIMIT 1)
      UNION ALL
      SELECT (SELECT n.organization_id FROM notifications n
        WHERE n.status = 'pending' AND n.organization_id > w.organization_id ORDER BY n.organization_id LIMIT 1)
      FROM waiting w WHERE w.organization_id IS NOT NULL
    ), held AS (
      SELECT organization_id, channel, count(*)::int AS count
      FROM unnest(${numberArray(held.map(({ organizationId }) => organizationId))}::bigint[],
        ${textArray(held.map(({ channel }) => channel))}::text[]) AS h (organization_id, channel) GROUP BY 1, 2
    ), candidates AS (
      SELECT w.organization_id, r.channel, r.room, c.id, c.due_at, coalesce(h.count, 0)
        + row_number() OVER (PARTITION BY w.organization_id, r.channel ORDER BY c.due_at) AS nth
      FROM waiting w
        CROSS JOIN (VALUES ('push', ${room.push}::int), ('mail', ${room.mail}::int)) AS r (channel, room)
        LEFT JOIN held h ON h.organization_id = w.organization_id AND h.channel = r.channel
        CROSS JOIN LATERAL (
          SELECT n.id, n.due_at FROM notifications n
          WHERE n.organization_id = w.organization_id AND n.channel = r.channel AND n.status = 'pending' AND n.due_at <= now()
          ORDER BY n.due_at
          LIMIT greatest(0, least(r.room, ${LIMITS.noticesPerOrganizationAtOnce} - coalesce(h.count, 0)))) c
    ), due AS (
      SELECT organization_id, id FROM (
        SELECT *, row_number() OVER (PARTITION BY channel ORDER BY nth, due_at) AS place FROM candidates) c
      WHERE place <= room LIMIT ${room.push + room.mail}
    )`;
}
