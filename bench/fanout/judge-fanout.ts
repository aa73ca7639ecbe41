import type { Verdict } from '../report/summarize.ts';
import { formatTable } from '../report/table.ts';
import { spreadOf } from '../statistics.ts';
import type { PartName } from './fanout-options.ts';
import type { FanoutStep, SideName } from './measure-step.ts';
import type { Trial } from './rate-search.ts';

/** The limit of one side in one round: the fastest step that passed; undefined when none did. */
export interface Limit {
  readonly part: PartName;
  readonly side: SideName;
  readonly round: number;
  readonly best: FanoutStep | undefined;
}

/** Source: the project's performance goals. */
const TARGET_RATIO = 1.5;
/** A part of one core: above it the reader of the streams may have been the bottleneck. */
const BUSY_AUDIENCE = 0.9;
/** The kernel's work for so many connections, outside any process, takes less. */
const DISTURBING_SHARE = 0.2;

export function stepLine(step: FanoutStep): string {
  const { part, side, round, eventsPerSecond, p50Ms, p99Ms, cpu, windowMs, shortcomings } = step;
  const share = (seconds: number) => `${((seconds * 100_000) / windowMs).toFixed(0)} %`;
  return (
    `${part.padEnd(4)}  round ${round}  ${side.padEnd(5)}  ${eventsPerSecond.toFixed(0).padStart(5)} events/s  ` +
    `p50 ${p50Ms.toFixed(1)} ms  p99 ${p99Ms.toFixed(1)} ms  of a core: server ${share(cpu.server)}, ` +
    `audience ${share(cpu.audience)}, publishers ${share(cpu.publishers)}, Postgres ${share(cpu.postgres)}  ` +
    (shortcomings.length === 0 ? 'passed' : `${trialOf(step)}: ${shortcomings.join('; ')}`)
  );
}

export function trialOf(step: FanoutStep): Trial {
  if (step.shortcomings.length === 0) return 'passed';
  return othersShare(step) > DISTURBING_SHARE ? 'disturbed' : 'failed';
}

export function summaryTable(limits: readonly Limit[]): string {
  const rows = groupsOf(limits).map((own) => {
    const { part, side } = own[0]!;
    const steps = own.flatMap(({ best }) => best ?? []);
    const rates = spreadOf(own.map(rateOf));
    const median = (value: (step: FanoutStep) => number) =>
      steps.length === 0 ? Number.NaN : spreadOf(steps.map(value)).median;
    const ofCore = (part: 'server' | 'audience' | 'postgres') =>
      `${median(({ cpu, windowMs }) => (cpu[part] * 100_000) / windowMs).toFixed(0)} %`;
    return [
      part,
      side,
      `${rates.median.toFixed(0)} (${rates.min.toFixed(0)}–${rates.max.toFixed(0)})`,
      median(({ p99Ms }) => p99Ms).toFixed(0),
      median(microsPerReceipt).toFixed(2),
      ofCore('server'),
      ofCore('audience'),
      ofCore('postgres'),
    ];
  });
  const header = [
    'part',
    'side',
    'events/s',
    'p99 ms',
    'server µs/receipt',
    'of a core: server',
    'audience',
    'Postgres',
  ];
  return formatTable(header, rows);
}

/** A part in which a side has a round without a rate has no verdict: anything is more than the nothing of the other side. */
export function judgeFanout(limits: readonly Limit[], parts: readonly PartName[]): Verdict[] {
  return parts.flatMap((part) => {
    const own = limits.filter((limit) => limit.part === part);
    if (own.some((limit) => limit.best === undefined)) return [];
    const of = (side: SideName) => spreadOf(own.filter((limit) => limit.side === side).map(rateOf)).median;
    const [ours, theirs] = [of('ours'), of('nchan')];
    const way = part === 'hub' ? 'straight from the hub' : 'from POST to stream';
    return {
      claim: `${way}, at least ${TARGET_RATIO} times as many events a second as nchan`,
      measured: `${(ours / theirs).toFixed(2)} times (${ours.toFixed(0)} and ${theirs.toFixed(0)})`,
      met: ours >= theirs * TARGET_RATIO,
    };
  });
}

/** The rounds in which a side passed no rate; the run does not count when there are any. */
export function unfoundReasons(limits: readonly Limit[]): string[] {
  return limits
    .filter(({ best }) => best === undefined)
    .map(({ part, side, round }) => `${part}, ${side}, round ${round}: no rate passed`);
}

/** Remarks for the reader of the numbers. */
export function caveatLines(limits: readonly Limit[], steps: readonly FanoutStep[]): string[] {
  const best = limits.flatMap((limit) => limit.best ?? []);
  const busy = best.filter(({ cpu, windowMs }) => (cpu.audience * 1_000) / windowMs > BUSY_AUDIENCE);
  const disturbed = steps.filter((step) => trialOf(step) === 'disturbed');
  const at = ({ part, side, round, eventsPerSecond }: FanoutStep) =>
    `${part}, ${side}, round ${round}, ${eventsPerSecond.toFixed(0)} events/s`;
  return [
    ...busy.map((step) => `BUSY       ${at(step)}: the audience was at its own limit, the server may take more`),
    ...(disturbed.length === 0
      ? []
      : [
          `DISTURBED  ${disturbed.length} of ${steps.length} steps failed while others took a fifth of the machine or more`,
        ]),
  ];
}

function microsPerReceipt({ cpu, eventsPerSecond, windowMs, subscribers }: FanoutStep): number {
  return (cpu.server * 1e6) / ((eventsPerSecond * windowMs * subscribers) / 1_000);
}

function othersShare({ cpu }: FanoutStep): number {
  const { server, audience, publishers, postgres, idle, total } = cpu;
  return 1 - (server + audience + publishers + postgres + idle) / total;
}

function rateOf({ best }: Limit): number {
  return best?.eventsPerSecond ?? 0;
}

/** By part and side, in the order in which they come. */
function groupsOf(limits: readonly Limit[]): Limit[][] {
  const groups = new Map<string, Limit[]>();
  for (const limit of limits) {
    const key = `${limit.part} ${limit.side}`;
    groups.set(key, [...(groups.get(key) ?? []), limit]);
  }
  return [...groups.values()];
}
