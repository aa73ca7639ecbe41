import type { Verdict } from '../report/summarize.ts';
import { formatTable } from '../report/table.ts';
import { spreadOf } from '../statistics.ts';
import type { DrainRun, JobsRun, SteadyRun } from './measure-webhooks.ts';

/** Source: the project's performance goals. */
const TARGET_PER_SECOND = 2_500;
/** The kernel alone takes less. */
const DISTURBING_SHARE = 0.1;

export function drainLine({ round, perSecond, deliveries, windowMs, cpu, duplicates }: DrainRun): string {
  const share = (seconds: number) => `${((seconds * 100_000) / windowMs).toFixed(0)} %`;
  const micros = (seconds: number) => `${((seconds * 1e6) / deliveries).toFixed(0)} µs`;
  return (
    `round ${round}  deliveries   ${thousands(perSecond)} a second  CPU of each: workers ${micros(cpu.workers)}, ` +
    `Postgres ${micros(cpu.postgres)}, Redis ${micros(cpu.redis)}  of a core: workers ${share(cpu.workers)}, ` +
    `Postgres ${share(cpu.postgres)}, sink ${share(cpu.other)}${duplicates === 0 ? '' : `  ${duplicates} came twice`}`
  );
}

export function jobsLine({ round, perSecond, jobs, windowMs, cpu }: JobsRun): string {
  const share = (seconds: number) => `${((seconds * 100_000) / windowMs).toFixed(0)} %`;
  return (
    `round ${round}  bare BullMQ  ${thousands(perSecond)} a second  CPU of each: ${((cpu.workers * 1e6) / jobs).toFixed(0)} µs, ` +
    `Redis ${((cpu.redis * 1e6) / jobs).toFixed(0)} µs  of a core: process ${share(cpu.workers)}, Redis ${share(cpu.redis)}`
  );
}

export function steadyLine({ perSecond, p50Ms, p99Ms, maxMs, windowMs, cpu }: SteadyRun): string {
  const share = (seconds: number) => `${((seconds * 100_000) / windowMs).toFixed(0)} %`;
  return (
    `${thousands(perSecond)} deliveries a second  from commit to arrival p50 ${p50Ms.toFixed(0)} ms  ` +
    `p99 ${p99Ms.toFixed(0)} ms  at most ${maxMs.toFixed(0)} ms  of a core: workers ${share(cpu.workers)}, ` +
    `Postgres ${share(cpu.postgres)}, sink ${share(cpu.other)}`
  );
}

export function summaryTable(drains: readonly DrainRun[], jobs: readonly JobsRun[]): string {
  const rate = (runs: readonly { readonly perSecond: number }[]) => {
    const { median, min, max } = spreadOf(runs.map(({ perSecond }) => perSecond));
    return `${thousands(median)} (${thousands(min)}–${thousands(max)})`;
  };
  const micros = (part: 'workers' | 'postgres' | 'redis') =>
    spreadOf(drains.map(({ cpu, deliveries }) => (cpu[part] * 1e6) / deliveries)).median.toFixed(0);
  const ofJobs = (part: 'workers' | 'redis') =>
    spreadOf(jobs.map((run) => (run.cpu[part] * 1e6) / run.jobs)).median.toFixed(0);
  return formatTable(
    ['', 'a second', 'CPU µs of each: process', 'Postgres', 'Redis'],
    [
      ['deliveries', rate(drains), micros('workers'), micros('postgres'), micros('redis')],
      ['bare BullMQ', rate(jobs), ofJobs('workers'), '', ofJobs('redis')],
    ],
  );
}

function medianRate(runs: readonly { readonly perSecond: number }[]): number {
  return spreadOf(runs.map(({ perSecond }) => perSecond)).median;
}

export function ratioLine(drains: readonly DrainRun[], jobs: readonly JobsRun[]): string {
  const ratio = medianRate(drains) / medianRate(jobs);
  return `deliveries by jobs of bare BullMQ, which do nothing: ${ratio.toFixed(2)}`;
}

export function judgeWebhooks(drains: readonly DrainRun[]): Verdict[] {
  const rate = medianRate(drains);
  return [
    {
      claim: `one workers process delivers at least ${thousands(TARGET_PER_SECOND)} a second`,
      measured: thousands(rate),
      met: rate >= TARGET_PER_SECOND,
    },
  ];
}

/** The reasons why the run does not count; empty when it does. */
export function voidReasonsOf(drains: readonly DrainRun[], steady: SteadyRun, isOrdered: boolean): string[] {
  const reasons: string[] = [];
  for (const { round, outOfOrder, duplicates } of drains) {
    if (outOfOrder > 0 && isOrdered) reasons.push(`round ${round}: ${outOfOrder} deliveries overtook an earlier one`);
    if (duplicates > 0) reasons.push(`round ${round}: ${duplicates} came twice though nothing failed`);
  }
  for (const [kind, count] of Object.entries(steady.publishing.failures))
    reasons.push(`at the steady rate: ${count} × ${kind}; first ${steady.publishing.firstFailure}`);
  return reasons;
}

/** Rounds that other processes disturbed: they count, but the reader of the numbers must know. */
export function disturbanceLines(drains: readonly DrainRun[]): string[] {
  return drains.flatMap(({ round, cpu }) => {
    const { workers, other, postgres, redis, idle, total } = cpu;
    const others = 1 - (workers + other + postgres + redis + idle) / total;
    return others > DISTURBING_SHARE
      ? [`DISTURBED  deliveries, round ${round}: others took ${(others * 100).toFixed(0)} % of the machine`]
      : [];
  });
}

function thousands(number: number): string {
  return Math.round(number).toLocaleString('en');
}
