import { LIMITS } from '../../../schema/limits.ts';
import type { Sql } from '../postgres.ts';
import { once } from '../statements.ts';

/** The consumers of the logs, each at a position of its own. */
export type Consumer = 'activity' | 'notices';

/** Part of all organizations, in the order of their ids. */
export interface LagPage {
  /** Organizations with events that the consumer has not seen. */
  readonly lagging: readonly number[];
  /** The start of the next page; undefined when this was the last one. */
  readonly next: number | undefined;
}

/** The result of counting the events after a position. */
export interface CountedPage {
  /** The position before. */
  readonly after: number;
  readonly counted: number;
  /** Events that retention dropped before they were counted; the position has passed them. */
  readonly lost: number;
  /** True when events are missing from the middle of the log, which has no explanation; the position stays. */
  readonly hasHole: boolean;
}

/** Positions in the logs, and the counts that are kept with them. */
export interface RelayStore {
  /** Compares the organizations after an id with the consumer's positions, `limit` of them. */
  findLagging(consumer: Consumer, after: number, limit: number): Promise<LagPage>;
  /**
   * Counts the organization's next events, at most LIMITS.activityPageEvents, into `daily_activity`; undefined when the
   * organization is gone. Each event is counted once, however many processes count at the same time.
   */
  countActivity(organizationId: number): Promise<CountedPage | undefined>;
}

export function createRelayStore(sql: Sql): RelayStore {
  return {
    findLagging: (consumer, after, limit) => findLagging(sql, consumer, after, limit),
    async countActivity(organizationId) {
      const counted = await countPage(sql, organizationId);
      if (counted) return counted;
      await insertPosition(sql, organizationId);
      return countPage(sql, organizationId);
    },
  };
}

async function findLagging(sql: Sql, consumer: Consumer, after: number, limit: number): Promise<LagPage> {
  const query = sql<{ lagging: number[]; last: number | null; compared: number }[]>`
    WITH page AS (
      SELECT organization_id, last_sequence FROM organization_heads
      WHERE organization_id > ${after} ORDER BY organization_id LIMIT ${limit})
    SELECT max(page.organization_id) AS last, count(*) AS compared,
      coalesce(json_agg(page.organization_id) FILTER (WHERE page.last_sequence > coalesce(p.last_sequence, 0)), '[]')
        AS lagging
    FROM page LEFT JOIN relay_positions p
      ON p.organization_id = page.organization_id AND p.consumer = ${consumer}`;
  const [row] = await once(query, 'comparing positions with the heads');
  const { lagging, last, compared } = row!;
  return { lagging, next: compared === limit ? last! : undefined };
}

/**
 * One statement, and so one transaction: locks the position, reads the page behind it, adds it up, moves the position.
 *
 * A second run waits for the lock and then sees the new position, but events only as of its own beginning: it counts
 * fewer than there are, never one twice. An organization's times never go back, so that retention drops a prefix of
 * its log: only when nothing older is left may the count go on behind a gap.
 */
async function countPage(sql: Sql, organizationId: number): Promise<CountedPage | undefined> {
  const query = sql<CountedPage[]>`
    WITH place AS MATERIALIZED (
      SELECT last_sequence FROM relay_positions
      WHERE organization_id = ${organizationId} AND consumer = 'activity' FOR UPDATE
    ), found AS MATERIALIZED (
      SELECT e.*, row_number() OVER (ORDER BY e.sequence) AS nth
      FROM place CROSS JOIN LATERAL (
        SELECT sequence, at, type FROM events
        WHERE organization_id = ${organizationId} AND sequence > place.last_sequence
        ORDER BY sequence LIMIT ${LIMITS.activityPageEvents}) e
    ), gap AS (
      SELECT place.last_sequence AS after, greatest(0, coalesce(
        (SELECT min(sequence) - 1 FROM found),
        (SELECT last_sequence FROM organization_heads WHERE organization_id = ${organizationId})
      ) - place.last_sequence) AS missing
      FROM place
    ), start AS MATERIALIZED (
      SELECT after, missing, missing > 0 AND EXISTS (
        SELECT FROM events WHERE organization_id = ${organizationId} AND sequence <= gap.after) AS has_hole
      FROM gap
    ), taken AS MATERIALIZED (
      SELECT found.sequence, found.at, found.type FROM found CROSS JOIN start
      WHERE NOT has_hole AND found.sequence = after + missing + nth
    ), counted AS (
      INSERT INTO daily_activity (organization_id, day, type, count)
        SELECT ${organizationId}::bigint, (at AT TIME ZONE 'UTC')::date, type, count(*) FROM taken GROUP BY 2, 3
      ON CONFLICT (organization_id, day, type) DO UPDATE SET count = daily_activity.count + excluded.count
    ), moved AS (
      UPDATE relay_positions p SET last_sequence = target.sequence
      FROM (
        SELECT after, coalesce((SELECT max(sequence) FROM taken), after + missing) AS sequence FROM start
        WHERE NOT has_hole) target
      WHERE p.organization_id = ${organizationId} AND p.consumer = 'activity' AND target.sequence > target.after
    )
    SELECT after, (SELECT count(*) FROM taken) AS counted, CASE WHEN has_hole THEN 0 ELSE missing END AS lost, has_hole
    FROM start`;
  const [row] = await once(query, 'counting events');
  return row;
}

async function insertPosition(sql: Sql, organizationId: number): Promise<void> {
  const query = sql`
    INSERT INTO relay_positions (organization_id, consumer, last_sequence)
      SELECT organization_id, 'activity', 0 FROM organization_heads WHERE organization_id = ${organizationId}
    ON CONFLICT (organization_id, consumer) DO NOTHING`;
  await once(query, 'starting to follow a log');
}
