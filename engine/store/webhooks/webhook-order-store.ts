import { LIMITS } from '../../../schema/limits.ts';
import type { Fragment, Sql } from '../postgres.ts';

/** The deliveries that callers order beside the log. */
export type WebhookOrder =
  | { readonly kind: 'test'; readonly deliveryId: number; readonly eventId: string; readonly body: string }
  | { readonly kind: 'redelivery'; readonly deliveryId: number }
  | { readonly kind: 'replay'; readonly afterSequence: number; readonly lastSequence: number };

/** The common fields of every kind of order. */
interface OrderRow {
  readonly deliveryId: number | null;
  readonly afterSequence: number | null;
  readonly lastSequence: number | null;
  readonly eventId: string | null;
  readonly body: string | null;
}

const BLANK: OrderRow = { deliveryId: null, afterSequence: null, lastSequence: null, eventId: null, body: null };

/** Draws the id of a delivery. */
export async function drawDeliveryId(sql: Sql): Promise<number> {
  const [row] = await sql<{ id: number }[]>`SELECT nextval('webhook_delivery_ids') AS id`;
  return row!.id;
}

/**
 * Orders a delivery of a webhook. No row when there is no such webhook, or the maximum of its orders waits; orders at
 * one moment may pass it by their number.
 */
export function insertOrder(
  sql: Sql,
  {
    organizationId,
    webhookId,
    now,
  }: { readonly organizationId: number; readonly webhookId: number; readonly now: string },
  { kind, ...of }: WebhookOrder,
): Fragment {
  const row: OrderRow = { ...BLANK, ...of };
  return sql`
    INSERT INTO webhook_orders (organization_id, webhook_id, id, kind, delivery_id, after_sequence, last_sequence,
      event_id, body, created_at)
    SELECT w.organization_id, w.id, nextval('webhook_order_ids'), ${kind}::text, ${row.deliveryId}::bigint,
      ${row.afterSequence}::bigint, ${row.lastSequence}::bigint, ${row.eventId}::text, ${row.body}::text,
      ${now}::timestamptz
    FROM webhooks w
    WHERE w.organization_id = ${organizationId} AND w.id = ${webhookId}
      AND (SELECT count(*) FROM webhook_orders o WHERE o.organization_id = ${organizationId}
        AND o.webhook_id = ${webhookId}) < ${LIMITS.webhookOrders}
    RETURNING id`;
}

/** The events of a stretch of time: those after `after` up to `last`; none when they are the same. */
export interface LogSpan {
  readonly after: number;
  readonly last: number;
  /** None of the possible events are left. */
  readonly isExpired: boolean;
}

/**
 * Finds the events of a stretch of time, both ends included. An organization's events have times in the order of their
 * sequences, without gaps: halving finds an end in some twenty steps, however long the log is.
 */
export async function findLogSpan(
  sql: Sql,
  organizationId: number,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<LogSpan> {
  const [row] = await sql<LogSpan[]>`
    WITH RECURSIVE log AS MATERIALIZED (
      SELECT h.last_sequence, h.last_at, coalesce(
        (SELECT min(e.sequence) FROM events e WHERE e.organization_id = ${organizationId}), h.last_sequence + 1) AS oldest
      FROM organization_heads h WHERE h.organization_id = ${organizationId}),
    -- The first event that is not before the moment is one of low to high, which stands for the one to come.
    search (side, moment, low, high) AS (
      SELECT s.side, s.moment, log.oldest, log.last_sequence + 1 FROM log, (VALUES
        ('from', ${from}::timestamptz), ('to', ${to}::timestamptz + interval '1 microsecond')) s(side, moment)
      UNION ALL
      SELECT s.side, s.moment, CASE WHEN e.at < s.moment THEN e.sequence + 1 ELSE s.low END,
        CASE WHEN e.at < s.moment THEN s.high ELSE e.sequence END
      FROM search s CROSS JOIN LATERAL (
        SELECT e.sequence, e.at FROM events e
        WHERE e.organization_id = ${organizationId} AND e.sequence = (s.low + s.high) / 2 LIMIT 1) e
      WHERE s.low < s.high)
    SELECT a.low - 1 AS after, z.low - 1 AS last,
      z.low = log.oldest AND log.oldest > 1 AND ${from}::timestamptz <= log.last_at AS is_expired
    FROM log
      JOIN search a ON a.side = 'from' AND a.low = a.high
      JOIN search z ON z.side = 'to' AND z.low = z.high`;
  if (!row) throw new Error(`the log of organization ${organizationId} has a gap`);
  return row;
}
