import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { setImmediate as turn } from 'node:timers/promises';
import type { TravelTime } from '../../engine/domain/assignment/round-view.ts';
import { planRound } from '../../engine/domain/planning/plan-round.ts';
import { etaAtMs } from '../../engine/domain/travel/eta.ts';
import { distanceM } from '../../engine/domain/travel/geo.ts';
import { verdictLines } from '../report/print-report.ts';
import { say } from '../report/say.ts';
import type { Verdict } from '../report/summarize.ts';
import { percentile } from '../statistics.ts';
import { CITY_SHAPES, type CityShape, madeUpRound, type RoundSize } from './made-up-round.ts';
import { parseRoundsOptions, type RoundsOptions } from './rounds-options.ts';

/** Source: the project's performance goals. */
const TARGETS = [
  { size: { agents: 500, tasks: 500 }, p99Ms: 50 },
  { size: { agents: 2_000, tasks: 5_000 }, p99Ms: 500 },
];

interface Measured {
  readonly size: RoundSize;
  readonly shape: CityShape;
  /** Ascending. */
  readonly ms: readonly number[];
  /** The run time of the planning thread, ascending: without its waits for a core and for other threads. */
  readonly cpuMs: readonly number[];
  /** The share of tasks that were offered to an agent. */
  readonly offeredShare: number;
}

/** `npm run bench -- rounds`. Resolves to the exit code: 0, targets met or not. */
export async function runRounds(args: readonly string[], signal: AbortSignal): Promise<number> {
  const options = parseRoundsOptions(args);
  say(`${options.rounds} rounds each, in this process alone; ${availableParallelism()} cores, load ${loadText()}`, '');
  const results: Measured[] = [];
  const verdicts: Verdict[] = [];
  for (const { size, p99Ms } of TARGETS) {
    for (const shape of CITY_SHAPES) {
      const measured = await measure(size, shape, options, signal);
      const p99 = percentile(measured.ms, 0.99);
      results.push(measured);
      say(resultLine(measured));
      verdicts.push({
        claim: `${nameOf(size)}, ${shape}: p99 at most ${p99Ms} ms`,
        measured: `${p99.toFixed(1)} ms`,
        met: p99 <= p99Ms,
      });
    }
  }
  say(`load ${loadText()}`, '', ...verdictLines(verdicts));
  if (options.jsonFile !== undefined) {
    const told = { scenario: 'rounds', options, results, verdicts };
    writeFileSync(options.jsonFile, `${JSON.stringify(told, undefined, 2)}\n`);
    say('', `every round: ${options.jsonFile}`);
  }
  return 0;
}

async function measure(
  size: RoundSize,
  shape: CityShape,
  { rounds, warmUpRounds, seed }: RoundsOptions,
  signal: AbortSignal,
): Promise<Measured> {
  const ms: number[] = [];
  const cpuMs: number[] = [];
  let offered = 0;
  for (let round = 0; round < warmUpRounds + rounds; round++) {
    // Lets an interruption in.
    await turn();
    signal.throwIfAborted();
    const view = madeUpRound(size, shape, seed * 1_000_003 + round);
    const [startedAt, ranBefore] = [performance.now(), threadCpuMs()];
    const { offers } = planRound(view, straightTravel);
    const [took, ran] = [performance.now() - startedAt, threadCpuMs() - ranBefore];
    if (round < warmUpRounds) continue;
    ms.push(took);
    cpuMs.push(ran);
    offered += offers.reduce((sum, { taskIds }) => sum + taskIds.length, 0);
  }
  const ascending = (times: number[]) => times.sort((a, b) => a - b);
  const offeredShare = offered / (rounds * size.tasks);
  return { size, shape, ms: ascending(ms), cpuMs: ascending(cpuMs), offeredShare };
}

/** As without a routing engine. */
const straightTravel: TravelTime = (from, to, vehicleType) => {
  const straightM = distanceM(from.latitude, from.longitude, to.latitude, to.longitude);
  return { distanceM: straightM, ms: etaAtMs(straightM, vehicleType, 0) };
};

function resultLine({ size, shape, ms, cpuMs, offeredShare }: Measured): string {
  return (
    `${nameOf(size).padEnd(28)}  ${shape.padEnd(9)}  ${timesText(ms)}  CPU ${timesText(cpuMs)}  ` +
    `${(offeredShare * 100).toFixed(0)} % of the tasks offered`
  );
}

function timesText(ms: readonly number[]): string {
  const [p50, p99, most] = [0.5, 0.99, 1].map((share) => percentile(ms, share).toFixed(1).padStart(6));
  return `p50 ${p50}  p99 ${p99}  at most ${most} ms`;
}

function nameOf({ agents, tasks }: RoundSize): string {
  return `${agents} agents by ${tasks} tasks`;
}

function loadText(): string {
  return loadavg()[0]!.toFixed(2);
}

/** Milliseconds that the calling thread has run so far (Linux), to a few: what it waited for a core is not in it. */
function threadCpuMs(): number {
  const [ranNs] = readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ');
  return Number(ranNs) / 1e6;
}
