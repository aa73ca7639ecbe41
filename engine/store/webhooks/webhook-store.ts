import { LIMITS } from '../../../schema/limits.ts';
import type { ListWebhooksQuery, Webhook } from '../../../schema/notices/webhook.ts';
import { type Listed, type ListPage, listPart, listPlace, pageOf } from '../list-page.ts';
import { type Fragment, numberArray, type Sql, textArray } from '../postgres.ts';
import { retried } from '../statements.ts';
import { type EndReason, endedValues } from './ended-deliveries.ts';

export interface WebhookDetail {
  readonly webhook: Webhook;
  /** Sequence of the organization's log at which it was true. */
  readonly sequence: number;
}

/** Columns of a webhook `w` with its follower `f`. No secret is ever read here. */
const WEBHOOK = `w.organization_id, w.id, w.version, w.channel_id, w.url, to_json(w.events) AS events,
  to_json(w.statuses) AS statuses, to_json(w.channel_ids) AS channel_ids, w.description, w.concurrency, w.is_active,
  CASE WHEN NOT w.is_active THEN 'inactive' WHEN f.disabled_at >= w.active_since THEN 'disabled' ELSE 'active' END
    AS status,
  CASE WHEN f.disabled_at >= w.active_since THEN f.disabled_reason END AS disabled_reason,
  CASE WHEN f.disabled_at >= w.active_since THEN f.disabled_at END AS disabled_at,
  CASE WHEN f.failing_since >= w.active_since THEN f.failing_since END AS failing_since,
  w.created_at, w.updated_at`;
const WEBHOOKS = `webhooks w
  LEFT JOIN webhook_followers f ON f.organization_id = w.organization_id AND f.webhook_id = w.id`;

/** A page of webhooks, newest first, of one channel or (null) all. They are few: counting them is cheap. */
export async function listWebhooks(
  sql: Sql,
  organizationId: number,
  ownChannelId: number | null,
  { part, status }: ListWebhooksQuery,
): Promise<ListPage<Webhook>> {
  const query = () => sql<Listed<Webhook>[]>`
    WITH matching AS MATERIALIZED (
      SELECT * FROM (
        SELECT ${sql.unsafe(WEBHOOK)} FROM ${sql.unsafe(WEBHOOKS)}
        WHERE w.organization_id = ${organizationId} AND ${belongsTo(sql, ownChannelId)}) m
      WHERE ${status?.length ? sql`m.status = ANY(${textArray(status)}::text[])` : sql`true`})
    SELECT h.last_sequence AS sequence, b.*, (SELECT count(*) FROM matching) AS count,
      ${sql.unsafe(listPlace())}
    FROM organization_heads h LEFT JOIN (
      SELECT * FROM matching w WHERE true ${listPart(sql, part, 'w')}) b ON true
    WHERE h.organization_id = ${organizationId}
    ORDER BY b.created_at DESC, b.id DESC`;
  const rows = await retried(query, LIMITS.readDeadlineMs, 'listing webhooks');
  return pageOf(rows, part, (webhook) => webhook);
}

/** A webhook of the organization, and of the channel unless that is null; undefined when there is none. */
export async function readWebhook(
  sql: Sql,
  organizationId: number,
  ownChannelId: number | null,
  webhookId: number,
): Promise<WebhookDetail | undefined> {
  const query = () => sql<(Webhook & { sequence: number })[]>`
    SELECT h.last_sequence AS sequence, ${sql.unsafe(WEBHOOK)}
    FROM ${sql.unsafe(WEBHOOKS)} JOIN organization_heads h ON h.organization_id = w.organization_id
    WHERE w.organization_id = ${organizationId} AND w.id = ${webhookId} AND ${belongsTo(sql, ownChannelId)}`;
  const [row] = await retried(query, LIMITS.readDeadlineMs, 'reading a webhook');
  if (!row) return undefined;
  const { sequence, ...webhook } = row;
  return { webhook, sequence };
}

/** A webhook `w` belongs to the channel; null permits every one. */
export function belongsTo(sql: Sql, ownChannelId: number | null): Fragment {
  return ownChannelId === null ? sql`true` : sql`w.channel_id = ${ownChannelId}`;
}

/** The first of these ids that is no channel of the organization. */
export async function findMissingChannel(
  sql: Sql,
  organizationId: number,
  channelIds: readonly number[],
): Promise<number | undefined> {
  const [row] = await sql<{ id: number }[]>`
    SELECT asked.id FROM unnest(${numberArray(channelIds)}::bigint[]) WITH ORDINALITY AS asked(id, place)
    WHERE NOT EXISTS (SELECT FROM channels c WHERE c.organization_id = ${organizationId} AND c.id = asked.id)
    ORDER BY asked.place LIMIT 1`;
  return row?.id;
}

/** Draws the id of a webhook. */
export async function drawWebhookId(sql: Sql): Promise<number> {
  const [row] = await sql<{ id: number }[]>`SELECT nextval('webhook_ids') AS id`;
  return row!.id;
}

/**
 * Inserts a webhook, which gets events after the present end of the log. No row when the organization has the maximum;
 * webhooks at one moment may pass it by their number.
 */
export function insertWebhook(sql: Sql, webhook: Webhook, sealedSecret: string): Fragment {
  return sql`
    INSERT INTO webhooks (organization_id, id, version, channel_id, url, events, statuses, channel_ids, description,
      concurrency, sealed_secret, is_active, active_since, start_sequence, created_at, updated_at)
    SELECT h.organization_id, ${webhook.id}::bigint, ${webhook.version}::int, ${webhook.channelId}::bigint,
      ${webhook.url}::text, ${filtersOf(sql, webhook)}, ${webhook.description}::text, ${webhook.concurrency}::int,
      ${sealedSecret}::text, ${webhook.isActive}::boolean, now(), h.last_sequence, ${webhook.createdAt}::timestamptz,
      ${webhook.updatedAt}::timestamptz
    FROM organization_heads h
    WHERE h.organization_id = ${webhook.organizationId}
      AND (SELECT count(*) FROM webhooks w WHERE w.organization_id = ${webhook.organizationId})
        < ${LIMITS.webhooksPerOrganization}
    RETURNING id`;
}

/**
 * Writes a webhook's next version; no row when another version came between. One that starts afresh gets events after
 * the present end of the log, and is no longer disabled by the workers.
 */
export function updateWebhook(sql: Sql, webhook: Webhook, startsAfresh: boolean): Fragment {
  const { organizationId, id } = webhook;
  const afresh = sql`
    active_since = greatest(now(), (SELECT f.disabled_at + interval '1 microsecond' FROM webhook_followers f
      WHERE f.organization_id = ${organizationId} AND f.webhook_id = ${id})),
    start_sequence = (SELECT h.last_sequence FROM organization_heads h WHERE h.organization_id = ${organizationId}),`;
  return sql`
    UPDATE webhooks SET version = ${webhook.version}, url = ${webhook.url},
      (events, statuses, channel_ids) = ROW (${filtersOf(sql, webhook)}), description = ${webhook.description},
      concurrency = ${webhook.concurrency}, is_active = ${webhook.isActive}, ${startsAfresh ? afresh : sql``}
      updated_at = ${webhook.updatedAt}
    WHERE organization_id = ${organizationId} AND id = ${id} AND version = ${webhook.version - 1}
    RETURNING id`;
}

/**
 * Writes a webhook's next version with another secret; the old one signs along until then. Where the one before it still
 * signs until `repeatedFrom` or later, this rotation repeats another: the receiver has that secret, and it stays.
 */
export function replaceSecret(
  sql: Sql,
  { organizationId, id, version, updatedAt }: Webhook,
  {
    sealedSecret,
    previousUntil,
    repeatedFrom,
  }: { readonly sealedSecret: string; readonly previousUntil: string; readonly repeatedFrom: string },
): Fragment {
  const isRepeated = sql`previous_secret_until >= ${repeatedFrom}::timestamptz`;
  return sql`
    UPDATE webhooks SET version = ${version},
      previous_secret = CASE WHEN ${isRepeated} THEN previous_secret ELSE secret END,
      sealed_previous_secret = CASE WHEN ${isRepeated} THEN sealed_previous_secret ELSE sealed_secret END,
      previous_secret_until = CASE WHEN ${isRepeated} THEN previous_secret_until ELSE ${previousUntil}::timestamptz END,
      secret = NULL, sealed_secret = ${sealedSecret}, updated_at = ${updatedAt}
    WHERE organization_id = ${organizationId} AND id = ${id} AND version = ${version - 1}
    RETURNING id`;
}

export function deleteWebhook(sql: Sql, { organizationId, id, version }: Webhook): Fragment {
  return sql`
    DELETE FROM webhooks WHERE organization_id = ${organizationId} AND id = ${id} AND version = ${version} RETURNING id`;
}

/**
 * Deletes the belongings of a webhook in `changed`: its orders, and its follower, so that the holder of the lease
 * writes nothing more. An order that comes between stays, and no worker carries it out.
 */
export function deleteBelongings(sql: Sql, { organizationId, id }: Webhook): readonly Fragment[] {
  const isDeleted = sql`EXISTS (SELECT FROM changed)`;
  return [
    sql`DELETE FROM webhook_followers WHERE organization_id = ${organizationId} AND webhook_id = ${id} AND ${isDeleted}`,
    sql`DELETE FROM webhook_orders WHERE organization_id = ${organizationId} AND webhook_id = ${id} AND ${isDeleted}`,
  ];
}

/**
 * Makes a webhook in `changed` that has another address fresh: its failures count no more, and pending deliveries are
 * due at once. No attempt that is under way to the old address is written, since nobody holds the lease: it is made again.
 */
export function moveBelongings(sql: Sql, { organizationId, id }: Webhook): readonly Fragment[] {
  return [
    sql`
      UPDATE webhook_followers SET lease = NULL, leased_until = NULL, failures = 0, failing_since = NULL,
        paused_until = NULL, next_due_at = now()
      WHERE organization_id = ${organizationId} AND webhook_id = ${id} AND EXISTS (SELECT FROM changed)
      RETURNING webhook_id`,
    sql`
      UPDATE webhook_deliveries d SET next_attempt_at = now()
      FROM also_0 WHERE d.organization_id = ${organizationId} AND ${isPendingOfFirst(sql)}`,
  ];
}

/**
 * Ends what is pending for a webhook in `changed`: one that is switched on later begins at the end of the log. For one
 * that is on now nobody holds the lease: no attempt from before is written, which may go to an old address.
 */
export function endBelongings(
  sql: Sql,
  { organizationId, id, isActive }: Webhook,
  reason: EndReason,
): readonly Fragment[] {
  const unheld = sql`lease = NULL, leased_until = NULL,`;
  return [
    sql`
      UPDATE webhook_followers SET ${isActive ? unheld : sql``} next_due_at = NULL
      WHERE organization_id = ${organizationId} AND webhook_id = ${id} AND EXISTS (SELECT FROM changed)
      RETURNING webhook_id`,
    sql`
      UPDATE webhook_deliveries d SET ${endedValues(sql, sql`${reason}::text`)}
      FROM also_0 WHERE d.organization_id = ${organizationId} AND ${isPendingOfFirst(sql)}`,
  ];
}

/** A delivery `d` of the follower in `also_0`, which is locked first, as the workers do it: neither waits for the other. */
function isPendingOfFirst(sql: Sql): Fragment {
  return sql`d.webhook_id = also_0.webhook_id AND d.state = 'pending'`;
}

/** Values for `events`, `statuses` and `channel_ids`. */
function filtersOf(sql: Sql, { events, statuses, channelIds }: Webhook): Fragment {
  return sql`${textArray(events)}::text[], ${statuses && textArray(statuses)}::text[],
    ${channelIds && numberArray(channelIds)}::bigint[]`;
}
