import { get } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Releaser } from '../../engine/runtime/lifecycle.ts';
import { connectPostgres } from '../../engine/store/postgres.ts';
import { openStand, type Stand } from '../compare/open-stand.ts';
import { ApiClient } from '../replay/api-client.ts';
import { conditionLines, verdictLines } from '../report/print-report.ts';
import { say } from '../report/say.ts';
import { seedAgents } from '../seed/seed-agents.ts';
import { GATEWAY, type ServerProcess, startServer } from '../stand/server-process.ts';
import { spreadOf } from '../statistics.ts';
import { giveTasks } from './give-tasks.ts';
import { cpuLine, disturbanceLines, judgeLocations, runLine, summaryTable } from './judge-locations.ts';
import { type LocationOptions, parseLocationOptions } from './location-options.ts';
import {
  type LocationBench,
  type LocationRun,
  type LocationServer,
  measureLocations,
  type ServerName,
  voidReasonsOf,
} from './measure-locations.ts';

const PROGRAMS: Readonly<Record<ServerName, URL>> = {
  ours: GATEWAY,
  'parse-only': new URL('../parse-only.ts', import.meta.url),
};
/** Tasks that are read in turn. */
const TASKS = 200;
const SEED_MS = 60_000;
const LEAST_ROUNDS = 3;
/** A second of load begins and ends amid a second of the clock. */
const LEAST_TRAIL = 0.9;
/** Longer than the trail is gathered, and longer than a COPY takes. */
const TRAIL_MS = 3_000;
const LEAST_SECONDS = 10;

/** `npm run bench -- locations`. Resolves to the exit code: 1 when a run is void, 0 otherwise, targets met or not. */
export async function runLocations(args: readonly string[], releaser: Releaser, signal: AbortSignal): Promise<number> {
  const options = parseLocationOptions(args);
  say('starting Postgres, Redis and two gateways');
  const stand = await openStand(releaser, signal);
  const { apiKey, organizationId } = stand.stores.demo;
  const agentIds = await seed(stand, organizationId, options.agents);
  const servers: LocationServer[] = [];
  for (const name of ['ours', 'parse-only'] as const) {
    const plan = { name, program: PROGRAMS[name], readyPath: '/readyz' };
    const server = await startServer(plan, stand.stores, releaser, signal);
    servers.push({ ...server, name });
    const watcher = watch(server, organizationId, apiKey);
    releaser.push(`watcher of ${name}`, watcher.stop);
  }
  const { tasksPerAgent } = options;
  if (tasksPerAgent > 0) await giveTasks(servers[0]!.baseUrl, stand.stores.demo.dispatcher, agentIds, tasksPerAgent);
  say(
    ...conditionLines(stand.conditions),
    'ours: the gateway; parse-only: the same, which checks positions and forgets them. One stream of the organization is open on each.',
    `${options.agents} agents with ${tasksPerAgent} open tasks each, batches of ${options.batchPoints} points, ${options.connections} connections, one request at a time on each`,
    '',
  );
  const bench = { options, apiKey, agentIds, postmasterPid: stand.stores.postgres.pid, signal };
  const greatest = await measureRounds(servers, bench, null, new Map());
  const half =
    spreadOf(greatest.filter(({ server }) => server === 'ours').map((run) => run.pointsPerSecond)).median / 2;
  say('', `reads of single tasks, ${options.readsPerSecond} a second, beside ${Math.round(half)} points/s`);
  const taskIds = new Map<ServerName, readonly number[]>();
  for (const server of servers) taskIds.set(server.name, await makeTasks(server, apiKey, signal));
  const beside = await measureRounds(servers, bench, half, taskIds);

  const runs = [...greatest, ...beside];
  const trail = await checkTrail(stand, servers[0]!, runs, options);
  const voidReasons = [...tooShort(options), ...runs.flatMap(voidReasonsOf), ...trail];
  say('', 'Medians over the rounds (lowest–highest)', summaryTable(greatest), cpuLine(greatest), '');
  say(...verdictLines(judgeLocations(greatest, beside)), ...disturbanceLines(runs));
  if (voidReasons.length === 0) return 0;
  say('', 'VOID, these numbers prove nothing:', ...voidReasons.map((reason) => `  ${reason}`));
  return 1;
}

function tooShort({ rounds, seconds }: LocationOptions): string[] {
  const reasons: string[] = [];
  if (rounds < LEAST_ROUNDS) reasons.push(`${rounds} rounds, at least ${LEAST_ROUNDS} are needed`);
  if (seconds < LEAST_SECONDS) reasons.push(`windows of ${seconds} s, at least ${LEAST_SECONDS} s are needed`);
  return reasons;
}

/** Round by round, both servers; which of them goes first changes with every round. */
async function measureRounds(
  servers: readonly LocationServer[],
  bench: LocationBench,
  pointsPerSecond: number | null,
  taskIds: ReadonlyMap<ServerName, readonly number[]>,
): Promise<LocationRun[]> {
  const runs: LocationRun[] = [];
  for (let round = 1; round <= bench.options.rounds; round++) {
    for (const turn of servers.keys()) {
      const server = servers[(turn + round - 1) % servers.length]!;
      const plan = { server, round, pointsPerSecond, taskIds: taskIds.get(server.name) ?? [] };
      const run = await measureLocations(plan, bench);
      say(runLine(run));
      const words = server.lastLines();
      if (voidReasonsOf(run).length > 0 && words !== '') say(`${server.name} printed last:`, words);
      runs.push(run);
    }
  }
  return runs;
}

/** Proves that points were applied: the trail has one of each agent for each second of load. Resolves to what is wrong. */
async function checkTrail(
  { stores }: Stand,
  { name, database }: LocationServer,
  runs: readonly LocationRun[],
  { agents, warmUpSeconds, seconds }: LocationOptions,
): Promise<string[]> {
  await delay(TRAIL_MS);
  const url = new URL(stores.postgres.url);
  url.pathname = `/${database}`;
  const sql = connectPostgres(url.href, { name: 'check', connections: 1, statementTimeoutMs: SEED_MS });
  try {
    const [{ rows }] = (await sql`SELECT count(*) AS rows FROM agent_trail`) as unknown as [{ rows: number }];
    const loaded = runs.filter(({ server }) => server === name).length * (warmUpSeconds + seconds);
    const share = rows / (loaded * agents);
    say(`the trail has ${rows} points, ${(share * 100).toFixed(0)} % of one a second for each agent`);
    return share < LEAST_TRAIL ? [`only ${(share * 100).toFixed(0)} % of the trail was written`] : [];
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** Into the template, so that both servers have them from the start. */
async function seed({ stores }: Stand, organizationId: number, agents: number): Promise<number[]> {
  const sql = connectPostgres(stores.templateUrl, { name: 'seed', connections: 1, statementTimeoutMs: SEED_MS });
  try {
    return await seedAgents(sql, organizationId, agents);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

async function makeTasks({ baseUrl }: ServerProcess, apiKey: string, signal: AbortSignal): Promise<number[]> {
  const api = new ApiClient({ baseUrl, apiKey }, signal);
  const ids: number[] = [];
  for (let index = 0; index < TASKS; index++) {
    const { task } = await api.createTask(taskBody(index), `locations-${index}`);
    ids.push(task.id);
  }
  return ids;
}

function taskBody(index: number): object {
  return {
    name: `Order ${index}`,
    taskType: 'delivery',
    customer: { name: 'Ada Lovelace', phone: `+491555${String(index).padStart(8, '0')}` },
    location: { address: `${index} Main Street`, latitude: 52.5, longitude: 13.4 },
    packages: [{ name: 'Books', quantity: 1 }],
  };
}

/** A console that reads the organization's stream, so that positions have a reader. */
function watch({ baseUrl }: ServerProcess, organizationId: number, apiKey: string): { readonly stop: () => void } {
  const url = new URL(`/api/v1/realtime/organizations/${organizationId}/events`, baseUrl);
  const request = get(url, { agent: false, headers: { 'x-api-key': apiKey } }, (incoming) => incoming.resume());
  request.on('error', (error) => say(`the stream of ${baseUrl} broke off: ${error.message}`));
  return { stop: () => void request.destroy() };
}
