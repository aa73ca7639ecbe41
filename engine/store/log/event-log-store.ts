import type { LoggedEvent } from '../../../schema/events.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { numberArray, type Sql, textArray } from '../postgres.ts';
import { retried } from '../statements.ts';

export interface LogPage {
  readonly events: readonly LoggedEvent[];
  /** The page ends early, with LIMITS.logReadBytes: events that it could hold by their number follow in the next one. */
  readonly isCut: boolean;
  /** Sequence of the newest committed event of the organization, even if it is not in the page. */
  readonly lastSequence: number;
  /** The least sequence from `after` on, behind which every event is kept: above `after` when those right after it are not. */
  readonly keptAfter: number;
}

/** The committed event log. */
export interface LogStore {
  /**
   * Reads events after a sequence, oldest first: as many as `limit`, or as LIMITS.logReadBytes hold, and at least one.
   * `types` narrows the events, not the check for a gap; `window` bounds how many events are searched.
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

/** Facts that every row of a page repeats. */
interface PageFacts {
  readonly lastSequence: number;
  /** The first event after the asked sequence. */
  readonly nextSequence: number | null;
  /** Events that the page could hold by their number; null when there are none. */
  readonly found: number | null;
}

export function createLogStore(sql: Sql): LogStore {
  return {
    async readAfter(organizationId, after, limit, types, window) {
      const ofTypes = types ? sql`AND e.type = ANY(${textArray(types)}::text[])` : sql``;
      const within = window === undefined ? sql`` : sql`AND e.sequence <= ${after + window}`;
      // One statement, so that page, head and oldest event are of one snapshot. Sizes are known without the bodies.
      const query = () => sql<(LoggedEvent & PageFacts)[]>`
        SELECT e.organization_id, e.sequence, e.type, e.at, e.body, h.last_sequence, e.found,
          (SELECT f.sequence FROM events f WHERE f.organization_id = ${organizationId} AND f.sequence > ${after}
            ORDER BY f.sequence LIMIT 1) AS next_sequence
        FROM organization_heads h LEFT JOIN LATERAL (
          SELECT * FROM (
            SELECT e.*, count(*) OVER () AS found,
              sum(octet_length(e.body)) OVER (ORDER BY e.sequence) - octet_length(e.body) AS bytes_before
            FROM (SELECT * FROM events e
              WHERE e.organization_id = ${organizationId} AND e.sequence > ${after} ${within} ${ofTypes}
              ORDER BY e.sequence LIMIT ${limit}) e) e
          WHERE e.bytes_before < ${LIMITS.logReadBytes} ORDER BY e.sequence) e ON true
        WHERE h.organization_id = ${organizationId}`;
      const rows = await retried(query, LIMITS.readDeadlineMs, 'reading the log');
      const head = rows[0];
      if (!head) return { events: [], isCut: false, lastSequence: 0, keptAfter: after };
      const { lastSequence, nextSequence, found } = head;
      return {
        events: found === null ? [] : rows.map(({ lastSequence: _l, nextSequence: _n, found: _f, ...event }) => event),
        isCut: found !== null && rows.length < found,
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
