import { LIMITS } from '../../../schema/limits.ts';
import type { Sql } from '../postgres.ts';
import { once } from '../statements.ts';
import type { Consumer } from './relay-store.ts';

/** The events of all organizations that a consumer of the logs has not seen. */
export interface RelayLag {
  readonly consumer: Consumer;
  readonly events: number;
  /** The age of the oldest of them, of as many organizations as are looked at. */
  readonly seconds: number;
}

/** Measures how far each consumer is behind the heads. */
export async function readRelayLag(sql: Sql): Promise<RelayLag[]> {
  const query = sql<RelayLag[]>`
    WITH behind AS MATERIALIZED (
      SELECT c.consumer, h.organization_id, coalesce(p.last_sequence, 0) + 1 AS next, h.last_at,
        h.last_sequence - coalesce(p.last_sequence, 0) AS events
      FROM organization_heads h CROSS JOIN (VALUES ('activity'), ('notices')) c(consumer)
        LEFT JOIN relay_positions p ON p.organization_id = h.organization_id AND p.consumer = c.consumer
      WHERE h.last_sequence > coalesce(p.last_sequence, 0)
    ), oldest AS (
      SELECT b.consumer, extract(epoch FROM now() - coalesce(e.at, b.last_at))::float8 AS seconds
      FROM (SELECT * FROM behind ORDER BY last_at LIMIT ${LIMITS.backlogOrganizations}) b LEFT JOIN LATERAL (
        SELECT e.at FROM events e WHERE e.organization_id = b.organization_id AND e.sequence = b.next LIMIT 1) e ON true)
    SELECT c.consumer, coalesce((SELECT sum(events) FROM behind b WHERE b.consumer = c.consumer), 0)::float8 AS events,
      coalesce((SELECT max(greatest(seconds, 0)) FROM oldest o WHERE o.consumer = c.consumer), 0) AS seconds
    FROM (VALUES ('activity'), ('notices')) c(consumer)`;
  return [...(await once(query, 'measuring the lag of the relays'))];
}
