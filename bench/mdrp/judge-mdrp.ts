import type { Verdict } from '../report/summarize.ts';
import { formatTable } from '../report/table.ts';
import type { Measures } from './check-record.ts';

/** One policy on one day. */
export interface PolicyRun extends Measures {
  readonly policy: string;
  readonly rounds: number;
  /** NaN where it never had to decide. */
  readonly roundMs: { readonly mean: number; readonly p99: number };
}

/**
 * The planner and its rivals. Of both kinds the plain one is judged, and a stronger one shown: matching by the pickup
 * is so near to the bound on the published days that no policy could be a tenth better.
 */
export interface DayRuns {
  readonly planner: PolicyRun;
  readonly nearestIdle: PolicyRun;
  readonly nearestPair: PolicyRun;
  readonly matchingByWay: PolicyRun;
  readonly matchingByPickup: PolicyRun;
}

/** Mean click-to-door of the planner by that of the others; source: the project's goals. */
const TARGET = { nearestIdle: 0.75, matchingByWay: 0.9 };
const OTHERS = ['nearestIdle', 'nearestPair', 'matchingByWay', 'matchingByPickup'] as const;

export type Ratios = Readonly<Record<(typeof OTHERS)[number], number>>;

export function ratiosOf(runs: DayRuns): Ratios {
  const to = (other: (typeof OTHERS)[number]) => runs.planner.clickToDoor.mean / runs[other].clickToDoor.mean;
  return Object.fromEntries(OTHERS.map((other) => [other, to(other)])) as Ratios;
}

export function judgeDay(runs: DayRuns): Verdict[] {
  const { planner, nearestIdle, matchingByWay } = runs;
  const ratios = ratiosOf(runs);
  const below = (other: keyof typeof TARGET) => ({
    claim: `mean click-to-door at least ${percent(1 - TARGET[other])} below that of ${runs[other].policy}`,
    measured: `${percent(1 - ratios[other])} below`,
    met: ratios[other] <= TARGET[other],
  });
  return [
    below('nearestIdle'),
    below('matchingByWay'),
    {
      claim: 'no more undelivered orders than either',
      measured: `${planner.undelivered}, they ${nearestIdle.undelivered} and ${matchingByWay.undelivered}`,
      met: planner.undelivered <= Math.min(nearestIdle.undelivered, matchingByWay.undelivered),
    },
  ];
}

const HEADER = [
  'minutes',
  'undelivered',
  'click-to-door',
  'p90',
  'past target',
  'ready-to-pickup',
  'p90',
  'utilisation',
  'orders/bundle',
  'cost/order',
  'declined',
  'rounds',
  'ms/round',
  'p99',
];

export function dayTable(runs: DayRuns): string {
  const rows = (['planner', ...OTHERS] as const)
    .map((name) => runs[name])
    .map((run) => [
      run.policy,
      `${run.undelivered}`,
      run.clickToDoor.mean.toFixed(2),
      run.clickToDoor.p90.toFixed(1),
      run.overageMean.toFixed(2),
      run.readyToPickup.mean.toFixed(2),
      run.readyToPickup.p90.toFixed(1),
      percent(run.utilisation),
      run.ordersPerBundle.toFixed(2),
      run.costPerOrder.toFixed(2),
      `${run.declined}`,
      `${run.rounds}`,
      run.roundMs.mean.toFixed(2),
      run.roundMs.p99.toFixed(2),
    ]);
  return formatTable(HEADER, rows);
}

export function ratioLines(runs: DayRuns, leastMinutes: number): string[] {
  const ratios = ratiosOf(runs);
  const shown = OTHERS.map((other) => `${runs[other].policy} ${ratios[other].toFixed(3)}`);
  return [
    `mean click-to-door, planner by: ${shown.join(', ')}`,
    `every meal fetched when it is ready and brought straight would be ${leastMinutes.toFixed(2)}`,
  ];
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
