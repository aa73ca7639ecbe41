import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { type BenchOptions, parseBenchOptions } from './bench-options.ts';
import { checkRows } from './measure/check-rows.ts';
import { type DatabaseProbe, openDatabaseProbe } from './measure/database-probe.ts';
import { measureRun, type RunResult } from './measure/measure-run.ts';
import { measureSyncLatency } from './measure/sync-latency.ts';
import {
  comparisonLines,
  conditionLines,
  disturbanceLines,
  runLine,
  shareLines,
  summaryTable,
  verdictLines,
} from './report/print-report.ts';
import { compare, judge, summarize } from './report/summarize.ts';
import { CONTESTANTS, type Contestant, startContestants } from './stand/contestants.ts';
import { runToEnd, UsageError } from './stand/run-to-end.ts';
import { startTemporaryStores, type TemporaryStores } from './stand/temporary-stores.ts';

/**
 * `npm run bench -- <scenario>`: our gateway, its ceiling and two peers, in turn, on stores of their own. Prints what
 * it measured and how that stands to the targets. Exits 1 when a run is void, 0 otherwise, targets met or not.
 */

const LEAST_ROUNDS = 3;

await runToEnd(async (releaser, signal) => {
  const options = parseBenchOptions(process.argv.slice(2));
  say(`starting Postgres, Redis and ${CONTESTANTS.length} servers`);
  const stores = await startTemporaryStores(releaser, signal);
  const probe = await openDatabaseProbe(stores.postgres.url);
  releaser.push('probe', () => probe.stop());
  const conditions = {
    cores: availableParallelism(),
    durable: await probe.durableSettings(),
    sync: measureSyncLatency(stores.directory),
  };
  const volatile = Object.entries(conditions.durable).filter(([, value]) => value === 'off' || value === 'local');
  if (volatile.length > 0)
    throw new UsageError(`Postgres is not durable (${volatile.join(', ')}): such a bench proves nothing.`);
  say(...conditionLines(conditions), ...CONTESTANTS.map(({ name, description }) => `${name}: ${description}`), '');

  const contestants = await startContestants(stores, releaser, signal);
  const results = await measureAll(options, contestants, stores, probe, signal);
  const voidReasons = await findVoidReasons(options, contestants, results, probe);
  report(options, conditions, results, voidReasons);
  return voidReasons.length > 0 ? 1 : 0;
});

/** Round by round, each number of connections, each contestant; who goes first changes with every round. */
async function measureAll(
  options: BenchOptions,
  contestants: readonly Contestant[],
  stores: TemporaryStores,
  probe: DatabaseProbe,
  signal: AbortSignal,
): Promise<RunResult[]> {
  const { scenario, warmUpSeconds, seconds } = options;
  const bench = { probe, postmasterPid: stores.postgres.pid, apiKey: stores.demo.apiKey, signal };
  const results: RunResult[] = [];
  let seed = 0;
  for (let round = 1; round <= options.rounds; round++) {
    for (const connections of options.connections) {
      seed += 1;
      for (const turn of contestants.keys()) {
        const contestant = contestants[(turn + round - 1) % contestants.length]!;
        const plan = { scenario, contestant, connections, round, warmUpSeconds, seconds, seed };
        const result = await measureRun(plan, bench);
        say(runLine(result));
        const words = contestant.lastLines();
        if (result.voidReasons.length > 0 && words !== '') say(`${contestant.name} printed last:`, words);
        results.push(result);
      }
    }
  }
  return results;
}

async function findVoidReasons(
  { rounds }: BenchOptions,
  contestants: readonly Contestant[],
  results: readonly RunResult[],
  probe: DatabaseProbe,
): Promise<string[]> {
  const reasons = results.flatMap(({ contestant, connections, round, voidReasons }) =>
    voidReasons.map((reason) => `${contestant}, ${connections} connections, round ${round}: ${reason}`),
  );
  if (rounds < LEAST_ROUNDS) reasons.push(`${rounds} rounds, at least ${LEAST_ROUNDS} are needed`);
  return [...reasons, ...(await checkRows(contestants, results, probe))];
}

function report(
  { scenario, jsonFile }: BenchOptions,
  conditions: Parameters<typeof conditionLines>[0],
  results: readonly RunResult[],
  voidReasons: readonly string[],
): void {
  const summaries = summarize(results).sort((a, b) => a.connections - b.connections);
  const comparisons = compare(summaries);
  const verdicts = judge(scenario, comparisons);
  say('', 'Medians over the rounds (lowest–highest)', ...conditionLines(conditions), '', summaryTable(summaries));
  say('', 'Where the time of all cores went', ...shareLines(summaries));
  say('', 'Ratios of medians', ...comparisonLines(comparisons));
  say('', ...verdictLines(verdicts), ...disturbanceLines(results));
  if (voidReasons.length > 0)
    say('', 'VOID, these numbers prove nothing:', ...voidReasons.map((reason) => `  ${reason}`));
  if (jsonFile === undefined) return;
  const everything = { scenario: scenario.name, conditions, voidReasons, verdicts, comparisons, summaries, results };
  writeFileSync(jsonFile, `${JSON.stringify(everything, undefined, 2)}\n`);
  say('', `every result: ${jsonFile}`);
}

function say(...lines: string[]): void {
  for (const line of lines) console.log(line);
}
