import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { startLocalRedis } from '../../../engine/launcher/stores/local-redis.ts';
import { systemScheduler } from '../../../engine/runtime/clock.ts';
import { readConfig } from '../../../engine/runtime/config.ts';
import { createReleaser } from '../../../engine/runtime/lifecycle.ts';
import { createLog } from '../../../engine/runtime/log.ts';
import { connectPostgres, type Sql, textArray } from '../../../engine/store/postgres.ts';
import { startWorkers } from '../../../workers/start-workers.ts';
import { compiledProgram } from '../../support/runner/run-environment.ts';
import { SECRETS } from '../../support/secrets.ts';
import { seedOrganization } from '../../support/seeds/seed.ts';
import { createMigratedDatabase, testRedis } from '../../support/stores.ts';
import { until } from '../../support/until.ts';

/** Stores for workers, with organizations whose logs tests write themselves. */
export interface WorkersPlace {
  readonly sql: Sql;
  readonly organizationIds: readonly number[];
  readonly environment: Readonly<Record<string, string>>;
  /** Commits events as an owner would: the head and the log in one transaction. */
  commit(organizationId: number, events: number): Promise<void>;
  /** Resolves when every position has reached its head. */
  untilCounted(): Promise<void>;
  drop(): Promise<void>;
}

const TYPES = ['task.created', 'task.status_changed', 'task.delayed'];

/** `redisUrl`: a server of its own, where the shared one will not do. */
export async function createWorkersPlace(organizations: number, redisUrl?: string): Promise<WorkersPlace> {
  const database = await createMigratedDatabase();
  const { url, prefix } = testRedis();
  const organizationIds: number[] = [];
  for (let i = 0; i < organizations; i++) organizationIds.push((await seedOrganization(database.url)).organizationId);
  const sql = connectPostgres(database.url, { name: 'test', connections: 4, statementTimeoutMs: 30_000 });
  return {
    sql,
    organizationIds,
    environment: { ...SECRETS, DATABASE_URL: database.url, REDIS_URL: redisUrl ?? url, REDIS_PREFIX: prefix },
    async commit(organizationId, events) {
      await sql`
        WITH head AS (
          UPDATE organization_heads SET last_sequence = last_sequence + ${events}
          WHERE organization_id = ${organizationId} RETURNING last_sequence)
        INSERT INTO events (organization_id, sequence, at, type, epoch, body)
          SELECT ${organizationId}, sequence, now() - interval '1 day' * (sequence % 2),
            (${textArray(TYPES)}::text[])[1 + sequence % 3], 1, '{}'
          FROM head, generate_series(last_sequence - ${events} + 1, last_sequence) AS sequence`;
    },
    untilCounted: () =>
      until('no organization is behind', async () => {
        const [row] = await sql<{ behind: number }[]>`
          SELECT count(*) AS behind FROM organization_heads h
          LEFT JOIN relay_positions p ON p.organization_id = h.organization_id AND p.consumer = 'activity'
          WHERE h.last_sequence > coalesce(p.last_sequence, 0)`;
        return row!.behind === 0;
      }),
    async drop() {
      await sql.end({ timeout: 5 });
      await database.drop();
    },
  };
}

/** The counted numbers, and those of the log itself. */
export async function countedAndLogged(sql: Sql) {
  const counted = await sql`
    SELECT organization_id, day, type, count FROM daily_activity ORDER BY organization_id, day, type`;
  const logged = await sql`
    SELECT organization_id, (at AT TIME ZONE 'UTC')::date AS day, type, count(*) AS count FROM events
    GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`;
  return { counted: [...counted], logged: [...logged] };
}

/** A Redis that nobody else uses, for tests that empty or misconfigure it. */
export async function startOwnRedis() {
  const directory = mkdtempSync(join(tmpdir(), 'dispatch-redis-'));
  const server = await startLocalRedis({ directory, persistence: 'none' });
  return {
    url: server.url,
    async stop() {
      await server.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Workers in this process, which start sooner: for tests that neither kill them nor read their log. */
export async function startWorkersHere(
  { environment }: Pick<WorkersPlace, 'environment'>,
  scheduler = systemScheduler,
): Promise<{ stop(): Promise<void> }> {
  const failures: unknown[] = [];
  const releaser = createReleaser((_name, error) => failures.push(error));
  await startWorkers({ config: readConfig(environment), log: createLog('workers', 'silent'), releaser, scheduler });
  return {
    async stop() {
      await releaser.stop();
      assert.deepEqual(failures, []);
    },
  };
}

export interface WorkersProcess {
  readonly pid: number;
  readonly logLines: readonly string[];
  stop(): Promise<number | null>;
  kill(): Promise<void>;
  /** Resolves when it has ended by itself. */
  readonly ended: Promise<unknown>;
}

/** Where it serves its metrics, when its WORKERS_METRICS_PORT is 0. */
export function metricsPortOf({ logLines }: WorkersProcess): number {
  const ports = logLines.map((line) => /"port":(\d+).*metrics of the workers/.exec(line)?.[1]);
  return Number(ports.find((port) => port !== undefined));
}

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** The compiled workers; resolves when they are ready. */
export async function startWorkersProcess(environment: Readonly<Record<string, string>>): Promise<WorkersProcess> {
  const { args, env } = compiledProgram('workers');
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...env, ...SECRETS, ...environment },
    // As the launcher has it: some kernels share the CPU by sessions first.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const logLines: string[] = [];
  await Promise.race([readiness(child, logLines), exited]);
  if (child.exitCode !== null) throw new Error(`the workers ended:\n${logLines.join('\n')}`);
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    return (await exited)[0];
  };
  return {
    pid: child.pid!,
    logLines,
    stop: () => end('SIGTERM'),
    kill: async () => void (await end('SIGKILL')),
    ended: exited,
  };
}

function readiness(child: ChildProcess, logLines: string[]): Promise<void> {
  return new Promise((resolve) => {
    for (const stream of [child.stdout!, child.stderr!]) {
      createInterface(stream).on('line', (line) => {
        logLines.push(line);
        if (line.includes('workers ready')) resolve();
      });
    }
  });
}
