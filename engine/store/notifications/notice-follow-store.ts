import { LIMITS } from '../../../schema/limits.ts';
import type { CustomerMail } from '../../../schema/notices/notification.ts';
import { type Fragment, numberArray, type Sql, textArray } from '../postgres.ts';
import { once } from '../statements.ts';

/** The part of an organization's log that has made no notices yet. */
export interface UntoldPage {
  /** The position before. */
  readonly after: number;
  /** The position once its notices are made. */
  readonly upTo: number;
  /** Bodies of events, oldest first. */
  readonly bodies: readonly string[];
  readonly mail: CustomerMail;
  /** Whether there may be more events behind it. */
  readonly isFull: boolean;
}

/** A new notice; with the ids of a push, or of a mail. */
export interface NewNotice {
  readonly kind: string;
  readonly taskId: number;
  readonly expiresAt: string;
  readonly agentId?: number;
  readonly exceptUserId?: number | null;
  readonly requestId?: number | null;
  readonly customerId?: number;
  readonly topicId?: number;
}

/** The result of a look at logs. */
export interface LookedAt {
  /** Organizations whose logs may make notices. */
  readonly untold: readonly number[];
  /** Organizations whose logs make no notices. */
  readonly unread: readonly number[];
}

/** The positions of the notices in the logs, and the rows that come of them. */
export interface NoticeFollowStore {
  /**
   * Passes over the commits of organizations without devices and mails, and of those without a new event of these
   * types, in one statement.
   */
  skipUntellable(organizationIds: readonly number[], types: readonly string[]): Promise<LookedAt>;
  /** The new events of these types, not older than LIMITS.noticeAgeMs; undefined when the organization is gone. */
  readUntold(organizationId: number, types: readonly string[]): Promise<UntoldPage | undefined>;
  /**
   * Makes the rows of a page's notices, one for each live device of an active agent and for each customer without one,
   * and moves the position, in one statement. A mail that was dropped makes way for a new one. Undefined when another
   * process was first.
   */
  writeTold(
    organizationId: number,
    page: Pick<UntoldPage, 'after' | 'upTo'>,
    notices: readonly NewNotice[],
  ): Promise<number | undefined>;
}

export function createNoticeFollowStore(sql: Sql): NoticeFollowStore {
  return {
    skipUntellable: (organizationIds, types) => skipUntellable(sql, organizationIds, types),
    readUntold: (organizationId, types) => readUntold(sql, organizationId, types),
    writeTold: (organizationId, page, notices) => writeTold(sql, organizationId, page, notices),
  };
}

/** An event `e` that may make a notice: after the position `p`, by the settings `s`. */
function isNews(sql: Sql, types: readonly string[]): Fragment {
  return sql`e.sequence > coalesce(p.last_sequence, 0) AND e.at > now() - ${LIMITS.noticeAgeMs} * interval '1 ms'
    AND e.type = ANY(${textArray(types)}::text[]) AND CASE e.type
      WHEN 'task.created' THEN s.mail_created
      -- Of updates only amendments and other agents; texts that look alike make no notice.
      WHEN 'task.updated' THEN e.body LIKE '%"changes":["%' OR e.body LIKE '%"previousAgentId":%' ELSE true END`;
}

/**
 * The heads are of the same snapshot as devices and events: events after the registration of a device are not passed
 * over.
 */
async function skipUntellable(
  sql: Sql,
  organizationIds: readonly number[],
  types: readonly string[],
): Promise<LookedAt> {
  const query = sql<{ organizationId: number; isRead: boolean; hasNews: boolean }[]>`
    WITH asked AS MATERIALIZED (
      SELECT h.organization_id, h.last_sequence,
        EXISTS (SELECT FROM push_tokens d WHERE d.organization_id = h.organization_id)
        OR EXISTS (SELECT FROM notification_settings s WHERE s.organization_id = h.organization_id
          AND (s.mail_created OR s.mail_on_the_way OR s.mail_completed)) AS is_read
      FROM organization_heads h WHERE h.organization_id = ANY(${numberArray(organizationIds)}::bigint[])
    ), looked_at AS MATERIALIZED (
      -- What gathered while nobody looked is looked through organization by organization, each with its own time.
      SELECT a.organization_id, a.last_sequence, a.is_read, coalesce(p.last_sequence, 0) AS place,
        CASE WHEN a.is_read AND a.last_sequence - coalesce(p.last_sequence, 0) <= ${LIMITS.noticePageEvents} THEN EXISTS (
          SELECT FROM events e WHERE e.organization_id = a.organization_id AND ${isNews(sql, types)})
        ELSE a.is_read END AS has_news
      FROM asked a
        LEFT JOIN relay_positions p ON p.organization_id = a.organization_id AND p.consumer = 'notices'
        LEFT JOIN notification_settings s ON s.organization_id = a.organization_id
    ), skipped AS (
      INSERT INTO relay_positions AS p (organization_id, consumer, last_sequence)
        SELECT organization_id, 'notices', last_sequence FROM looked_at
        WHERE NOT has_news AND last_sequence > place ORDER BY organization_id
      ON CONFLICT (organization_id, consumer) DO UPDATE SET last_sequence = excluded.last_sequence
        WHERE p.last_sequence < excluded.last_sequence)
    SELECT organization_id, is_read, has_news FROM looked_at`;
  const rows = await once(query, 'passing over commits without notices');
  const idsOf = (some: readonly { readonly organizationId: number }[]) =>
    some.map(({ organizationId }) => organizationId);
  return { untold: idsOf(rows.filter((row) => row.hasNews)), unread: idsOf(rows.filter((row) => !row.isRead)) };
}

interface UntoldRow {
  readonly after: number;
  readonly lastSequence: number;
  readonly created: boolean;
  readonly onTheWay: boolean;
  readonly completed: boolean;
  readonly sequence: number | null;
  readonly body: string;
}

async function readUntold(sql: Sql, organizationId: number, types: readonly string[]): Promise<UntoldPage | undefined> {
  const query = sql<UntoldRow[]>`
    SELECT coalesce(p.last_sequence, 0) AS after, h.last_sequence, coalesce(s.mail_created, false) AS created,
      coalesce(s.mail_on_the_way, false) AS on_the_way, coalesce(s.mail_completed, false) AS completed, e.sequence, e.body
    FROM organization_heads h
      LEFT JOIN relay_positions p ON p.organization_id = h.organization_id AND p.consumer = 'notices'
      LEFT JOIN notification_settings s ON s.organization_id = h.organization_id
      LEFT JOIN LATERAL (
        SELECT e.sequence, e.body FROM events e
        WHERE e.organization_id = ${organizationId} AND ${isNews(sql, types)}
        ORDER BY e.sequence LIMIT ${LIMITS.noticePageEvents}) e ON true
    WHERE h.organization_id = ${organizationId} ORDER BY e.sequence`;
  const rows = await once(query, 'reading the events for notices');
  const [first] = rows;
  if (!first) return undefined;
  const { after, lastSequence, created, onTheWay, completed } = first;
  const events = first.sequence === null ? [] : rows;
  const isFull = events.length === LIMITS.noticePageEvents;
  return {
    after,
    upTo: isFull ? events.at(-1)!.sequence! : lastSequence,
    bodies: events.map(({ body }) => body),
    mail: { created, onTheWay, completed },
    isFull,
  };
}

async function writeTold(
  sql: Sql,
  organizationId: number,
  { after, upTo }: Pick<UntoldPage, 'after' | 'upTo'>,
  notices: readonly NewNotice[],
): Promise<number | undefined> {
  const query = sql<{ isMoved: boolean; made: number }[]>`
    WITH place AS (
      INSERT INTO relay_positions AS p (organization_id, consumer, last_sequence)
        SELECT organization_id, 'notices', ${upTo}::bigint FROM organization_heads WHERE organization_id = ${organizationId}
      ON CONFLICT (organization_id, consumer) DO UPDATE SET last_sequence = excluded.last_sequence
        WHERE p.last_sequence = ${after}::bigint RETURNING p.organization_id
    ), told AS (
      SELECT n.* FROM place JOIN organizations o ON o.organization_id = place.organization_id AND o.status = 'active',
        json_to_recordset(${JSON.stringify(notices)}::text::json) AS n("kind" text, "taskId" bigint,
          "expiresAt" timestamptz, "agentId" bigint, "exceptUserId" bigint, "requestId" bigint, "customerId" bigint,
          "topicId" bigint)
      WHERE n."expiresAt" > now()
    ), pushed AS (
      INSERT INTO notifications (organization_id, id, kind, channel, task_id, request_id, agent_id, user_id,
        push_token_id, platform, status, due_at, expires_at)
      SELECT ${organizationId}, nextval('notification_ids'), n."kind", 'push', n."taskId", n."requestId", n."agentId",
        u.id, d.id, d.platform, 'pending', now(), n."expiresAt"
      FROM told n
        JOIN agents a ON a.organization_id = ${organizationId} AND a.id = n."agentId"
        JOIN users u ON u.organization_id = ${organizationId} AND u.id = a.user_id AND u.is_active
          AND u.id IS DISTINCT FROM n."exceptUserId"
        JOIN live_devices d ON d.organization_id = ${organizationId} AND d.user_id = u.id
      RETURNING id
    ), mailed AS (
      INSERT INTO notifications AS old (organization_id, id, kind, channel, task_id, customer_id, topic_id, status, due_at,
        expires_at)
      SELECT ${organizationId}, nextval('notification_ids'), n."kind", 'mail', n."taskId", n."customerId", n."topicId",
        'pending', now(), n."expiresAt"
      -- A statement can meet a row only once.
      FROM (SELECT DISTINCT ON ("topicId", "customerId", "kind") * FROM told WHERE "customerId" IS NOT NULL
        ORDER BY "topicId", "customerId", "kind", "expiresAt", "taskId") n
      ON CONFLICT (organization_id, topic_id, customer_id, kind) WHERE channel = 'mail' DO UPDATE SET id = excluded.id,
        task_id = excluded.task_id, address = NULL, status = 'pending', reason = NULL, attempts = 0,
        due_at = excluded.due_at, expires_at = excluded.expires_at, created_at = now(), settled_at = NULL
        WHERE old.status = 'dropped'
      RETURNING id)
    SELECT EXISTS (SELECT FROM place) AS is_moved, (SELECT count(*) FROM pushed) + (SELECT count(*) FROM mailed) AS made`;
  const [row] = await once(query, 'making notices');
  return row!.isMoved ? row!.made : undefined;
}
