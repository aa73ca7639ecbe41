import { LIMITS } from '../../../schema/limits.ts';
import type { Delivery, ListDeliveriesQuery } from '../../../schema/notices/webhook.ts';
import type { Fragment, Sql } from '../postgres.ts';
import { retried } from '../statements.ts';
import { belongsTo } from './webhook-store.ts';

export interface DeliveryPage {
  /** Newest first. */
  readonly items: readonly Delivery[];
  /** Whether there are more behind them. */
  readonly hasMore: boolean;
  /** Sequence of the organization's log at which the page was true. */
  readonly sequence: number;
}

export interface DeliveryDetail {
  readonly delivery: Delivery;
  /** Sequence of the organization's log at which it was true. */
  readonly sequence: number;
}

/** Columns of a delivery `d`; `attempts` are JSON. */
const DELIVERY =
  'd.id, d.webhook_id, d.event_id, d.type, d.sequence, d.state, d.attempt, d.attempts, d.next_attempt_at, d.created_at';

/** The content of a delivery `d`: its own, or that of its event as long as it is kept. */
function bodyOf(sql: Sql, organizationId: number): Fragment {
  return sql`coalesce(d.body, (
    SELECT e.body FROM events e WHERE e.organization_id = ${organizationId} AND e.sequence = d.sequence LIMIT 1)) AS body`;
}

/**
 * A page of a webhook's deliveries, sent or waiting. Undefined when the organization, or the channel unless that is
 * null, has no such webhook.
 */
export async function listDeliveries(
  sql: Sql,
  organizationId: number,
  ownChannelId: number | null,
  webhookId: number,
  { state, type, part: { before, limit } }: ListDeliveriesQuery,
): Promise<DeliveryPage | undefined> {
  // Spelled out: the index of unsuccessful deliveries serves the few among the many.
  const ofState = state
    ? sql`AND d.state = ${state} ${state === 'succeeded' ? sql`` : sql`AND d.state <> 'succeeded'`}`
    : sql``;
  const query = () => sql<({ sequenceNow: number } & (Delivery | { id: null }))[]>`
    SELECT h.last_sequence AS sequence_now, w.url, ${sql.unsafe(DELIVERY)}, ${bodyOf(sql, organizationId)}
    FROM webhooks w JOIN organization_heads h ON h.organization_id = w.organization_id LEFT JOIN LATERAL (
      SELECT * FROM webhook_deliveries d
      WHERE d.organization_id = ${organizationId} AND d.webhook_id = ${webhookId} ${ofState}
        ${type ? sql`AND d.type = ${type}` : sql``} ${before ? sql`AND d.id < ${before}` : sql``}
      ORDER BY d.id DESC LIMIT ${limit + 1}) d ON true
    WHERE w.organization_id = ${organizationId} AND w.id = ${webhookId} AND ${belongsTo(sql, ownChannelId)}
    ORDER BY d.id DESC`;
  const rows = await retried(query, LIMITS.readDeadlineMs, 'listing deliveries');
  if (rows.length === 0) return undefined;
  const items = rows.flatMap((row) => (row.id === null ? [] : [row]));
  return { items: items.slice(0, limit), hasMore: items.length > limit, sequence: rows[0]!.sequenceNow };
}

/** A delivery of an existing webhook; undefined when there is none, or it is not the channel's. */
export async function readDelivery(
  sql: Sql,
  organizationId: number,
  ownChannelId: number | null,
  deliveryId: number,
): Promise<DeliveryDetail | undefined> {
  const query = () => sql<(Delivery & { sequenceNow: number })[]>`
    SELECT h.last_sequence AS sequence_now, w.url, ${sql.unsafe(DELIVERY)}, ${bodyOf(sql, organizationId)}
    FROM webhook_deliveries d
      JOIN webhooks w ON w.organization_id = d.organization_id AND w.id = d.webhook_id
      JOIN organization_heads h ON h.organization_id = d.organization_id
    WHERE d.organization_id = ${organizationId} AND d.id = ${deliveryId} AND ${belongsTo(sql, ownChannelId)}`;
  const [row] = await retried(query, LIMITS.readDeadlineMs, 'reading a delivery');
  if (!row) return undefined;
  const { sequenceNow: sequence, ...delivery } = row;
  return { delivery, sequence };
}
