import type { Releaser } from '../../engine/runtime/lifecycle.ts';
import type { BenchOptions } from '../bench-options.ts';
import { comparisonLines, conditionLines } from '../report/print-report.ts';
import { say } from '../report/say.ts';
import { compare, judge, summarize } from '../report/summarize.ts';
import { create } from '../scenarios/create.ts';
import { SERVERS, startContestants } from '../stand/contestants.ts';
import { findVoidReasons, measureRounds } from './measure-rounds.ts';
import { openStand } from './open-stand.ts';
import { teachBare } from './teach-bare.ts';
import { tellResults } from './tell-results.ts';

/** Scenario `create`: our gateway, a bare server and two peers under POST /tasks. Resolves to the exit code. */
export async function compareServers(options: BenchOptions, releaser: Releaser, signal: AbortSignal): Promise<number> {
  say(`starting Postgres, Redis and ${SERVERS.length} servers`);
  const stand = await openStand(releaser, signal);
  const { conditions } = stand;
  say(...conditionLines(conditions), ...SERVERS.map(({ name, description }) => `${name}: ${description}`), '');

  const contestants = await startContestants(SERVERS, stand.stores, releaser, signal);
  const [order] = create.requestsFor({ connection: 0, connections: 1, seed: 0 });
  await teachBare(contestants, stand.stores.demo.apiKey, order!);
  const groups = options.connections.map((connections) =>
    contestants.map((contestant) => ({ contestant, connections, load: create })),
  );
  const results = await measureRounds(groups, options, stand);
  const voidReasons = await findVoidReasons(options, contestants, results, stand);

  const summaries = summarize(results).sort((a, b) => a.connections - b.connections);
  const comparisons = compare(summaries);
  const verdicts = judge(comparisons);
  const { scenario, jsonFile } = options;
  const lines = comparisonLines(comparisons);
  const told = { scenario, conditions, voidReasons, verdicts, comparisons, comparisonLines: lines, summaries, results };
  tellResults(told, jsonFile);
  return voidReasons.length > 0 ? 1 : 0;
}
