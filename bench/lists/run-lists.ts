import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Releaser } from '../../engine/runtime/lifecycle.ts';
import { connectPostgres } from '../../engine/store/postgres.ts';
import { anyNumber, readOptions, wholeNumber } from '../command-line.ts';
import { watchCpu } from '../measure/process-cpu.ts';
import { say } from '../report/say.ts';
import { formatTable } from '../report/table.ts';
import { type SeededTasks, seedTasks } from '../seed/seed-tasks.ts';
import { GATEWAY, type ServerProcess, startServer } from '../stand/server-process.ts';
import { startTemporaryStores } from '../stand/temporary-stores.ts';
import { percentile } from '../statistics.ts';
import { ListClient } from './list-client.ts';
import { aloneTable, askAlone, askMix, CONNECTIONS, mixTable, slowestFirstPage } from './list-load.ts';
import { NEW_FILTERS } from './list-mix.ts';

/**
 * `npm run bench -- lists`: one organization with a million tasks on stores of its own, and the time of its lists.
 * Prints the mix, the times and the verdicts. Exits 1 when an answer is wrong.
 */

const USAGE = `Usage: npm run bench -- lists [options]

  --tasks 1000000   tasks in the organization
  --seconds 20      length of the measured window of the mix, after --warm-up
  --warm-up 10      seconds of the same load before it
  --alone 3         seconds for each kind of list by itself, after a second of the same load`;

const MOST_TASKS = 10_000_000;
const LEAST_SECONDS = 0.1;
const MOST_SECONDS = 3_600;
const TARGET = { p99Ms: 15, firstCountMs: 1_000, exportMiB: 100 };
const SEED_STATEMENT_MS = 600_000;
const MIB = 1_048_576;

interface Options {
  readonly tasks: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
  readonly aloneSeconds: number;
}

export async function runLists(args: readonly string[], releaser: Releaser, signal: AbortSignal): Promise<number> {
  const { tasks, seconds, warmUpSeconds, aloneSeconds } = parseOptions(args);
  say('starting Postgres, Redis and a gateway');
  const stores = await startTemporaryStores(releaser, signal);
  const server = await startServer({ name: 'lists', program: GATEWAY, readyPath: '/readyz' }, stores, releaser, signal);
  const url = new URL(stores.postgres.url);
  url.pathname = `/${server.database}`;
  const seeded = await seed(url.href, tasks);
  const client = new ListClient(server.baseUrl, seeded.apiKey, CONNECTIONS);
  releaser.push('list client', () => client.close());

  const problems: string[] = [];
  const firstCounts = await measureFirstCounts(client, seeded);
  await askMix(client, seeded, warmUpSeconds, signal);
  const watch = () => watchCpu({ gateway: [server.pid], postgres: { tree: stores.postgres.pid } });
  const cpu = watch();
  const times = await askMix(client, seeded, seconds, signal);
  say(mixTable(times, cpu.read()), loadLine(), '');
  const alone = await askAlone(client, seeded, aloneSeconds, watch, signal);
  say(aloneTable(alone), loadLine(), '');
  const far = await readFarPage(client, tasks, problems);
  const exported = await measureExport(client, server, tasks, problems);

  const p99 = percentile(Float64Array.from([...times.values()].flat()).sort(), 0.99);
  const slowest = slowestFirstPage(alone);
  say(
    '',
    verdict(`pages of 20, ${CONNECTIONS} connections, p99 at most ${TARGET.p99Ms} ms`, p99 <= TARGET.p99Ms, ms(p99)),
    verdict(
      `first pages of one kind alone, ${CONNECTIONS} connections, p99 at most ${TARGET.p99Ms} ms`,
      slowest.p99Ms <= TARGET.p99Ms,
      `${ms(slowest.p99Ms)} (${slowest.name})`,
    ),
    verdict(
      `a new filter's first count within ${TARGET.firstCountMs} ms`,
      firstCounts <= TARGET.firstCountMs,
      `${firstCounts.toFixed(0)} ms`,
    ),
    verdict(
      `an export's rise of memory below ${TARGET.exportMiB} MiB`,
      exported < TARGET.exportMiB,
      `${exported.toFixed(0)} MiB`,
    ),
  );
  say(`far page: ${far.toFixed(0)} ms`, ...problems.map((problem) => `WRONG  ${problem}`), loadLine());
  return problems.length > 0 ? 1 : 0;
}

function verdict(claim: string, isMet: boolean, measured: string): string {
  return `${isMet ? 'PASS' : 'FAIL'}  ${claim}: ${measured}`;
}

function ms(time: number): string {
  return `${time.toFixed(1)} ms`;
}

async function seed(databaseUrl: string, tasks: number): Promise<SeededTasks> {
  const startedAt = performance.now();
  const sql = connectPostgres(databaseUrl, { name: 'seed', connections: 1, statementTimeoutMs: SEED_STATEMENT_MS });
  try {
    const seeded = await seedTasks(sql, tasks, () => {});
    say(`seeded ${tasks} tasks in ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`, '');
    return seeded;
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** The slowest of the first requests of each new filter, one after another. */
async function measureFirstCounts(client: ListClient, seeded: SeededTasks): Promise<number> {
  const rows: string[][] = [];
  let slowest = 0;
  for (const { name, query } of NEW_FILTERS) {
    const first = await client.list(query(seeded));
    const second = await client.list(query(seeded));
    slowest = Math.max(slowest, first.ms);
    rows.push([name, '', `${first.count}`, first.ms.toFixed(1), second.ms.toFixed(1)]);
  }
  say(formatTable(['new filter', '', 'count', 'first ms', 'second ms'], rows), loadLine(), '');
  return slowest;
}

async function readFarPage(client: ListClient, tasks: number, problems: string[]): Promise<number> {
  const page = Math.floor(tasks / 20);
  const { ms, items, count } = await client.list(`page=${page}&limit=20`);
  if (items !== 20 || count !== tasks) problems.push(`page ${page} has ${items} items and counts ${count}`);
  return ms;
}

/** How many MiB the gateway grew by. */
async function measureExport(
  client: ListClient,
  { pid, lastLines }: ServerProcess,
  tasks: number,
  problems: string[],
): Promise<number> {
  const before = residentMiB(pid) ?? 0;
  let highest = before;
  let isRunning = true;
  const watching = (async () => {
    while (isRunning) {
      highest = Math.max(highest, residentMiB(pid) ?? 0);
      await delay(50);
    }
  })();
  const { ms, lines, bytes } = await client
    .export()
    .catch((error: unknown) => {
      throw new Error(`the export broke off; the gateway printed last:\n${lastLines()}`, { cause: error });
    })
    .finally(() => {
      isRunning = false;
    });
  await watching;
  if (lines !== tasks) problems.push(`the export has ${lines} lines, there are ${tasks} tasks`);
  const size = (bytes / MIB).toFixed(0);
  say(
    `export: ${lines} tasks, ${size} MiB in ${(ms / 1_000).toFixed(1)} s; gateway ${before.toFixed(0)} → ${highest.toFixed(0)} MiB`,
    loadLine(),
  );
  return highest - before;
}

/** Undefined when the process has ended. */
function residentMiB(pid: number): number | undefined {
  try {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kilobytes) / 1_024;
  } catch {
    return undefined;
  }
}

function parseOptions(args: readonly string[]): Options {
  const { values } = readOptions(args, USAGE, {
    tasks: wholeNumber(1_000_000, MOST_TASKS),
    seconds: anyNumber(20, LEAST_SECONDS, MOST_SECONDS),
    'warm-up': anyNumber(10, LEAST_SECONDS, MOST_SECONDS),
    alone: anyNumber(3, LEAST_SECONDS, MOST_SECONDS),
  });
  const { tasks, seconds, alone } = values;
  return { tasks, seconds, warmUpSeconds: values['warm-up'], aloneSeconds: alone };
}

function loadLine(): string {
  return `load average ${loadavg()[0]!.toFixed(2)} (one minute)`;
}
