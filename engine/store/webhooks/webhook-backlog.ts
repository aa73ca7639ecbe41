import { LIMITS } from '../../../schema/limits.ts';
import type { Sql } from '../postgres.ts';
import { once } from '../statements.ts';
import { followerOf, hearsNews } from './follower-store.ts';

/** The work that waits for webhooks. */
export interface WebhookBacklog {
  /** Webhooks that are served, and webhooks that the workers have disabled. */
  readonly active: number;
  readonly disabled: number;
  /** Deliveries that wait for another attempt. */
  readonly pendingDeliveries: number;
  /** Events of the logs that served webhooks have not passed, unwanted ones included. */
  readonly waitingEvents: number;
  /** The age of the oldest delivery or event that waits, of as many webhooks as are looked at; 0 when none waits. */
  readonly oldestSeconds: number;
}

/** Measures what waits for the webhooks of all organizations. */
export async function readWebhookBacklog(sql: Sql): Promise<WebhookBacklog> {
  const query = sql<WebhookBacklog[]>`
    WITH followed AS MATERIALIZED (
      SELECT w.organization_id, greatest(w.start_sequence, coalesce(f.last_sequence, 0)) AS place, h.last_sequence,
        h.last_at, ${hearsNews(sql)} AS is_served, w.is_active AND f.disabled_at >= w.active_since AS is_disabled
      FROM webhooks w JOIN organization_heads h ON h.organization_id = w.organization_id LEFT JOIN ${followerOf(sql)}
    ), behind AS (
      SELECT organization_id, place, last_at FROM followed WHERE is_served AND last_sequence > place
      ORDER BY last_at LIMIT ${LIMITS.backlogOrganizations}
    ), pending AS (
      SELECT count(*) AS count, min(created_at) AS oldest FROM webhook_deliveries WHERE state = 'pending')
    SELECT (SELECT count(*) FROM followed WHERE is_served) AS active,
      (SELECT count(*) FROM followed WHERE is_disabled) AS disabled,
      (SELECT count FROM pending) AS pending_deliveries,
      (SELECT coalesce(sum(last_sequence - place), 0)::float8 FROM followed WHERE is_served) AS waiting_events,
      coalesce(extract(epoch FROM now() - least((SELECT oldest FROM pending), (
        SELECT min(coalesce(e.at, b.last_at)) FROM behind b LEFT JOIN LATERAL (
          SELECT e.at FROM events e
          WHERE e.organization_id = b.organization_id AND e.sequence = b.place + 1 LIMIT 1) e ON true)))::float8, 0)
        AS oldest_seconds`;
  const [row] = await once(query, 'measuring the backlog of webhooks');
  return row!;
}
