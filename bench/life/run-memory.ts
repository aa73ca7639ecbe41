import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Releaser } from '../../engine/runtime/lifecycle.ts';
import { makeOrganization } from '../../engine/store/accounts/organization-store.ts';
import { connectPostgres } from '../../engine/store/postgres.ts';
import { verdictLines } from '../report/print-report.ts';
import { say } from '../report/say.ts';
import { type Database, type ServerProcess, startServerOver } from '../stand/server-process.ts';
import { startTemporaryStores, type TemporaryStores } from '../stand/temporary-stores.ts';
import { parseLifeOptions } from './life-options.ts';
import { openTasks } from './open-tasks.ts';
import { WEIGHED, type Weight, weighServer } from './weigh-server.ts';

/** Source: the project's performance goals. */
const MOST_BYTES = { task: 2.5 * 1_024, organization: 16 };
/** Commits, listings and caches of a minute come to rest. */
const REST_MS = 8_000;
const SEED_STATEMENT_MS = 60_000;

/** `npm run bench -- memory`: prints bytes of heap per open task and per unused organization. */
export async function runMemory(args: readonly string[], releaser: Releaser, signal: AbortSignal): Promise<number> {
  const { tasks, organizations } = parseLifeOptions(args);
  const stores = await startTemporaryStores(releaser, signal);
  const database = await stores.makeDatabase('bench_memory');

  const empty = await weigh(database, stores, releaser, signal, async () => {});
  const full = await weigh(database, stores, releaser, signal, ({ baseUrl }) =>
    openTasks(baseUrl, stores.demo.apiKey, tasks),
  );
  const crowd = await stores.makeDatabase('bench_crowd');
  await seedOrganizations(crowd.url, organizations);
  const crowded = await weigh(crowd, stores, releaser, signal, async () => {});

  const perTask = (full.heap - empty.heap) / tasks;
  const perOrganization = (crowded.heap - empty.heap) / organizations;
  const buffers = (full.external - empty.external) / tasks;
  say(
    `heap of a gateway: ${show(empty.heap)} MiB with one organization, ${show(full.heap)} with ${tasks} open tasks more,`,
  );
  say(
    `${show(crowded.heap)} with ${organizations} unused organizations; outside the heap ${buffers.toFixed(0)} bytes per task`,
    '',
  );
  const verdicts = [
    {
      claim: `at most ${MOST_BYTES.task} bytes of heap per open task`,
      measured: `${perTask.toFixed(0)} bytes`,
      met: perTask <= MOST_BYTES.task,
    },
    {
      claim: `an unused organization costs nothing (below ${MOST_BYTES.organization} bytes of heap)`,
      measured: `${perOrganization.toFixed(1)} bytes`,
      met: perOrganization < MOST_BYTES.organization,
    },
  ];
  say(...verdictLines(verdicts));
  return 0;
}

async function weigh(
  database: Database,
  stores: TemporaryStores,
  releaser: Releaser,
  signal: AbortSignal,
  use: (server: ServerProcess) => Promise<void>,
): Promise<Weight> {
  const file = join(stores.directory, 'weight');
  const plan = { name: database.name, program: WEIGHED, readyPath: '/readyz', environment: { WEIGHT_FILE: file } };
  const server = await startServerOver(database, plan, stores, releaser, signal);
  await use(server);
  await delay(REST_MS, undefined, { signal });
  const weight = await weighServer(server.pid, file);
  await server.stop();
  return weight;
}

async function seedOrganizations(url: string, organizations: number): Promise<void> {
  const sql = connectPostgres(url, { name: 'seed', connections: 1, statementTimeoutMs: SEED_STATEMENT_MS });
  try {
    for (let number = 1; number <= organizations; number++) await makeOrganization(sql, { name: `Unused ${number}` });
  } finally {
    await sql.end({ timeout: 5 });
  }
}

function show(bytes: number): string {
  return (bytes / 1_048_576).toFixed(1);
}
