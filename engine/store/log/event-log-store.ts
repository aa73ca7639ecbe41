import type { LoggedEvent } from '../../../schema/events.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { numberArray, type Sql, textArray } from '../postgres.ts';
import { retried } from '../statements.ts';

export interface LogPage {
  readonly events: readonly LoggedEvent[];
  /** Sequence of the newest committed event of the organization, even if it is not in the page. */
  readonly lastSequence: number;
  /** The least sequence from `after` on, behind which every event is kept: above `after` when those right after it are not. */
  readonly keptAfter: number;
}

/** The committed event log. */
export interface LogStore {
  /**
   * Reads events after a sequence, oldest first. `types` narrows the events, not the check for a gap; `window` bounds
   * how many events are searched.
   */
  readAfter(
    organizationId: number,
    after: number,
    limit: number,
    types?: readonly string[],
    window?: number,
  ): Promise<LogPage>;
  /** Newest sequence of each organization. */
  lastSequences(organizationIds: readonly number[]): Promise<ReadonlyMap<number, number>>;
}

export function createLogStore(sql: Sql): LogStore {
  return {
    async readAfter(organizationId, after, limit, types, window) {
      const ofTypes = types ? sql`AND e.type = ANY(${textArray(types)}::text[])` : sql``;
      const within = window === undefined ? sql`` : sql`AND e.sequence <= ${after + window}`;
      // One statement, so that page, head and oldest event are of one snapshot.
      const query = () => sql<(LoggedEvent & { lastSequence: number; nextSequence: number | null })[]>`
        SELECT e.organization_id, e.sequence, e.type, e.at, e.body, h.last_sequence,
          (SELECT f.sequence FROM events f WHERE f.organization_id = ${organizationId} AND f.sequence > ${after}
            ORDER BY f.sequence LIMIT 1) AS next_sequence
        FROM organization_heads h LEFT JOIN LATERAL (
          SELECT * FROM events e WHERE e.organization_id = ${organizationId} AND e.sequence > ${after} ${within} ${ofTypes}
          ORDER BY e.sequence LIMIT ${limit}) e ON true
        WHERE h.organization_id = ${organizationId}`;
      const rows = await retried(query, LIMITS.readDeadlineMs, 'reading the log');
      const head = rows[0];
      if (!head) return { events: [], lastSequence: 0, keptAfter: after };
      const { lastSequence, nextSequence } = head;
      return {
        events: head.sequence === null ? [] : rows.map(({ lastSequence: _l, nextSequence: _n, ...event }) => event),
        lastSequence,
        keptAfter: Math.max(after, nextSequence === null ? lastSequence : nextSequence - 1),
      };
    },
    async lastSequences(organizationIds) {
      const query = () => sql<{ organizationId: number; lastSequence: number }[]>`
        SELECT organization_id, last_sequence FROM organization_heads
        WHERE organization_id = ANY(${numberArray(organizationIds)}::bigint[])`;
      const rows = await retried(query, LIMITS.readDeadlineMs, 'comparing heads');
      return new Map(rows.map((row) => [row.organizationId, row.lastSequence]));
    },
  };
}
