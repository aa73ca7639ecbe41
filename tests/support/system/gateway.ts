import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Engine } from '../../../engine/org/start-engine.ts';
import { readConfig } from '../../../engine/runtime/config.ts';
import { createReleaser } from '../../../engine/runtime/lifecycle.ts';
import { createLog } from '../../../engine/runtime/log.ts';
import { type GatewayOptions, startGateway } from '../../../gateway/start-gateway.ts';
import { compiledProgram } from '../runner/run-environment.ts';
import { SECRETS } from '../secrets.ts';
import { type OrganizationSeed, type SeededOrganization, seedOrganization } from '../seeds/seed.ts';
import { createMigratedDatabase, randomName, testRedis } from '../stores.ts';

/**
 * The stores of a gateway and an organization in them. They outlive the gateway, so that another one can continue
 * there.
 */
export interface TestPlace extends SeededOrganization {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly redisPrefix: string;
  readonly gatewayId: string;
  drop(): Promise<void>;
}

export interface TestGatewayOptions {
  /** The place to run at; by default one of its own, which goes when the gateway stops. */
  readonly place?: TestPlace;
  /** Options of the organization of its own place. */
  readonly organization?: OrganizationSeed;
  /** Settings by the names of their environment variables. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Runs the compiled gateway in a process that ends with the test's. */
  readonly process?: boolean;
  /** See EngineOptions; not for a process of its own. */
  readonly wrapCommitStore?: GatewayOptions['wrapCommitStore'];
}

export interface TestGateway extends SeededOrganization {
  /** `http://127.0.0.1:<port>`, without `/api/v1`. */
  readonly baseUrl: string;
  readonly databaseUrl: string;
  readonly place: TestPlace;
  /** The process id of a gateway in a process of its own. */
  readonly pid: number | undefined;
  /** The lines that it logged so far. */
  readonly logLines: readonly string[];
  /** Sends commands that no route sends, as the workers do. Only for a gateway in this process. */
  readonly ask: Engine['ask'];
  /** Stops it in order, and drops its place when that is its own. */
  stop(): Promise<void>;
  /** Sends kill -9. Only for a gateway in a process of its own; its place stays until `stop`. */
  kill(): Promise<void>;
}

/** A database, a Redis prefix and an organization, without a gateway yet. */
export async function createTestPlace(organization: OrganizationSeed = {}): Promise<TestPlace> {
  const database = await createMigratedDatabase();
  const redis = testRedis();
  const seeded = await seedOrganization(database.url, organization);
  return {
    ...seeded,
    databaseUrl: database.url,
    redisUrl: redis.url,
    redisPrefix: redis.prefix,
    gatewayId: randomName('gateway'),
    drop: () => database.drop(),
  };
}

/** Starts a real gateway on a free port. A second one at the same place takes over at once: it has the same id. */
export async function startTestGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const place = options.place ?? (await createTestPlace(options.organization));
  const environment = {
    DATABASE_URL: place.databaseUrl,
    REDIS_URL: place.redisUrl,
    REDIS_PREFIX: place.redisPrefix,
    GATEWAY_ID: place.gatewayId,
    PORT: '0',
    ALLOW_INSECURE_HTTP: '1',
    ...SECRETS,
    // Longer than the default: a busy test machine may stand still for seconds.
    LEASE_MS: '10000',
    ...options.environment,
  };
  try {
    const running = options.process ? await startProcess(environment) : await startInProcess(environment, options);
    const { organizationId, channelId, userId, key, databaseUrl } = place;
    const { port, pid, logLines, ask, kill } = running;
    return {
      baseUrl: `http://127.0.0.1:${port}`,
      organizationId,
      channelId,
      userId,
      key,
      databaseUrl,
      place,
      pid,
      logLines,
      ask,
      kill,
      async stop() {
        await running.stop();
        if (!options.place) await place.drop();
      },
    };
  } catch (error) {
    if (!options.place) await place.drop();
    throw error;
  }
}

interface Running {
  readonly port: number;
  readonly pid: number | undefined;
  readonly logLines: readonly string[];
  readonly ask: Engine['ask'];
  stop(): Promise<void>;
  kill(): Promise<void>;
}

async function startInProcess(environment: Record<string, string>, options: TestGatewayOptions): Promise<Running> {
  const failures: string[] = [];
  const releaser = createReleaser((name, error) => failures.push(`${name}: ${String(error)}`));
  const { wrapCommitStore } = options;
  try {
    const { port, engine } = await startGateway({
      config: readConfig(environment),
      log: createLog('gateway', environment['LOG_LEVEL'] ?? 'silent'),
      releaser,
      ...(wrapCommitStore ? { wrapCommitStore } : {}),
    });
    return {
      port,
      pid: undefined,
      logLines: [],
      ask: (organizationId, command) => engine.ask(organizationId, command),
      stop: () => releaser.stop(),
      kill: () =>
        Promise.reject(new Error('only a gateway in a process of its own can be killed: pass {process: true}')),
    };
  } catch (error) {
    await releaser.stop();
    throw error;
  }
}

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const START_MS = 60_000;
const STOP_MS = 30_000;

async function startProcess(environment: Record<string, string>): Promise<Running> {
  const { args, env } = compiledProgram('gateway');
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...env, ...environment },
    // The IPC channel ends with this process, and the gateway with it.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const exited = once(child, 'exit').then(() => {});
  const logLines: string[] = [];
  try {
    const port = await portOf(child, exited, logLines);
    return {
      port,
      pid: child.pid,
      logLines,
      ask: () => Promise.reject(new Error('only a gateway in this process can be asked: leave {process: true} out')),
      stop: () => stopProcess(child, exited),
      kill: () => end(child, exited, 'SIGKILL'),
    };
  } catch (error) {
    await end(child, exited, 'SIGKILL');
    throw error;
  }
}

/** Reads the port that it logs once it listens. */
async function portOf(child: ChildProcess, exited: Promise<void>, logLines: string[]): Promise<number> {
  const late = new AbortController();
  const listening = new Promise<number>((resolve) => {
    for (const stream of [child.stdout!, child.stderr!]) {
      createInterface(stream).on('line', (line) => {
        logLines.push(line);
        const found = /"port":(\d+),"msg":"listening"/.exec(line);
        if (found) resolve(Number(found[1]));
      });
    }
  });
  const words = () => logLines.join('\n');
  const fail = (why: string) => () => Promise.reject(new Error(`the gateway ${why}:\n${words()}`));
  try {
    const tooLate = delay(START_MS, undefined, { signal: late.signal }).then(fail('did not listen in time'));
    return await Promise.race([listening, exited.then(fail('ended before it listened')), tooLate]);
  } finally {
    late.abort();
  }
}

async function stopProcess(child: ChildProcess, exited: Promise<void>): Promise<void> {
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await end(child, exited, 'SIGTERM');
  clearTimeout(timer);
}

async function end(child: ChildProcess, exited: Promise<void>, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) child.kill(signal);
  await exited;
}
