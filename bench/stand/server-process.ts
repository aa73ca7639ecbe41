import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildPrograms, compiledFile, isBuilt } from '../../engine/launcher/build/build-programs.mjs';
import { startChild, waitUntilReady } from '../../engine/launcher/processes/child-process.ts';
import { findFreePort } from '../../engine/launcher/processes/free-port.ts';
import { findStatus } from '../../engine/launcher/processes/http-probe.ts';
import { runAs } from '../../engine/launcher/processes/run-as.ts';
import type { Releaser } from '../../engine/runtime/lifecycle.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { TemporaryStores } from './temporary-stores.ts';

export interface ServerPlan {
  /** Unique in the run: names the process, its database and its Redis keys. */
  readonly name: string;
  readonly program: URL;
  /** Answers 200 on GET when it is ready. */
  readonly readyPath: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** The gateway as production runs it. */
export const GATEWAY = pathToFileURL(compiledFile('gateway'));

export interface Database {
  readonly name: string;
  readonly url: string;
}

/** A server of its own process, over a database of its own. */
export interface ServerProcess {
  readonly name: string;
  readonly pid: number;
  readonly baseUrl: string;
  readonly database: string;
  /** The end of what it printed. */
  lastLines(): string;
  stop(): Promise<unknown>;
}

const STOP_STEPS = [
  { signal: 'SIGTERM', patienceMs: LIMITS.processStopMs },
  { signal: 'SIGKILL', patienceMs: 5_000 },
] as const;
/** Every server of a bench has this key, and the workers beside it. */
export const SECRETS_KEY = Buffer.alloc(32, 'bench').toString('base64');
const RELEASE_DEADLINE_MS = 20_000;
const HOST = '127.0.0.1';

/** The same over a new database of its own. */
export async function startServer(
  plan: ServerPlan,
  stores: TemporaryStores,
  releaser: Releaser,
  signal: AbortSignal,
): Promise<ServerProcess> {
  const database = await stores.makeDatabase(`bench_${plan.name.replaceAll('-', '_')}`);
  return startServerOver(database, plan, stores, releaser, signal);
}

/** Starts a server as production would, NODE_ENV unset, and resolves when it is ready for requests. */
export async function startServerOver(
  database: Database,
  plan: ServerPlan,
  stores: TemporaryStores,
  releaser: Releaser,
  signal: AbortSignal,
): Promise<ServerProcess> {
  const port = await findFreePort();
  const env = {
    PATH: process.env['PATH'],
    DATABASE_URL: database.url,
    REDIS_URL: stores.redis.url,
    REDIS_PREFIX: plan.name,
    GATEWAY_ID: plan.name,
    HOST,
    PORT: `${port}`,
    ALLOW_INSECURE_HTTP: '1',
    SECRETS_KEY,
    LOG_LEVEL: 'warn',
    ...plan.environment,
  };
  if (!isBuilt()) await buildPrograms();
  // The Procfile's flag for the gateway, given to everyone.
  const args = ['--max-semi-space-size=64', ...loaderOf(plan.program), fileURLToPath(plan.program)];
  const command = { file: process.execPath, args };
  const child = await startChild(plan.name, runAs(command, { deathSignal: 'KILL' }), {
    env,
    ipc: true,
    onLine: () => {},
    stopSteps: STOP_STEPS,
  });
  releaser.push(plan.name, () => child.stop(), RELEASE_DEADLINE_MS);
  const baseUrl = `http://${HOST}:${port}`;
  const isReady = async () => (await findStatus(`${baseUrl}${plan.readyPath}`)) === 200;
  await waitUntilReady(child, isReady, LIMITS.gatewayStartMs, signal);
  const { pid, lastLines } = child;
  return { name: plan.name, pid, baseUrl, database: database.name, lastLines, stop: () => child.stop() };
}

/** Programs of the bench run from their sources. */
function loaderOf({ pathname }: URL): string[] {
  return pathname.endsWith('.ts') ? ['--import', import.meta.resolve('tsx')] : [];
}
