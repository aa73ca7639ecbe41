import { LIMITS } from '../../../schema/limits.ts';
import type { DisabledReason, WebhookRecord } from '../../../schema/notices/webhook.ts';
import type { SecretBox } from '../../runtime/secret-box.ts';
import { type Fragment, numberArray, type Sql } from '../postgres.ts';
import { openStored, type StoredSecret, webhookPlace } from '../secrets/stored-secret.ts';
import { once } from '../statements.ts';
import { endedValues, endReasonOf } from './ended-deliveries.ts';

/** Names a webhook among those of all organizations. */
export interface EndpointKey {
  readonly organizationId: number;
  readonly webhookId: number;
}

/** How an endpoint answers. */
export interface EndpointHealth {
  /** Failures since the last success. */
  readonly failures: number;
  readonly failingSince: string | null;
  /** The endpoint rests until then. */
  readonly pausedUntil: string | null;
}

/** A webhook that this process alone serves, until the lease runs out. */
export interface LeasedEndpoint extends EndpointHealth {
  readonly webhook: Pick<
    WebhookRecord,
    'organizationId' | 'id' | 'channelId' | 'url' | 'events' | 'statuses' | 'channelIds' | 'concurrency' | 'version'
  >;
  /** The secrets that sign now. */
  readonly secrets: readonly string[];
  /** Neither it nor its channel or organization is switched off or disabled; otherwise it gets orders only. */
  readonly isServed: boolean;
  /** Every event up to this one has a delivery, or is not wanted. */
  readonly lastSequence: number;
  /** No delivery is due before; null when none waits. */
  readonly nextDueAt: string | null;
  readonly hasOrders: boolean;
}

/** Organizations that have webhooks, in the order of their ids. */
export interface WaitingPage {
  /** Organizations with a webhook that has work and no holder. */
  readonly lagging: readonly number[];
  /** Where the next page begins; undefined when this was the last one. */
  readonly next: number | undefined;
}

/** An organization with a webhook that receives commits, that has an order, or whose pending deliveries are to end. */
export interface FollowedOrganization {
  readonly organizationId: number;
  /** Those of its webhooks that have work. */
  readonly waiting: readonly number[];
}

/** A webhook that asks for positions. */
export interface PositionSubscriber extends EndpointKey {
  /** It knows every position received until then, on the clocks of those who receive them. */
  readonly knownUntil: string;
  /** When it was found, on the clock of Postgres. */
  readonly foundAt: string;
}

export interface DisabledEndpoint extends EndpointKey {
  readonly url: string;
  readonly reason: DisabledReason;
  /** To the microsecond, which tells one time that it was disabled from another. */
  readonly disabledExactly: string;
  readonly admins: readonly string[];
}

/** The position of each webhook in the log. One process at a time holds a webhook; `lease` names the process. */
export interface FollowerStore {
  /** Finds organizations with webhooks that wait, among the next `limit` after an id that have any. */
  findWaiting(after: number, limit: number): Promise<WaitingPage>;
  /** Those of these organizations whose commits may give a webhook work; waiting work counts for every holder. */
  findFollowed(organizationIds: readonly number[]): Promise<FollowedOrganization[]>;
  /**
   * Takes a webhook, even one that is held already. Undefined: another process has it, or the webhook is gone. Rejects
   * with UnreadableSecretError, and holds it until the lease runs out.
   */
  lease(key: EndpointKey, lease: string): Promise<LeasedEndpoint | undefined>;
  /** Lets others have it. */
  release(key: EndpointKey, lease: string): Promise<void>;
  /** Webhooks that must get positions now: the last ones were attempted, and their endpoints do not rest. */
  findPositionSubscribers(limit: number): Promise<PositionSubscriber[]>;
  /** Disabled webhooks whose administrators have no mail yet, and get none from another process now. */
  findUntold(limit: number): Promise<DisabledEndpoint[]>;
  /** Keeps other processes from mailing for so long. False: another one does, or has, or the webhook is on again. */
  claimNotice(disabled: DisabledEndpoint, forMs: number): Promise<boolean>;
  /** No mail went out: another try may begin. */
  releaseNotice(disabled: DisabledEndpoint): Promise<void>;
  noteTold(disabled: DisabledEndpoint): Promise<void>;
}

export function createFollowerStore(sql: Sql, box: SecretBox): FollowerStore {
  return {
    async findWaiting(after, limit) {
      const [row] = await once(waitingOf(sql, after, limit), 'looking for webhooks that wait');
      return { lagging: row!.lagging, next: row!.compared === limit ? row!.last! : undefined };
    },
    findFollowed(organizationIds) {
      const query = sql<FollowedOrganization[]>`
        SELECT w.organization_id, coalesce(json_agg(w.id) FILTER (WHERE ${hasWork(sql)}), '[]') AS waiting
        FROM webhooks w JOIN organization_heads h ON h.organization_id = w.organization_id LEFT JOIN ${followerOf(sql)}
        WHERE w.organization_id = ANY(${numberArray(organizationIds)}::bigint[])
          AND (${isOrdered(sql)} OR ${isToEnd(sql)} OR ${hearsNews(sql)})
        GROUP BY w.organization_id`;
      return once(query, 'looking for webhooks to wake');
    },
    async lease(key, lease) {
      const [row] = await once(leaseOf(sql, key, lease), 'leasing a webhook');
      if (!row) return undefined;
      const { isOff, ...leased } = row;
      if (isOff) await once(endingOf(sql, key, lease), 'ending what is pending');
      return endpointOf(leased, box);
    },
    async release(key, lease) {
      await once(releaseOf(sql, key, lease), 'releasing a webhook');
    },
    findPositionSubscribers: (limit) =>
      once(positionSubscribersOf(sql, limit), 'looking for webhooks that want positions'),
    findUntold: (limit) => once(untoldOf(sql, limit), 'looking for disabled webhooks'),
    async claimNotice(disabled, forMs) {
      const query = sql`
        UPDATE webhook_followers f SET notice_claimed_until = now() + ${forMs} * interval '1 ms' FROM webhooks w
        WHERE f.organization_id = ${disabled.organizationId} AND ${isStillDisabled(sql, disabled)} AND ${isUntold(sql)}
          AND w.organization_id = f.organization_id AND w.id = f.webhook_id
        RETURNING f.webhook_id`;
      return (await once(query, 'claiming the mails to administrators')).length > 0;
    },
    async releaseNotice(disabled) {
      const query = sql`
        UPDATE webhook_followers f SET notice_claimed_until = NULL
        WHERE f.organization_id = ${disabled.organizationId} AND ${isStillDisabled(sql, disabled)}`;
      await once(query, 'putting off the mails to administrators');
    },
    async noteTold(disabled) {
      const query = sql`
        UPDATE webhook_followers f SET notified_at = now(), notice_claimed_until = NULL
        WHERE f.organization_id = ${disabled.organizationId} AND ${isStillDisabled(sql, disabled)}`;
      await once(query, 'noting the mails to administrators');
    },
  };
}

export function followerOf(sql: Sql): Fragment {
  return sql`webhook_followers f ON f.organization_id = w.organization_id AND f.webhook_id = w.id`;
}

/** It has work: events after its position in the log, a due retry, an order, or pending deliveries that are to end. */
function hasWork(sql: Sql): Fragment {
  return sql`
    ${isOrdered(sql)}
    OR ${isToEnd(sql)}
    OR (${hearsNews(sql)}
      AND ${isNotPaused(sql)}
      AND (f.next_due_at <= now() OR h.last_sequence > greatest(f.last_sequence, w.start_sequence)
        OR EXISTS (SELECT FROM webhook_orders o WHERE o.organization_id = w.organization_id AND o.webhook_id = w.id)))`;
}

/** A delivery was ordered, which is made in every state of the webhook. */
function isOrdered(sql: Sql): Fragment {
  return sql`
    EXISTS (SELECT FROM webhook_orders o
      WHERE o.organization_id = w.organization_id AND o.webhook_id = w.id AND o.kind <> 'replay')`;
}

/** It is switched off or disabled, and may have pending deliveries yet: the next lease ends them. */
function isToEnd(sql: Sql): Fragment {
  return sql`(f.next_due_at IS NOT NULL AND (NOT w.is_active OR f.disabled_at >= w.active_since))`;
}

/** It is neither switched off nor disabled, even while it is paused. */
export function hearsNews(sql: Sql): Fragment {
  return sql`(${mayBeTold(sql)} AND (f.disabled_at IS NULL OR f.disabled_at < w.active_since))`;
}

/** Its endpoint rests no more, or has rested before the webhook was switched on again. */
function isNotPaused(sql: Sql): Fragment {
  return sql`(f.paused_until IS NULL OR f.paused_until <= now() OR f.failing_since < w.active_since)`;
}

/** It is switched on, and its owner may receive its events. */
function mayBeTold(sql: Sql): Fragment {
  return sql`
    w.is_active AND EXISTS (SELECT FROM organizations o WHERE o.organization_id = w.organization_id AND o.status = 'active')
    AND (w.channel_id IS NULL OR EXISTS (SELECT FROM channels c
      WHERE c.organization_id = w.organization_id AND c.id = w.channel_id AND c.status = 'ACTIVE'))`;
}

function waitingOf(sql: Sql, after: number, limit: number) {
  return sql<{ lagging: number[]; last: number | null; compared: number }[]>`
    WITH page AS (
      SELECT DISTINCT organization_id FROM webhooks WHERE organization_id > ${after}
      ORDER BY organization_id LIMIT ${limit})
    SELECT max(page.organization_id) AS last, count(*) AS compared,
      coalesce(json_agg(page.organization_id) FILTER (WHERE EXISTS (
        SELECT FROM webhooks w JOIN organization_heads h ON h.organization_id = w.organization_id
          LEFT JOIN ${followerOf(sql)}
        WHERE w.organization_id = page.organization_id AND (f.lease IS NULL OR f.leased_until < now())
          AND (${hasWork(sql)}))), '[]') AS lagging
    FROM page`;
}

/** Where another statement has changed the row meanwhile, its deliveries are not seen here: the next holder looks at once. */
function releaseOf(sql: Sql, { organizationId, webhookId }: EndpointKey, lease: string) {
  return sql`
    UPDATE webhook_followers f SET lease = NULL, leased_until = NULL,
      next_due_at = CASE WHEN f.xmin <> seen.xmin THEN now() ELSE (
        SELECT min(d.next_attempt_at) FROM webhook_deliveries d
        WHERE d.organization_id = f.organization_id AND d.webhook_id = f.webhook_id AND d.state = 'pending') END
    FROM (SELECT xmin FROM webhook_followers
      WHERE organization_id = ${organizationId} AND webhook_id = ${webhookId}) seen
    WHERE f.organization_id = ${organizationId} AND f.webhook_id = ${webhookId} AND f.lease = ${lease}`;
}

/** The turn of a webhook has come, by the clock of Postgres. */
export function arePositionsDue(sql: Sql): Fragment {
  return sql`
    (f.positions_told_at IS NULL OR f.positions_told_at <= now() - ${LIMITS.webhookPositionsMs} * interval '1 ms')`;
}

/** One that was switched on again knows nothing. */
function positionSubscribersOf(sql: Sql, limit: number) {
  return sql<PositionSubscriber[]>`
    SELECT w.organization_id, w.id AS webhook_id, now() AS found_at, coalesce(
      CASE WHEN f.positions_told_at >= w.active_since THEN f.positions_known_until END,
      greatest(f.positions_told_at, w.active_since) - ${LIMITS.webhookPositionLagMs} * interval '1 ms') AS known_until
    FROM webhooks w LEFT JOIN ${followerOf(sql)}
    WHERE 'agent.locations_updated' = ANY (w.events) AND ${hearsNews(sql)}
      AND ${isNotPaused(sql)}
      AND NOT EXISTS (SELECT FROM webhook_deliveries d
        WHERE d.organization_id = w.organization_id AND d.webhook_id = w.id AND d.state = 'pending'
          AND d.type = 'agent.locations_updated')
      AND ${arePositionsDue(sql)}
    ORDER BY f.positions_told_at NULLS FIRST LIMIT ${limit}`;
}

/** The follower `f` of the webhook has not been disabled another time since. */
function isStillDisabled(sql: Sql, { webhookId, disabledExactly }: DisabledEndpoint): Fragment {
  return sql`f.webhook_id = ${webhookId} AND f.disabled_at = ${disabledExactly}::text::timestamptz`;
}

/** The webhook `w` is disabled, and no process has told the administrators or is at it. */
function isUntold(sql: Sql): Fragment {
  return sql`(f.disabled_at >= w.active_since AND f.notified_at IS NULL
    AND (f.notice_claimed_until IS NULL OR f.notice_claimed_until <= now()))`;
}

function untoldOf(sql: Sql, limit: number) {
  return sql<DisabledEndpoint[]>`
    SELECT f.organization_id, f.webhook_id, w.url, f.disabled_reason AS reason,
      f.disabled_at::text AS disabled_exactly, (
      SELECT coalesce(json_agg(u.email), '[]') FROM users u
      WHERE u.organization_id = f.organization_id AND u.role = 'org_admin' AND u.is_active AND u.email IS NOT NULL
        AND u.email_verified_at IS NOT NULL) AS admins
    FROM webhook_followers f JOIN webhooks w ON w.organization_id = f.organization_id AND w.id = f.webhook_id
    WHERE ${isUntold(sql)} LIMIT ${limit}`;
}

type LeaseRow = LeasedEndpoint['webhook'] &
  Omit<LeasedEndpoint, 'webhook' | 'secrets'> & { readonly secrets: readonly StoredSecret[] };

/** A webhook that was switched on again starts afresh: its failures are forgotten, and missed events are not sent. */
function leaseOf(sql: Sql, { organizationId, webhookId }: EndpointKey, lease: string) {
  const leasedUntil = sql`now() + ${LIMITS.webhookLeaseMs} * interval '1 ms'`;
  const isAnew = sql`coalesce(f.disabled_at, f.failing_since) < (SELECT active_since FROM webhook)`;
  return sql<(LeaseRow & { readonly isOff: boolean })[]>`
    WITH webhook AS MATERIALIZED (
      SELECT * FROM webhooks WHERE organization_id = ${organizationId} AND id = ${webhookId}
    ), follower AS (
      INSERT INTO webhook_followers AS f (organization_id, webhook_id, last_sequence, lease, leased_until)
        SELECT organization_id, id, start_sequence, ${lease}::uuid, ${leasedUntil} FROM webhook
      ON CONFLICT (organization_id, webhook_id) DO UPDATE SET
        lease = excluded.lease, leased_until = excluded.leased_until,
        last_sequence = greatest(f.last_sequence, excluded.last_sequence),
        failures = CASE WHEN ${isAnew} THEN 0 ELSE f.failures END,
        paused_until = CASE WHEN ${isAnew} THEN NULL ELSE f.paused_until END,
        disabled_reason = CASE WHEN ${isAnew} THEN NULL ELSE f.disabled_reason END,
        notified_at = CASE WHEN ${isAnew} THEN NULL ELSE f.notified_at END,
        notice_claimed_until = CASE WHEN ${isAnew} THEN NULL ELSE f.notice_claimed_until END,
        disabled_at = CASE WHEN ${isAnew} THEN NULL ELSE f.disabled_at END,
        failing_since = CASE WHEN ${isAnew} THEN NULL ELSE f.failing_since END
        WHERE f.lease IS NULL OR f.leased_until < now() OR f.lease = excluded.lease
      RETURNING f.*
    )
    SELECT w.organization_id, w.id, w.version, w.channel_id, w.url, to_json(w.events) AS events,
      to_json(w.statuses) AS statuses, to_json(w.channel_ids) AS channel_ids, w.concurrency,
      (${mayBeTold(sql)}) AND f.disabled_at IS NULL AS is_served,
      NOT w.is_active OR f.disabled_at IS NOT NULL AS is_off, f.last_sequence, f.next_due_at, f.failures,
      f.failing_since, f.paused_until, EXISTS (SELECT FROM webhook_orders o
        WHERE o.organization_id = w.organization_id AND o.webhook_id = w.id) AS has_orders,
      (SELECT json_agg(json_build_object('clear', s.clear, 'sealed', s.sealed)) FROM (
        SELECT w.secret AS clear, w.sealed_secret AS sealed
        UNION ALL SELECT w.previous_secret, w.sealed_previous_secret WHERE w.previous_secret_until > now()
      ) s WHERE num_nonnulls(s.clear, s.sealed) = 1) AS secrets
    FROM webhook w JOIN follower f ON f.organization_id = w.organization_id AND f.webhook_id = w.id`;
}

/**
 * Ends what is pending for a webhook that is switched off or disabled, such as what was written beside that; ordered
 * deliveries are made all the same. Its plan has all partitions, so it runs only where it may be needed.
 */
function endingOf(sql: Sql, { organizationId, webhookId }: EndpointKey, lease: string): Fragment {
  return sql`
    WITH off AS (
      UPDATE webhook_followers f SET next_due_at = NULL
      WHERE f.organization_id = ${organizationId} AND f.webhook_id = ${webhookId} AND f.lease = ${lease}
        AND ${endReasonOf(sql)} IS NOT NULL
      RETURNING f.webhook_id, ${endReasonOf(sql)} AS reason
    )
    UPDATE webhook_deliveries d SET ${endedValues(sql, sql`off.reason`)}
    FROM off WHERE d.organization_id = ${organizationId} AND d.webhook_id = off.webhook_id AND d.state = 'pending'
      AND NOT EXISTS (SELECT FROM webhook_orders o
        WHERE o.organization_id = d.organization_id AND o.webhook_id = d.webhook_id AND o.delivery_id = d.id)`;
}

function endpointOf(row: LeaseRow, box: SecretBox): LeasedEndpoint {
  const { secrets: stored, isServed, lastSequence, nextDueAt, hasOrders, failures, failingSince, ...rest } = row;
  const { pausedUntil, ...webhook } = rest;
  const place = webhookPlace(webhook.organizationId, webhook.id);
  const secrets = stored.map((each) => openStored(box, each, place));
  return { webhook, secrets, isServed, lastSequence, nextDueAt, hasOrders, failures, failingSince, pausedUntil };
}
