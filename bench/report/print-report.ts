import type { DurableSettings } from '../measure/database-probe.ts';
import type { RunResult } from '../measure/measure-run.ts';
import type { SyncLatency } from '../measure/sync-latency.ts';
import type { Spread } from '../statistics.ts';
import type { Comparison, Summary, Verdict } from './summarize.ts';
import { formatTable } from './table.ts';

/** The kernel alone takes less. */
const DISTURBING_SHARE = 0.1;

export interface Conditions {
  readonly cores: number;
  readonly durable: DurableSettings;
  readonly sync: SyncLatency;
}

export function conditionLines({ cores, durable, sync }: Conditions): string[] {
  const settings = Object.entries(durable).map(([name, value]) => `${name}=${value}`);
  return [
    `${cores} cores, shared by server, Postgres and generator`,
    `Postgres, the same for all: ${settings.join(', ')}; one synced write takes ${sync.medianMs.toFixed(2)} ms here` +
      (sync.inMemory ? ' — A FILE SYSTEM IN MEMORY, where syncing proves nothing: point TMPDIR at a disk' : ''),
  ];
}

/** One line while the bench runs. */
export function runLine(run: RunResult): string {
  const { round, connections, contestant, tasksPerSecond, p50Ms, p99Ms, voidReasons } = run;
  const facts = `${tasksPerSecond.toFixed(0).padStart(7)} tasks/s  p50 ${p50Ms.toFixed(1)} ms  p99 ${p99Ms.toFixed(1)} ms`;
  const verdict = voidReasons.length > 0 ? `  VOID: ${voidReasons.join('; ')}` : '';
  return `round ${round}  ${String(connections).padStart(4)} connections  ${contestant.padEnd(9)}  ${facts}${verdict}`;
}

export function summaryTable(summaries: readonly Summary[]): string {
  const header = [
    'connections',
    'server',
    'tasks/s',
    'request p50 ms',
    'p99 ms',
    'CPU µs/task: server',
    'Postgres',
    'generator',
    'commits/task',
    'MiB',
  ];
  const rows = summaries.map((cell) => [
    String(cell.connections),
    cell.contestant,
    showSpread(cell.tasksPerSecond, 0),
    showSpread(cell.p50Ms, 1),
    showSpread(cell.p99Ms, 1),
    showSpread(cell.serverMicros, 0),
    showSpread(cell.postgresMicros, 0),
    showSpread(cell.generatorMicros, 0),
    cell.commitsPerTask.median.toFixed(4),
    cell.serverMiB.toFixed(0),
  ]);
  return formatTable(header, rows);
}

/** The shares of all cores' time, to show the bottleneck. */
export function shareLines(summaries: readonly Summary[]): string[] {
  const percent = (share: number) => `${(share * 100).toFixed(0)} %`;
  return summaries.map(
    ({ connections, contestant, shares: { server, postgres, generator, idle, others } }) =>
      `${String(connections).padStart(4)} connections  ${contestant.padEnd(9)}  server ${percent(server)}, ` +
      `Postgres ${percent(postgres)}, generator ${percent(generator)}, idle ${percent(idle)}, others and kernel ${percent(others)}`,
  );
}

/** Runs that other processes disturbed: they count, but the reader of the numbers must know. */
export function disturbanceLines(results: readonly RunResult[]): string[] {
  return results
    .filter(({ othersShare }) => othersShare > DISTURBING_SHARE)
    .map(
      ({ contestant, connections, round, othersShare }) =>
        `DISTURBED  ${contestant}, ${connections} connections, round ${round}: others took ${(othersShare * 100).toFixed(0)} % of the machine`,
    );
}

export function comparisonLines(comparisons: readonly Comparison[]): string[] {
  return comparisons.flatMap(({ connections, peers, bareShare, bareCpu, oursP99Ms, peerP99Ms }) => {
    const at = `${String(connections).padStart(4)} connections`;
    return [
      ...peers.map(
        ({ peer, throughput, cpu }) =>
          `${at}  ours / ${peer} ${throughput.toFixed(2)}   CPU per task, ${peer} / ours ${cpu.toFixed(2)}`,
      ),
      `${at}  ours / bare ${bareShare.toFixed(3)}   CPU of the server, bare / ours ${bareCpu.toFixed(3)}   p99 ${oursP99Ms.toFixed(1)} ms against the peers' ${peerP99Ms.toFixed(1)} ms`,
    ];
  });
}

export function verdictLines(verdicts: readonly Verdict[]): string[] {
  return verdicts.map(({ met, claim, measured }) => `${met ? 'PASS' : 'FAIL'}  ${claim}: ${measured}`);
}

function showSpread({ median, min, max }: Spread, digits: number): string {
  const [low, high] = [min.toFixed(digits), max.toFixed(digits)];
  return low === high ? median.toFixed(digits) : `${median.toFixed(digits)} (${low}–${high})`;
}
