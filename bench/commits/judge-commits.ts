import type { Verdict } from '../report/summarize.ts';
import { spreadOf } from '../statistics.ts';
import type { Cost } from './cost-meter.ts';

/** The steps of a task's life that are measured. */
export const STEPS = ['assign', 'in_transit', 'completed'] as const;
export const PHASES = ['create', ...STEPS] as const;
export type Phase = (typeof PHASES)[number];

/** Source: the project's performance goals. */
const MOST_OF_A_CREATE = 1.3;
const LEAST_ROUNDS = 3;

/** By the dearest step. Every phase has the same number of tasks. Fewer rounds than three have no verdict. */
export function judgeCommits(
  costs: ReadonlyMap<Phase, readonly Pick<Cost, 'gatewaySeconds' | 'postgresSeconds'>[]>,
): Verdict[] {
  if (costs.get('create')!.length < LEAST_ROUNDS) return [];
  const of = (phase: Phase) =>
    spreadOf(costs.get(phase)!.map(({ gatewaySeconds, postgresSeconds }) => gatewaySeconds + postgresSeconds)).median;
  const shares = STEPS.map((step) => ({ step, share: of(step) / of('create') }));
  return [
    {
      claim: `a status step costs at most ${MOST_OF_A_CREATE} times a create, in CPU of the gateway and of Postgres`,
      measured: shares.map(({ step, share }) => `${step} ${share.toFixed(2)}`).join(', '),
      met: shares.every(({ share }) => share <= MOST_OF_A_CREATE),
    },
  ];
}
