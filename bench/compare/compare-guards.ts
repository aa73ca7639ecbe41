import type { Releaser } from '../../engine/runtime/lifecycle.ts';
import type { BenchOptions } from '../bench-options.ts';
import { MOST_GUARD_MICROS, measureGuardCost } from '../measure/guard-cost.ts';
import { conditionLines } from '../report/print-report.ts';
import { say } from '../report/say.ts';
import { microsOf, type Summary, summarize, type Verdict } from '../report/summarize.ts';
import { create } from '../scenarios/create.ts';
import { GUARDED, startContestants } from '../stand/contestants.ts';
import { findVoidReasons, measureRounds } from './measure-rounds.ts';
import { openStand } from './open-stand.ts';
import { tellResults } from './tell-results.ts';

const CALLS = 2_000_000;
const CHANNELS = 10_000;

/**
 * Scenario `auth`: the guards alone, which are judged, and creates with and without them, which are only shown: they
 * differ from run to run by more than the guards cost. Resolves to the exit code.
 */
export async function compareGuards(options: BenchOptions, releaser: Releaser, signal: AbortSignal): Promise<number> {
  say(`measuring ${CALLS} requests of ${CHANNELS} channels, in this process`);
  const cost = await measureGuardCost(CALLS, CHANNELS);
  const shown = `${cost.guard.toFixed(2)} µs of CPU, with the rate limit ${cost.guardAndQuota.toFixed(2)} µs`;
  say(`the guards take ${shown} a request`, '');

  say(`starting Postgres, Redis and ${GUARDED.length} gateways`);
  const stand = await openStand(releaser, signal);
  const { conditions } = stand;
  say(...conditionLines(conditions), ...GUARDED.map(({ name, description }) => `${name}: ${description}`), '');
  const contestants = await startContestants(GUARDED, stand.stores, releaser, signal);
  const groups = options.connections.map((connections) =>
    contestants.map((contestant) => ({ contestant, connections, load: create })),
  );
  const results = await measureRounds(groups, options, stand);
  const voidReasons = await findVoidReasons(options, contestants, results, stand);

  const summaries = summarize(results).sort((a, b) => a.connections - b.connections);
  const comparisons = options.connections.map((connections) => compare(summaries, connections));
  const comparisonLines = comparisons.map(
    ({ connections, throughput, cpu }) =>
      `${connections} connections  ours / unguarded ${throughput.toFixed(3)}   CPU per task ${cpu.toFixed(3)}`,
  );
  const verdicts: Verdict[] = [
    {
      claim: `authentication with the rate limit takes at most ${MOST_GUARD_MICROS} µs of CPU a request`,
      measured: shown,
      met: cost.guardAndQuota <= MOST_GUARD_MICROS,
    },
  ];
  const { scenario, jsonFile } = options;
  const told = { scenario, conditions, voidReasons, verdicts, comparisons, comparisonLines, summaries, results };
  tellResults(told, jsonFile);
  return voidReasons.length > 0 ? 1 : 0;
}

/** Ratios of medians. */
function compare(summaries: readonly Summary[], connections: number) {
  const of = (name: string) => summaries.find((cell) => cell.connections === connections && cell.contestant === name)!;
  const [ours, unguarded] = [of('ours'), of('unguarded')];
  return {
    connections,
    throughput: ours.tasksPerSecond.median / unguarded.tasksPerSecond.median,
    cpu: microsOf(ours) / microsOf(unguarded),
  };
}
