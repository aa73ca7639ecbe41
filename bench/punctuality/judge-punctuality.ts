import type { Measures } from '../mdrp/check-record.ts';
import type { Verdict } from '../report/summarize.ts';
import { formatTable } from '../report/table.ts';

export interface PolicyMeasures extends Measures {
  readonly policy: string;
}

/** One day: with windows under each policy, and without any. */
export interface PunctualDay {
  readonly planner: PolicyMeasures;
  readonly blind: PolicyMeasures;
  readonly nearestIdle: PolicyMeasures;
  readonly withoutWindows: PolicyMeasures;
}

/** Source: the project's goals. */
const TARGET = { lateShare: 0.7, clickToDoor: 1.03 };

/**
 * Late orders of all days together, since a slack day has hardly any; click-to-door of each day. `name`: of these days.
 */
export function judgePunctuality(days: readonly PunctualDay[], name: string): Verdict[] {
  const late = (pick: (day: PunctualDay) => PolicyMeasures) =>
    days.reduce((sum, day) => sum + pick(day).punctuality.late, 0);
  const [planner, blind] = [late((day) => day.planner), late((day) => day.blind)];
  const ratios = days.map((day) => day.planner.clickToDoor.mean / day.blind.clickToDoor.mean);
  const fewer = 1 - planner / blind;
  return [
    {
      claim: `days ${name}: at least 30 % fewer late orders than the planner without windows`,
      measured: `${percent(fewer)} fewer: ${planner}, it ${blind}`,
      met: planner <= TARGET.lateShare * blind,
    },
    {
      claim: `days ${name}: mean click-to-door on no day more than 3 % longer`,
      measured: ratios.map((ratio) => `${(100 * (ratio - 1)).toFixed(1)} %`).join(', '),
      met: Math.max(...ratios) <= TARGET.clickToDoor,
    },
  ];
}

const HEADER = ['windows', 'policy', 'on time', 'late', 'late by', 'p95', 'waiting', 'click-to-door', 'undelivered'];

/** Minutes. */
export function punctualityTable(day: PunctualDay): string {
  const row = (windows: string, { policy, punctuality, clickToDoor, undelivered }: PolicyMeasures) => [
    windows,
    policy,
    percent(punctuality.onTimeShare),
    `${punctuality.late}`,
    punctuality.lateMean.toFixed(2),
    punctuality.lateP95.toFixed(1),
    punctuality.waitingMean.toFixed(2),
    clickToDoor.mean.toFixed(2),
    `${undelivered}`,
  ];
  const none = row('without', day.withoutWindows).map((cell, column) => (column >= 2 && column <= 6 ? '–' : cell));
  return formatTable(HEADER, [row('with', day.planner), row('with', day.blind), row('with', day.nearestIdle), none]);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
