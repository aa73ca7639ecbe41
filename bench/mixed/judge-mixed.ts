import type { Verdict } from '../report/summarize.ts';
import { spreadOf } from '../statistics.ts';
import type { Followed } from './followers.ts';
import { MOST_BEHIND } from './live-at.ts';

/** The figures of a minute, and of a shorter last one. */
export interface Minute {
  readonly lives: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly byKind: Readonly<Record<string, number>>;
  readonly gatewayMiB: number;
  readonly heapMiB: number;
  readonly workersMiB: number;
  readonly redisMiB: number;
}

/** Source: the project's performance goals, as "flat". */
const MOST_GROWTH = 0.1;
/** Four quarters of a minute each: with less, a minute would be compared with itself. */
const LEAST_MINUTES = 4;

/** Compares medians of the third and of the last quarter: the caches fill until then. Fewer minutes have no verdicts. */
export function judgeMixed(minutes: readonly Minute[]): Verdict[] {
  if (minutes.length < LEAST_MINUTES) return [];
  const quarter = Math.floor(minutes.length / 4);
  const [third, last] = [minutes.slice(-2 * quarter, -quarter), minutes.slice(-quarter)];
  const figures = ['heapMiB', 'gatewayMiB', 'redisMiB', 'p99Ms'] as const;
  return figures.map((figure) => {
    const of = (some: readonly Minute[]) => spreadOf(some.map((minute) => minute[figure])).median;
    const [before, after] = [of(third), of(last)];
    return {
      claim: `${figure} grows by at most ${MOST_GROWTH * 100} % from the third quarter to the last`,
      measured: `${before.toFixed(1)} → ${after.toFixed(1)}`,
      met: after <= before * (1 + MOST_GROWTH),
    };
  });
}

/** The reasons why the run does not count; empty when it does. `behind`: the most lives at once. */
export function mixedVoidReasons(minutes: number, behind: number, { events, ended, deliveries }: Followed): string[] {
  return [
    ...(minutes < LEAST_MINUTES ? [`${minutes} minutes, at least ${LEAST_MINUTES} are needed`] : []),
    ...(behind >= MOST_BEHIND ? [`${behind} lives had not ended`] : []),
    ...(ended > 0 ? [`${ended} streams ended`] : []),
    ...(events === 0 ? ['no event came on a stream'] : []),
    ...(deliveries === 0 ? ['no delivery came to the webhook'] : []),
  ];
}
