import type { Releaser } from '../../engine/runtime/lifecycle.ts';
import { connectPostgres } from '../../engine/store/postgres.ts';
import { openStand, type Stand } from '../compare/open-stand.ts';
import { runGenerator } from '../load/run-generator.ts';
import type { LocationOutcome } from '../locations/location-order.ts';
import { pointTroubles } from '../locations/point-troubles.ts';
import { residentMiB, watchCpu } from '../measure/process-cpu.ts';
import { conditionLines } from '../report/print-report.ts';
import { say } from '../report/say.ts';
import { formatTable } from '../report/table.ts';
import { seedAgents } from '../seed/seed-agents.ts';
import { GATEWAY, type ServerProcess, startServer } from '../stand/server-process.ts';
import { spreadOf } from '../statistics.ts';
import { type BoxOptions, parseBoxOptions } from './box-options.ts';
import type { ViewerOutcome } from './viewer-order.ts';

const LEAST_ROUNDS = 3;
const LEAST_SECONDS = 10;
const SEED_MS = 60_000;
const BATCH_POINTS = 50;
const SAMPLE_MS = 1_000;
const POINTS = new URL('../locations/location-generator.ts', import.meta.url);
const VIEWERS = new URL('./viewers.ts', import.meta.url);

const WAYS = ['no stream', 'boxes that stay', 'boxes that change'] as const;
type Way = (typeof WAYS)[number];

interface BoxRun {
  readonly way: Way;
  /** CPU of the gateway, as a share of one core. */
  readonly core: number;
  readonly mebibytes: number;
  readonly viewers: ViewerOutcome;
  readonly points: LocationOutcome;
}

interface BoxBench {
  readonly options: BoxOptions;
  readonly server: ServerProcess;
  readonly apiKey: string;
  readonly organizationId: number;
  readonly agentIds: readonly number[];
  readonly signal: AbortSignal;
}

/** `npm run bench -- boxes`. Resolves to the exit code: 1 when a run is void, 0 otherwise. */
export async function runBoxes(args: readonly string[], releaser: Releaser, signal: AbortSignal): Promise<number> {
  const options = parseBoxOptions(args);
  say('starting Postgres, Redis and a gateway');
  const stand = await openStand(releaser, signal);
  const { apiKey, organizationId } = stand.stores.demo;
  const agentIds = await seed(stand, organizationId, options.agents);
  const plan = { name: 'boxes', program: GATEWAY, readyPath: '/readyz' };
  const server = await startServer(plan, stand.stores, releaser, signal);
  say(...conditionLines(stand.conditions), `${options.agents} agents, each of which moves once a second`, '');
  const bench = { options, server, apiKey, organizationId, agentIds, signal };
  const runs: BoxRun[] = [];
  for (let round = 1; round <= options.rounds; round++) {
    for (const turn of WAYS.keys()) {
      const run = await measure(WAYS[(turn + round - 1) % WAYS.length]!, bench);
      say(runLine(round, run, options));
      runs.push(run);
    }
  }
  say('', 'Medians over the rounds (lowest–highest)', summaryTable(runs, options));
  const reasons = voidReasons(runs, options);
  if (reasons.length > 0) say('', 'VOID, these numbers prove nothing:', ...reasons.map((reason) => `  ${reason}`));
  return reasons.length === 0 ? 0 : 1;
}

async function measure(way: Way, bench: BoxBench): Promise<BoxRun> {
  const { options, server, apiKey, organizationId, agentIds, signal } = bench;
  const { agents, seconds, warmUpSeconds } = options;
  const common = { apiKey, warmUpSeconds, seconds };
  const mebibytes: number[] = [];
  let watch: ReturnType<typeof watchCpu<'server'>> | undefined;
  let used = 0;
  let sampling: NodeJS.Timeout | undefined;
  const onWindow = (edge: 'start' | 'end') => {
    if (edge === 'start') {
      watch = watchCpu({ server: [server.pid] });
      sampling = setInterval(() => mebibytes.push(residentMiB(server.pid)), SAMPLE_MS);
    } else {
      used = watch!.read().server;
      clearInterval(sampling);
    }
  };
  const url = `${server.baseUrl}/api/v1/realtime/organizations/${organizationId}/events`;
  const streams = way === 'no stream' ? 0 : options.streams;
  const viewing = { ...common, url, streams, changesBoxes: way === 'boxes that change' };
  const { baseUrl } = server;
  const batches = { agentIds, batchPoints: BATCH_POINTS, connections: 10, pointsPerSecond: agents };
  try {
    const [points, viewers] = await Promise.all([
      runGenerator<LocationOutcome>(POINTS, { ...common, ...batches, ...{ baseUrl } }, { signal, onWindow: () => {} }),
      runGenerator<ViewerOutcome>(VIEWERS, viewing, { signal, onWindow }),
    ]);
    return { way, core: used / seconds, mebibytes: Math.max(...mebibytes), viewers, points };
  } finally {
    clearInterval(sampling);
  }
}

/** Into the template, so that the server has them from the start. */
async function seed({ stores }: Stand, organizationId: number, agents: number): Promise<number[]> {
  const sql = connectPostgres(stores.templateUrl, { name: 'seed', connections: 1, statementTimeoutMs: SEED_MS });
  try {
    return await seedAgents(sql, organizationId, agents);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

function runLine(round: number, { way, core, mebibytes, viewers }: BoxRun, { seconds }: BoxOptions): string {
  const { opened, messages, bytes, failures } = viewers;
  const failed = Object.entries(failures).map(([kind, count]) => `, ${count} × ${kind}`);
  return (
    `round ${round}  ${way.padEnd(17)}  gateway ${(core * 100).toFixed(1)} % of a core, ${mebibytes.toFixed(0)} MiB at most  ` +
    `${opened} streams let in, ${(messages / seconds).toFixed(0)} messages/s, ${(bytes / seconds / 2 ** 20).toFixed(1)} MiB/s${failed.join('')}`
  );
}

/** A stream costs the time that the gateway takes beyond the same positions without streams. */
function summaryTable(runs: readonly BoxRun[], { streams, seconds }: BoxOptions): string {
  const of = (way: Way) => runs.filter((run) => run.way === way);
  const alone = spreadOf(of('no stream').map(({ core }) => core)).median;
  const rows = WAYS.map((way) => {
    const core = spreadOf(of(way).map((run) => run.core));
    const messages = spreadOf(of(way).map(({ viewers }) => viewers.messages / seconds)).median;
    const each = (count: number, unit: number) =>
      way === 'no stream' ? '–' : (((core.median - alone) * unit) / count).toFixed(unit === 1e6 ? 0 : 2);
    const percent = (share: number) => (share * 100).toFixed(1);
    return [
      way,
      `${percent(core.median)} (${percent(core.min)}–${percent(core.max)})`,
      each(streams, 1_000),
      each(messages, 1e6),
      spreadOf(of(way).map(({ mebibytes }) => mebibytes)).median.toFixed(0),
      `${of(way).reduce((sum, { viewers }) => sum + viewers.opened, 0)}`,
      `${of(way).reduce((sum, { viewers }) => sum + failuresOf(viewers), 0)}`,
    ];
  });
  const header = [
    'streams',
    '% of a core',
    'CPU ms/s per stream',
    'CPU µs per message',
    'most MiB',
    'let in',
    'refused or lost',
  ];
  return formatTable(header, rows);
}

function failuresOf({ failures }: ViewerOutcome): number {
  return Object.values(failures).reduce((sum, count) => sum + count, 0);
}

function voidReasons(runs: readonly BoxRun[], { rounds, seconds, streams }: BoxOptions): string[] {
  const reasons: string[] = [];
  if (rounds < LEAST_ROUNDS) reasons.push(`${rounds} rounds, at least ${LEAST_ROUNDS} are needed`);
  if (seconds < LEAST_SECONDS) reasons.push(`windows of ${seconds} s, at least ${LEAST_SECONDS} s are needed`);
  for (const { way, viewers, points } of runs) {
    if (failuresOf(viewers) > 0) reasons.push(`${way}: ${viewers.firstFailure}`);
    if (way !== 'no stream' && viewers.messages < (streams * seconds) / 2)
      reasons.push(`${way}: only ${viewers.messages} messages came`);
    reasons.push(...pointTroubles(points).map((trouble) => `${way}: positions: ${trouble}`));
  }
  return reasons;
}
