import type { Releaser } from '../../engine/runtime/lifecycle.ts';
import type { BenchOptions } from '../bench-options.ts';
import { compareWaySummaries, judgeLargeBatches, judgeWays, wayRatioLines } from '../report/judge-ways.ts';
import { conditionLines } from '../report/print-report.ts';
import { say } from '../report/say.ts';
import { summarize } from '../report/summarize.ts';
import { create, keyedCreate } from '../scenarios/create.ts';
import { createBatch } from '../scenarios/create-batch.ts';
import type { Load, WayName } from '../scenarios/scenario.ts';
import { type Contestant, startContestants, WAYS } from '../stand/contestants.ts';
import { findVoidReasons, type Match, measureRounds } from './measure-rounds.ts';
import { openStand } from './open-stand.ts';
import { tellResults } from './tell-results.ts';

/** Scenario `batch`: the same tasks pushed in three ways, each to a gateway of its own. Resolves to the exit code. */
export async function compareWays(options: BenchOptions, releaser: Releaser, signal: AbortSignal): Promise<number> {
  say(`starting Postgres, Redis and ${WAYS.length} gateways`);
  const stand = await openStand(releaser, signal);
  const { conditions } = stand;
  const ways = WAYS.map(({ name, description }) => `${name}: ${description}`);
  say(...conditionLines(conditions), ...ways, `a batch holds ${options.items} tasks`, '');

  const contestants = await startContestants(WAYS, stand.stores, releaser, signal);
  const results = await measureRounds(planGroups(contestants, options), options, stand);
  const voidReasons = await findVoidReasons(options, contestants, results, stand);

  const rank = ({ contestant }: { readonly contestant: string }) => WAYS.findIndex(({ name }) => name === contestant);
  const summaries = summarize(results).sort((a, b) => rank(a) - rank(b) || a.connections - b.connections);
  const comparisons = compareWaySummaries(summaries);
  const verdicts = [...judgeWays(comparisons), ...judgeLargeBatches(summaries, options.items)];
  const { scenario, jsonFile } = options;
  const comparisonLines = wayRatioLines(comparisons);
  const told = { scenario, conditions, voidReasons, verdicts, comparisons, comparisonLines, summaries, results };
  tellResults(told, jsonFile);
  return voidReasons.length > 0 ? 1 : 0;
}

/** Runs that are compared stand close together in time: the nth number of connections of each way makes a group. */
function planGroups(contestants: readonly Contestant[], options: BenchOptions): Match[][] {
  const { connections, batchConnections, items } = options;
  const ways: readonly (readonly [way: WayName, load: Load, connections: readonly number[]])[] = [
    ['single', create, connections],
    ['keyed', keyedCreate, connections],
    ['batch', createBatch(items), batchConnections],
  ];
  const groups = Math.max(connections.length, batchConnections.length);
  return Array.from({ length: groups }, (_, index) =>
    ways.flatMap(([way, load, numbers]) => {
      const contestant = contestants.find(({ name }) => name === way)!;
      return index < numbers.length ? [{ contestant, load, connections: numbers[index]! }] : [];
    }),
  );
}
