import { setImmediate as turn } from 'node:timers/promises';
import { planRound } from '../../engine/domain/planning/plan-round.ts';
import { verdictLines } from '../report/print-report.ts';
import { say } from '../report/say.ts';
import { percentile } from '../statistics.ts';
import { checkRecord, leastClickToDoor } from './check-record.ts';
import { IdleMatching } from './idle-matching.ts';
import { type DayRuns, dayTable, judgeDay, type PolicyRun, ratioLines, ratiosOf } from './judge-mdrp.ts';
import { type MdrpOptions, parseMdrpOptions, SOURCE } from './mdrp-options.ts';
import { NearestIdle } from './nearest-idle.ts';
import { NearestPair } from './nearest-pair.ts';
import { PlannerPolicy } from './planner-policy.ts';
import type { Policy } from './policy.ts';
import { type Instance, readInstance } from './read-instance.ts';
import { replayInstance } from './replay-instance.ts';

/**
 * `npm run bench -- mdrp`. Resolves to the exit code: 1 when a target is missed, 0 otherwise. Throws when a policy
 * breaks a rule of the instance, or a record does not follow from its decisions.
 */
export async function runMdrp(args: readonly string[], signal: AbortSignal): Promise<number> {
  const options = parseMdrpOptions(args);
  const tell = (...lines: readonly string[]) => say(...(options.json ? [] : lines));
  // Everything is read before anything is replayed: a malformed line fails at once.
  const instances = options.folders.map(readInstance);
  tell(`Instances: ${SOURCE}`, conditionLine(options));
  const days = [];
  for (const instance of instances) {
    const runs = await replayAll(instance, options, signal);
    const least = leastClickToDoor(instance);
    const verdicts = options.reportOnly ? [] : judgeDay(runs);
    const [orders, couriers] = [instance.orders.length, instance.couriers.length];
    tell('', `${instance.name}: ${orders} orders, ${couriers} couriers`, dayTable(runs), ...ratioLines(runs, least));
    tell(...verdictLines(verdicts));
    days.push({
      instance: instance.name,
      orders,
      couriers,
      leastClickToDoor: least,
      runs,
      ratios: ratiosOf(runs),
      verdicts,
    });
  }
  if (options.json) say(JSON.stringify({ scenario: 'mdrp', source: SOURCE, options, days }, undefined, 2));
  return days.every(({ verdicts }) => verdicts.every(({ met }) => met)) ? 0 : 1;
}

async function replayAll(instance: Instance, options: MdrpOptions, signal: AbortSignal): Promise<DayRuns> {
  const { parameters } = instance;
  const run = async (policy: Policy): Promise<PolicyRun> => {
    // Lets an interruption in: a replay computes without a break.
    await turn();
    signal.throwIfAborted();
    const record = replayInstance(instance, policy, options.refusals);
    const rounds = record.roundMs.length;
    const sorted = record.roundMs.toSorted((a, b) => a - b);
    const mean = sorted.reduce((sum, ms) => sum + ms, 0) / rounds;
    const roundMs = { mean, p99: rounds === 0 ? Number.NaN : percentile(sorted, 0.99) };
    return { policy: policy.name, ...checkRecord(instance, record), rounds, roundMs };
  };
  const { roundMs: everyMs, maxBundle } = options;
  return {
    planner: await run(new PlannerPolicy(instance, { everyMs, maxBundle, seesWindows: true }, planRound)),
    nearestIdle: await run(new NearestIdle(parameters)),
    nearestPair: await run(new NearestPair(parameters)),
    matchingByWay: await run(new IdleMatching(parameters, 'way')),
    matchingByPickup: await run(new IdleMatching(parameters, 'pickup')),
  };
}

function conditionLine({ roundMs, maxBundle, refusals }: MdrpOptions): string {
  const { probability, seed, offerMs } = refusals;
  const declining =
    probability === 0
      ? 'nobody declines'
      : `couriers decline with probability ${probability} (seed ${seed}), which takes ${offerMs / 1_000} s`;
  return `Planner every ${roundMs / 1_000} s, at most ${maxBundle} orders at once; ${declining}`;
}
