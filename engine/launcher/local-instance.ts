import { join, resolve } from 'node:path';
import { readConfig } from '../runtime/config.ts';
import { createReleaser, type Releaser } from '../runtime/lifecycle.ts';
import { readServiceAccount } from '../runtime/outbound/service-account.ts';
import { refuseUnusable } from '../store/unusable-database.ts';
import { findDemoFacts, writeDemoFacts } from './demo-facts.ts';
import type { DemoOrganization } from './demo-organization.ts';
import type { Greeted } from './greeting.ts';
import { startFleet, startGateway, startWorkers } from './local-processes.ts';
import { baseUrlOf } from './own-address.ts';
import type { Command } from './processes/child-process.ts';
import { lockDataDir } from './processes/data-dir-lock.ts';
import { assertPortFree, findFreePort, settledPort } from './processes/free-port.ts';
import { findStatus } from './processes/http-probe.ts';
import type { MergedLog } from './processes/merged-log.ts';
import { createSupervisor, type KeepRunning } from './processes/supervisor.ts';
import { keepSecretsKey, SECRETS_KEY_FILE } from './secrets-key.ts';
import { writeStoreFacts } from './store-facts.ts';
import { openLocalStores } from './stores/local-stores.ts';

type Environment = Record<string, string | undefined>;

/** The parts that the launcher combines without knowing their making. */
export interface LocalParts {
  readonly gateway: Command;
  readonly workers: Command;
  /** A simulated fleet on the demo organization. */
  readonly fleet: Command;
  migrate(
    databaseUrl: string,
    options: { readonly onWait: (message: string) => void; readonly signal: AbortSignal },
  ): Promise<unknown>;
  /** Gives the event logs another history. */
  renewHistory(databaseUrl: string): Promise<string>;
  /** Makes what is missing of the demo organization, and a new key, which cannot be read back later. */
  ensureDemoOrganization(databaseUrl: string, place: { baseUrl: string }): Promise<DemoOrganization>;
}

interface LocalInstanceOptions {
  readonly environment: Environment;
  readonly withFleet: boolean;
  /** The data is a copy of before: see renewHistory of platform-store. */
  readonly renewsHistory: boolean;
  readonly parts: LocalParts;
  readonly log: MergedLog;
  /** A process cannot be kept running; the owner is expected to stop the instance. */
  readonly onGivenUp: (message: string) => void;
}

interface LocalInstance {
  /** Resolves when everything is ready. Rejects when something cannot be had; `stop` is due then too. */
  start(): Promise<Greeted>;
  /** Stops everything in the reverse of the order it was started in; may be called at any time. */
  stop(): Promise<void>;
  /** Ends every process at once, without asking. */
  kill(): void;
}

/** Longer than any sequence of stop steps, so that those decide. */
const RELEASE_DEADLINE_MS = 25_000;

/** One of each process on this machine, with stores of its own where none are given (docs/contract.md §8). */
export function createLocalInstance(options: LocalInstanceOptions): LocalInstance {
  const { environment, withFleet, renewsHistory, parts, log, onGivenUp } = options;
  const releaser = createReleaser((name, error) => log.say(`${name} did not stop well: ${(error as Error).message}`));
  const kills: (() => void)[] = [];

  const keepRunning: KeepRunning = async (name, open) => {
    const supervisor = createSupervisor({ name, open, say: log.say, onGivenUp });
    releaser.push(name, supervisor.stop, RELEASE_DEADLINE_MS);
    kills.push(supervisor.kill);
    return supervisor.start();
  };

  async function start(): Promise<Greeted> {
    const given = localEnvironment(environment);
    const config = readConfig(given);
    // The workers would say so, too, when everything else runs.
    if (config.fcm) readServiceAccount(config.fcm.serviceAccount);
    const dataDir = resolve(config.dataDir);
    const lock = await lockDataDir(dataDir);
    releaser.push('DATA_DIR lock', lock.release);
    const { host } = config;
    const port = config.port || (await findFreePort(host));
    await assertPortFree(port, host);
    const metricsPort = await settledPort('WORKERS_METRICS_HOST, WORKERS_METRICS_PORT', config.workersMetrics);

    log.say(`starting on ${host}:${port}, data in ${dataDir}`);
    const secretsKey = given['SECRETS_KEY'] || keepSecretsKey(join(dataDir, SECRETS_KEY_FILE));
    readConfig({ SECRETS_KEY: secretsKey });
    const { databaseUrl, redisUrl } = await openLocalStores(config, dataDir, log, keepRunning);
    await migrate(databaseUrl, parts, releaser, log);
    if (renewsHistory) log.say(`the history of the event logs is ${await parts.renewHistory(databaseUrl)} from now on`);
    writeStoreFacts(join(dataDir, 'stores.json'), { databaseUrl, redisUrl, redisPrefix: config.redisPrefix });

    const baseUrl = baseUrlOf(config, port);
    const factsFile = join(dataDir, 'demo.json');
    const makeFacts = async () => {
      const made = await parts.ensureDemoOrganization(databaseUrl, { baseUrl }).catch(refuseUnusable);
      writeDemoFacts(factsFile, made);
      return made;
    };
    const known = findDemoFacts(factsFile);
    if (known) writeDemoFacts(factsFile, { ...known, baseUrl });
    const facts = known ? { ...known, baseUrl } : await makeFacts();

    const stores = { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, SECRETS_KEY: secretsKey };
    const workersMetrics = `http://${config.workersMetrics.host}:${metricsPort}/metrics`;
    const ports = { PORT: `${port}`, WORKERS_METRICS_PORT: `${metricsPort}` };
    const env = { ...given, ...stores, ...ports, DATA_DIR: dataDir };
    const gateway = { command: parts.gateway, env, log, baseUrl, host, port };
    await keepRunning('gateway', (signal) => startGateway(gateway, signal));
    await keepRunning('workers', () => startWorkers({ command: parts.workers, env, log }));
    const isKnown = await isAccepted(facts);
    if (!isKnown) log.say(`the key in ${factsFile} is no longer valid: making a new one`);
    const shown = isKnown ? facts : await makeFacts();
    if (withFleet) await keepRunning('fleet', () => startFleet({ command: parts.fleet, env, log }));
    const ownDataDir = config.dataDir === readConfig({}).dataDir ? undefined : dataDir;
    return { facts: shown, factsFile, workersMetrics, dataDir: ownDataDir, hasFleet: withFleet };
  }

  return {
    start,
    stop: releaser.stop,
    kill() {
      for (const kill of kills) kill();
    },
  };
}

/** A stop ends it: in a database that is given, Postgres would go on. */
async function migrate(databaseUrl: string, parts: LocalParts, releaser: Releaser, log: MergedLog): Promise<void> {
  const ending = new AbortController();
  let migrating: Promise<unknown> = Promise.resolve();
  releaser.push('migration', () => {
    ending.abort();
    return migrating.catch(() => {});
  });
  migrating = parts.migrate(databaseUrl, { onWait: (message) => log.say(message), signal: ending.signal });
  await migrating.catch(refuseUnusable);
}

/** The settings of a local process, unless the operator has set others. */
function localEnvironment(environment: Environment): Environment {
  const isSecured = environment['TLS_CERT_FILE'] || environment['TRUSTED_PROXIES'];
  // An empty setting is an unset one: it leaves these values in place.
  const given = Object.fromEntries(Object.entries(environment).filter(([, text]) => text));
  return {
    GATEWAY_ID: 'local',
    WEBHOOK_ALLOW_PRIVATE: '1',
    ...(isSecured ? {} : { ALLOW_INSECURE_HTTP: '1' }),
    ...given,
  };
}

/** demo.json may be older than the database, or its key replaced since: what is shown must work. */
async function isAccepted({ baseUrl, apiKey }: DemoOrganization): Promise<boolean> {
  return (await findStatus(`${baseUrl}/api/v1/tasks?limit=1`, { 'x-api-key': apiKey })) !== 401;
}
