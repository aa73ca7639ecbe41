import type { Verdict } from '../report/summarize.ts';

/** The console's memory, in MiB. */
export interface HeapReading {
  readonly page: number;
  readonly worker: number;
}

/** Source: the project's goals for the console. */
const MOST_GROWTH = 0.1;
/** With less, the middle is the end, or hardly before it. */
const LEAST_READINGS = 4;

/** Compares the middle with the end: the caches fill until then. Too few readings have no verdict. */
export function judgeHeap(heaps: readonly HeapReading[]): Verdict[] {
  if (heaps.length < LEAST_READINGS) return [];
  const weightAt = (index: number) => heaps.at(index)!.page + heaps.at(index)!.worker;
  const [before, after] = [weightAt(Math.floor(heaps.length / 2)), weightAt(-1)];
  return [
    {
      claim: `the heap grows by at most ${MOST_GROWTH * 100} % in the second half`,
      measured: `${before.toFixed(0)} → ${after.toFixed(0)} MiB`,
      met: after <= before * (1 + MOST_GROWTH),
    },
  ];
}
