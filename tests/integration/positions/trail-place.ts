import { TrailBuffer } from '../../../engine/positions/trail-buffer.ts';
import { type Scheduler, systemClock, systemScheduler } from '../../../engine/runtime/clock.ts';
import { createReleaser } from '../../../engine/runtime/lifecycle.ts';
import { createLog } from '../../../engine/runtime/log.ts';
import { ensurePartitions } from '../../../engine/store/cluster/platform-store.ts';
import { createTrailStore } from '../../../engine/store/positions/trail-store.ts';
import { connectPostgres, type Sql } from '../../../engine/store/postgres.ts';
import type { Point } from '../../../schema/fleet/position.ts';
import { seedAgent, seedOrganization } from '../../support/seeds/seed.ts';
import { createMigratedDatabase } from '../../support/stores.ts';
import { until } from '../../support/until.ts';

/** The name of the connection that writes trails. */
export const TRAIL = 'dispatch trail';

interface BufferOptions {
  /** Leads to the database by another way. */
  readonly url?: string;
  readonly patience?: Parameters<typeof createTrailStore>[1];
  /** Instead of LIMITS.trailFlushMs. */
  readonly flushMs?: number;
}

/** A database with an organization and an agent, whose trails buffers write. */
export interface TrailPlace {
  readonly sql: Sql;
  readonly databaseUrl: string;
  readonly organizationId: number;
  readonly agentId: number;
  /** One more agent. */
  agent(): Promise<number>;
  /** A buffer that is stopped with the place. */
  buffer(options?: BufferOptions): TrailBuffer;
  stop(): Promise<void>;
}

/** `serverUrl`: of a migrated database on a server of the test's own. */
export async function openTrailPlace(serverUrl?: string): Promise<TrailPlace> {
  const releaser = createReleaser(() => {});
  const database = serverUrl ? { url: serverUrl, drop: async () => {} } : await createMigratedDatabase();
  releaser.push('database', () => database.drop());
  const sql = connectPostgres(database.url, { name: 'test', connections: 2, statementTimeoutMs: 60_000 });
  releaser.push('sql', () => sql.end({ timeout: 5 }));
  await ensurePartitions(sql);
  const { organizationId } = await seedOrganization(database.url);
  const agent = async () => (await seedAgent(database.url, organizationId)).agentId;
  return {
    sql,
    databaseUrl: database.url,
    organizationId,
    agentId: await agent(),
    agent,
    buffer({ url = database.url, patience, flushMs } = {}) {
      const store = createTrailStore(url, patience);
      const log = createLog('test', process.env['TEST_LOG_LEVEL'] ?? 'silent');
      const every: Scheduler['every'] = (ms, task) => systemScheduler.every(flushMs ?? ms, task);
      const buffer = new TrailBuffer({ store, clock: systemClock, scheduler: { ...systemScheduler, every }, log });
      releaser.push('trail', () => buffer.stop());
      return buffer;
    },
    stop: () => releaser.stop(),
  };
}

export function pointAt(recordedAtMs: number, parts: Partial<Point> = {}): Point {
  const unsaid = { accuracy: Number.NaN, speed: Number.NaN, heading: Number.NaN };
  return { latitude: 1, longitude: 2, recordedAtMs, ...unsaid, altitude: Number.NaN, battery: Number.NaN, ...parts };
}

/** Resolves when nothing waits in the buffer any more. */
export function untilWritten(buffer: TrailBuffer): Promise<void> {
  return until('all points are written', () => buffer.buffered === 0);
}

/** How many different points of an agent there are. */
export async function countPoints(sql: Sql, organizationId: number): Promise<number> {
  const [row] = await sql<{ points: number }[]>`
    SELECT count(DISTINCT (agent_id, recorded_at)) AS points FROM agent_trail WHERE organization_id = ${organizationId}`;
  return row!.points;
}
