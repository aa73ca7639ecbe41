import type { WayName } from '../scenarios/scenario.ts';
import { microsOf, type Summary, type Verdict } from './summarize.ts';

/** The target of another way to push tasks, in times the throughput of single creates of the same run. */
const TARGETS = { batch: 1.8, keyed: 0.8 };

/** The target of large batches. Source: the project's performance goals. */
const LARGE = { items: 500, connections: 8, tasksPerSecond: 18_000 };

/** A way against single creates; each is a ratio of medians. */
export interface WayRatio {
  readonly way: keyof typeof TARGETS;
  readonly connections: number;
  readonly singleConnections: number;
  readonly throughput: number;
  /** CPU of all processes per task, by that of single creates: hardly moved by what else runs on the machine. */
  readonly cpu: number;
}

/**
 * Keyed creates against single ones at the same number of connections; batches at their best against single creates at
 * each, their best last.
 */
export function compareWaySummaries(summaries: readonly Summary[]): WayRatio[] {
  const of = (way: WayName) => summaries.filter(({ contestant }) => contestant === way);
  const singles = of('single');
  const keyed = of('keyed').map((cell) => {
    const single = singles.find(({ connections }) => connections === cell.connections)!;
    return ratioOf('keyed', cell, single);
  });
  const fastest = fastestOf(of('batch'));
  const slowestFirst = singles.toSorted((a, b) => a.tasksPerSecond.median - b.tasksPerSecond.median);
  return [...keyed, ...slowestFirst.map((single) => ratioOf('batch', fastest, single))];
}

function ratioOf(way: keyof typeof TARGETS, cell: Summary, single: Summary): WayRatio {
  return {
    way,
    connections: cell.connections,
    singleConnections: single.connections,
    throughput: cell.tasksPerSecond.median / single.tasksPerSecond.median,
    cpu: microsOf(cell) / microsOf(single),
  };
}

function fastestOf(cells: readonly Summary[]): Summary {
  return cells.reduce((best, cell) => (cell.tasksPerSecond.median > best.tasksPerSecond.median ? cell : best));
}

export function wayRatioLines(ratios: readonly WayRatio[]): string[] {
  return ratios.map(
    (ratio) => `${titleOf(ratio)}  ${ratio.throughput.toFixed(2)}   CPU per task ${ratio.cpu.toFixed(2)}`,
  );
}

/**
 * Batches are judged against single creates at their best. Claims hold no measured number, not even which cells were
 * fastest: they are what accepted figures are looked up by.
 */
export function judgeWays(ratios: readonly WayRatio[]): Verdict[] {
  const judged = ratios.filter((ratio, index) => ratio.way === 'keyed' || index === ratios.length - 1);
  return judged.map((ratio) => {
    const { way, connections, singleConnections, throughput } = ratio;
    const [title, cells] =
      way === 'keyed'
        ? [titleOf(ratio), '']
        : ['batch / single at their fastest', ` (${connections} and ${singleConnections} connections)`];
    return {
      claim: `${title} at least ${TARGETS[way]}`,
      measured: `${throughput.toFixed(2)}${cells}`,
      met: throughput >= TARGETS[way],
    };
  });
}

/** None unless batches of that size were sent on that many connections. */
export function judgeLargeBatches(summaries: readonly Summary[], items: number): Verdict[] {
  if (items !== LARGE.items) return [];
  return summaries
    .filter(({ contestant, connections }) => contestant === 'batch' && connections === LARGE.connections)
    .map(({ tasksPerSecond: { median } }) => ({
      claim: `at least ${thousands(LARGE.tasksPerSecond)} tasks a second in batches of ${LARGE.items} on ${LARGE.connections} connections`,
      measured: thousands(median),
      met: median >= LARGE.tasksPerSecond,
    }));
}

function thousands(number: number): string {
  return Math.round(number).toLocaleString('en');
}

function titleOf({ way, connections, singleConnections }: WayRatio): string {
  const at = connections === singleConnections ? '' : ` at ${singleConnections}`;
  return `${way} / single${at}, ${way} at ${connections} connections`;
}
