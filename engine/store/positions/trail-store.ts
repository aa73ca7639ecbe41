import { pipeline } from 'node:stream/promises';
import type { TrailPoint } from '../../../schema/fleet/trail.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { DeadlineError, withDeadline } from '../../runtime/deadline.ts';
import { connectPostgres, numberArray, type Sql } from '../postgres.ts';
import { retried } from '../statements.ts';

/** Postgres refused these rows, and would refuse them again; nothing was written. */
export class TrailRefusedError extends Error {}

/** Writes trails, on a connection of its own. */
export interface TrailStore {
  /**
   * Resolves when the rows of a COPY (see TrailRows) are durable. Rejects with TrailRefusedError, or with another error
   * after which they may or may not be there. One call at a time.
   */
  copy(rows: Uint8Array): Promise<void>;
  /** Lists the deleted ones of these organizations. */
  findDeleted(organizationIds: Iterable<number>): Promise<ReadonlySet<number>>;
  stop(): Promise<void>;
}

/** How long a COPY may take: on the server's side, and on ours with connecting. */
interface TrailPatience {
  readonly statementTimeoutMs: number;
  readonly deadlineMs: number;
}

const PATIENCE: TrailPatience = { statementTimeoutMs: LIMITS.trailStatementMs, deadlineMs: LIMITS.trailDeadlineMs };

export function createTrailStore(
  url: string,
  { statementTimeoutMs, deadlineMs }: TrailPatience = PATIENCE,
): TrailStore {
  let sql: Sql | undefined;

  function connection(): Sql {
    sql ??= connectPostgres(url, {
      name: 'dispatch trail',
      connections: LIMITS.trailConnections,
      statementTimeoutMs,
    });
    return sql;
  }

  async function discard(): Promise<void> {
    const old = sql;
    sql = undefined;
    await old?.end({ timeout: 0 });
  }

  async function bounded<T>(work: Promise<T>, what: string): Promise<T> {
    try {
      return await withDeadline(work, deadlineMs, what);
    } catch (error) {
      // The silent connection may still carry bytes, but nothing waits behind it.
      if (error instanceof DeadlineError) void discard().catch(() => {});
      throw error;
    }
  }

  return {
    async copy(rows) {
      try {
        await bounded(copyInto(connection(), rows), 'writing the trail');
      } catch (error) {
        throw isRefusal(error) ? new TrailRefusedError((error as Error).message, { cause: error }) : error;
      }
    },
    async findDeleted(organizationIds) {
      const query = connection()<{ organizationId: number }[]>`
        SELECT organization_id FROM deleted_organizations
        WHERE organization_id = ANY (${numberArray(organizationIds)}::bigint[])`;
      const found = await bounded(query.execute(), 'looking for deleted organizations');
      return new Set(found.map((row) => row.organizationId));
    },
    stop: discard,
  };
}

/** The columns are in the order in which TrailRows puts them down. */
async function copyInto(sql: Sql, rows: Uint8Array): Promise<void> {
  const stream = await sql`
    COPY agent_trail (organization_id, agent_id, recorded_at, received_at, latitude, longitude, accuracy, speed,
      heading, altitude, battery) FROM STDIN (FORMAT binary)`.writable();
  await pipeline(slicesOf(rows), stream);
}

/** The client copies its input before it sends it: other work gets its turn in between. */
function* slicesOf(rows: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < rows.length; at += LIMITS.trailSliceBytes) yield rows.subarray(at, at + LIMITS.trailSliceBytes);
}

/** SQLSTATE classes of faults of the rows. */
function isRefusal(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^2[23]\w{3}$/.test(code);
}

/** A stretch of an agent's trail. Moments are ISO times. */
export interface TrailSpan {
  readonly from: string;
  /** Not in it. */
  readonly to: string;
}

export interface TrailPage {
  /** Oldest first. */
  readonly items: readonly TrailPoint[];
  /** Whether there are more behind them. */
  readonly hasMore: boolean;
}

/** The row of an agent without points. */
interface NoPoint {
  readonly recordedAt: null;
}

/**
 * A page of an agent's trail: of each whole second the point that was recorded first, the least latitude, longitude and
 * so on breaking ties, for any order of arrival and any repetition. `after`: the last point of the page before. It
 * costs as much as it shows, because the index has the points in order. Undefined for an agent that the organization
 * does not have.
 */
export async function readTrail(
  sql: Sql,
  organizationId: number,
  agentId: number,
  page: TrailSpan & { readonly after?: string | undefined; readonly limit: number },
): Promise<TrailPage | undefined> {
  const { from, to, after = null, limit } = page;
  // A point before the span may be the one of its first second.
  const query = () => sql<(TrailPoint | NoPoint)[]>`
    SELECT t.* FROM agents a LEFT JOIN LATERAL (
      SELECT recorded_at, latitude, longitude, accuracy, speed, heading, altitude, battery
      FROM (
        SELECT p.*, lag(date_trunc('second', recorded_at)) OVER earlier AS earlier_second
        FROM agent_trail p
        WHERE organization_id = ${organizationId} AND agent_id = ${agentId} AND recorded_at < ${to}::timestamptz
          AND recorded_at >= greatest(date_trunc('second', ${from}::timestamptz),
            date_trunc('second', ${after}::timestamptz) + interval '1 second')
        WINDOW earlier AS (ORDER BY recorded_at, latitude, longitude, accuracy, speed, heading, altitude, battery)) p
      WHERE earlier_second IS DISTINCT FROM date_trunc('second', recorded_at) AND recorded_at >= ${from}::timestamptz
      ORDER BY recorded_at LIMIT ${limit + 1}) t ON true
    WHERE a.organization_id = ${organizationId} AND a.id = ${agentId}
    ORDER BY t.recorded_at`;
  const rows = await retried(query, LIMITS.readDeadlineMs, 'reading a trail');
  if (rows.length === 0) return undefined;
  const items = rows.filter((row): row is TrailPoint => row.recordedAt !== null);
  return { items: items.slice(0, limit), hasMore: items.length > limit };
}

/** How many points the whole of a span has. Costs about half a microsecond for each row: one agent has 2.7 million at most. */
export async function countTrail(
  sql: Sql,
  organizationId: number,
  agentId: number,
  { from, to }: TrailSpan,
): Promise<number> {
  const query = () => sql<{ points: number }[]>`
    SELECT count(*) AS points FROM (
      SELECT recorded_at, lag(date_trunc('second', recorded_at)) OVER (ORDER BY recorded_at) AS earlier_second
      FROM agent_trail
      WHERE organization_id = ${organizationId} AND agent_id = ${agentId} AND recorded_at < ${to}::timestamptz
        AND recorded_at >= date_trunc('second', ${from}::timestamptz)) p
    WHERE earlier_second IS DISTINCT FROM date_trunc('second', recorded_at) AND recorded_at >= ${from}::timestamptz`;
  const [row] = await retried(query, LIMITS.readDeadlineMs, 'counting a trail');
  return row!.points;
}
