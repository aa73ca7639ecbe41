import { setImmediate as turn } from 'node:timers/promises';
import { planRound } from '../../engine/domain/planning/plan-round.ts';
import { flag, readOptions, texts, usageError, wholeNumber } from '../command-line.ts';
import { checkRecord } from '../mdrp/check-record.ts';
import { instancesIn, SOURCE } from '../mdrp/mdrp-options.ts';
import { NearestIdle } from '../mdrp/nearest-idle.ts';
import { PlannerPolicy } from '../mdrp/planner-policy.ts';
import type { Policy } from '../mdrp/policy.ts';
import { type Instance, readInstance } from '../mdrp/read-instance.ts';
import { replayInstance } from '../mdrp/replay-instance.ts';
import { verdictLines } from '../report/print-report.ts';
import { say } from '../report/say.ts';
import type { Verdict } from '../report/summarize.ts';
import { type EtaErrors, etaErrorsOf, etaErrorTable, judgeEtaErrors, STRAIGHT_RULE } from './eta-errors.ts';
import { judgePunctuality, type PolicyMeasures, type PunctualDay, punctualityTable } from './judge-punctuality.ts';
import { MADE_UP_CLASSES, MADE_UP_RULE, madeUpDay } from './made-up-days.ts';
import { NOISE_RULE } from './noisy-day.ts';
import { hopelessOf, WINDOW_RULE, withWindows } from './promised-windows.ts';

const USAGE = `Usage: npm run bench -- punctuality [--data <folder…>] [options]

How punctual the planner is on days with a window for each order: beside the same planner when it knows of no windows,
which is the rule of the one before, and nearest idle first. The days without windows are replayed, too. The days are
those of the Meal Delivery Routing Problem that are given, by which the planner's weights were chosen, and days of our own
generator, which no choice has seen. Then the planner's days in traffic: how far off the ETA was that a customer
saw when the courier accepted. A second program checks every decision by the rules. Exits 1 when a target is missed.

  --data <folder…>   each holds an instance, or folders of instances; without it there are only made-up days
  --seeds 1          made-up days of each class: r1, r2, c1, c2, rc1, rc2
  --report-only      does not judge, and exits 0`;

const NOBODY_DECLINES = { probability: 0, seed: 1, offerMs: 1 };
const TRAFFIC_SEED = 20_261_125;
const ROUNDS = { everyMs: 30_000, maxBundle: 3 };

/** `npm run bench -- punctuality`. Resolves to the exit code: 1 when a target is missed, 0 otherwise. */
export async function runPunctuality(args: readonly string[], signal: AbortSignal): Promise<number> {
  const options = { data: texts(), seeds: wholeNumber(1, 100, 0), 'report-only': flag() };
  const { values, positionals } = readOptions(args, USAGE, options, { allowPositionals: true });
  const folders = [...values.data, ...positionals].flatMap((folder) => instancesIn(folder, USAGE));
  const given = folders.map(readInstance).map(withWindows);
  const madeUp = MADE_UP_CLASSES.flatMap((kind) =>
    Array.from({ length: values.seeds }, (_, index) => madeUpDay(kind, index + 1)),
  );
  if (given.length + madeUp.length === 0) throw usageError('No days: neither --data nor --seeds.', USAGE);
  const verdicts: Verdict[] = [];
  const errors: EtaErrors[] = [];
  for (const [name, instances, rules] of [
    ['given', given, [`Instances: ${SOURCE}`, `Windows: ${WINDOW_RULE}`]],
    ['made up', madeUp, [`Instances: ${MADE_UP_RULE}`]],
  ] as const) {
    if (instances.length === 0) continue;
    say('', ...rules);
    const days: PunctualDay[] = [];
    for (const promised of instances) {
      const day = await replayDay(promised, signal);
      days.push(day);
      errors.push(...day.etaErrors);
      const { length } = promised.orders;
      const counts = `${length} orders; ${hopelessOf(promised)} of them nobody could bring in time`;
      say('', `${promised.name}: ${counts}`, punctualityTable(day));
    }
    verdicts.push(...judgePunctuality(days, name));
  }
  say('', `Error of the ETA at acceptance, mean in minutes. Traffic: ${NOISE_RULE} (seed ${TRAFFIC_SEED}).`);
  say(`Straight line: ${STRAIGHT_RULE}.`, etaErrorTable(errors));
  if (values['report-only']) return 0;
  verdicts.push(judgeEtaErrors(errors));
  say('', ...verdictLines(verdicts));
  return verdicts.every(({ met }) => met) ? 0 : 1;
}

interface ReplayedDay extends PunctualDay {
  /** The errors of the planner's ETAs, with the windows and without. */
  readonly etaErrors: readonly EtaErrors[];
}

async function replayDay(promised: Instance, signal: AbortSignal): Promise<ReplayedDay> {
  const plain = { ...promised, orders: promised.orders.map(({ window: _window, ...order }) => order) };
  const etaErrors: EtaErrors[] = [];
  const run = async (instance: Instance, policy: Policy): Promise<PolicyMeasures> => {
    await turn();
    signal.throwIfAborted();
    const record = replayInstance(instance, policy, NOBODY_DECLINES);
    const windows = instance === promised ? 'windows' : 'no windows';
    if (policy instanceof PlannerPolicy && policy.seesWindows)
      etaErrors.push({ ...etaErrorsOf(instance, record, TRAFFIC_SEED), name: `${instance.name}, ${windows}` });
    return { policy: policy.name, ...checkRecord(instance, record) };
  };
  const planner = (instance: Instance, seesWindows: boolean) =>
    run(instance, new PlannerPolicy(instance, { ...ROUNDS, seesWindows }, planRound));
  return {
    planner: await planner(promised, true),
    blind: await planner(promised, false),
    nearestIdle: await run(promised, new NearestIdle(promised.parameters)),
    withoutWindows: await planner(plain, true),
    etaErrors,
  };
}
