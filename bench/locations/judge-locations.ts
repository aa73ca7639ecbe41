import type { Verdict } from '../report/summarize.ts';
import { formatTable } from '../report/table.ts';
import { spreadOf } from '../statistics.ts';
import type { LocationRun, ServerName } from './measure-locations.ts';

/** Source: the project's performance goals. */
const TARGET = { throughputRatio: 0.6, readP99Ratio: 1.5, growthMiB: 20, growthShare: 0.1 };
/** The kernel alone takes less. */
const DISTURBING_SHARE = 0.1;
/** Samples at the end of a window that tell what memory was then. */
const LAST_SAMPLES = 5;

export function runLine(run: LocationRun): string {
  const { server, round, pointsPerSecond, p50Ms, p99Ms, cpu, points, windowMs, mebibytes, reads } = run;
  const share = (seconds: number) => `${((seconds * 100_000) / windowMs).toFixed(0)} %`;
  const readTimes = reads ? `  reads p50 ${reads.p50Ms.toFixed(2)} ms  p99 ${reads.p99Ms.toFixed(2)} ms` : '';
  return (
    `round ${round}  ${server.padEnd(10)}  ${thousands(pointsPerSecond)} points/s  ` +
    `${((cpu.server * 1e6) / points).toFixed(2)} µs CPU/point  batch p50 ${p50Ms.toFixed(1)} ms  p99 ${p99Ms.toFixed(1)} ms  ` +
    `of a core: server ${share(cpu.server)}, generator ${share(cpu.generator)}, Postgres ${share(cpu.postgres)}  ` +
    `${lastOf(mebibytes).toFixed(0)} MiB${readTimes}`
  );
}

export function summaryTable(runs: readonly LocationRun[]): string {
  const rows = (['ours', 'parse-only'] as const).map((name) => {
    const own = runs.filter(({ server }) => server === name);
    const median = (value: (run: LocationRun) => number) => spreadOf(own.map(value)).median;
    const { min, max } = spreadOf(own.map(({ pointsPerSecond }) => pointsPerSecond));
    const perPoint = (part: 'server' | 'postgres' | 'generator') =>
      median(({ cpu, points }) => (cpu[part] * 1e6) / points).toFixed(2);
    return [
      name,
      `${thousands(median(({ pointsPerSecond }) => pointsPerSecond))} (${thousands(min)}–${thousands(max)})`,
      ...(['server', 'postgres', 'generator'] as const).map(perPoint),
      median(({ p99Ms }) => p99Ms).toFixed(1),
    ];
  });
  return formatTable(['server', 'points/s', 'CPU µs/point: server', 'Postgres', 'generator', 'batch p99 ms'], rows);
}

/** Unlike the throughput it is hardly moved by what else runs on the machine. */
export function cpuLine(runs: readonly LocationRun[]): string {
  const { ratio } = ratioOf(runs, ({ cpu, points }) => cpu.server / points);
  return `CPU of the server per point, parse-only / ours: ${(1 / ratio).toFixed(3)}`;
}

/** `greatest`: as many as the servers accepted; `half`: beside reads, at half of that. */
export function judgeLocations(greatest: readonly LocationRun[], half: readonly LocationRun[]): Verdict[] {
  const rate = ratioOf(greatest, ({ pointsPerSecond }) => pointsPerSecond);
  const reads = ratioOf(half, (run) => run.reads!.p99Ms);
  const { growth, before, perMinute } = memoryOf([...greatest, ...half].filter(({ server }) => server === 'ours'));
  const allowed = Math.max(TARGET.growthMiB, before * TARGET.growthShare);
  return [
    {
      claim: `at least ${TARGET.throughputRatio * 100} % of what the server takes when it applies nothing`,
      measured: `${(rate.ratio * 100).toFixed(1)} % (${thousands(rate.ours)} of ${thousands(rate.other)} points/s)`,
      met: rate.ratio >= TARGET.throughputRatio,
    },
    {
      claim: `memory grows by less than ${TARGET.growthMiB} MiB, or ${TARGET.growthShare * 100} % when that is more, from the end of its first window on`,
      measured: `${growth.toFixed(0)} MiB from ${before.toFixed(0)} MiB, below ${allowed.toFixed(0)} wanted (${perMinute.toFixed(1)} MiB a minute of load)`,
      met: growth < allowed,
    },
    {
      claim: `reads beside half of the maximum take at most ${TARGET.readP99Ratio} times as long (p99) as when nothing is applied`,
      measured: `${reads.ratio.toFixed(2)} times (${reads.ours.toFixed(2)} ms, ${reads.other.toFixed(2)} ms)`,
      met: reads.ratio <= TARGET.readP99Ratio,
    },
  ];
}

/** Runs that other processes disturbed: they count, but the reader of the numbers must know. */
export function disturbanceLines(runs: readonly LocationRun[]): string[] {
  return runs
    .filter(({ othersShare }) => othersShare > DISTURBING_SHARE)
    .map(
      ({ server, round, othersShare }) =>
        `DISTURBED  ${server}, round ${round}: others took ${(othersShare * 100).toFixed(0)} % of the machine`,
    );
}

/** The ratio of the medians. */
function ratioOf(runs: readonly LocationRun[], value: (run: LocationRun) => number) {
  const of = (name: ServerName) => spreadOf(runs.filter(({ server }) => server === name).map(value)).median;
  const [ours, other] = [of('ours'), of('parse-only')];
  return { ours, other, ratio: ours / other };
}

/** Heaps find their size in the first window; from its end on nothing may grow. */
function memoryOf(runs: readonly LocationRun[]) {
  const [before, ...later] = runs.map(({ mebibytes }) => lastOf(mebibytes)) as [number, ...number[]];
  const after = Math.max(before, ...later);
  const minutes = runs.slice(1).reduce((sum, { windowMs }) => sum + windowMs, 0) / 60_000;
  return { before, growth: after - before, perMinute: minutes === 0 ? 0 : (after - before) / minutes };
}

/** Median of the last samples. */
function lastOf(samples: readonly number[]): number {
  return samples.length === 0 ? 0 : spreadOf(samples.slice(-LAST_SAMPLES)).median;
}

function thousands(number: number): string {
  return Math.round(number).toLocaleString('en');
}
