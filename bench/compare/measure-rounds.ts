import type { BenchOptions } from '../bench-options.ts';
import { checkRows } from '../measure/check-rows.ts';
import { measureRun, type RunResult } from '../measure/measure-run.ts';
import { runLine } from '../report/print-report.ts';
import { say } from '../report/say.ts';
import type { Load } from '../scenarios/scenario.ts';
import type { Contestant } from '../stand/contestants.ts';
import type { Stand } from './open-stand.ts';

/** A contestant under one load. */
export interface Match {
  readonly contestant: Contestant;
  readonly load: Load;
  readonly connections: number;
}

const LEAST_ROUNDS = 3;

/**
 * Round by round, each group of matches; the matches of a group get the same seed, and which of them goes first changes
 * with every round.
 */
export async function measureRounds(
  groups: readonly (readonly Match[])[],
  { rounds, warmUpSeconds, seconds }: BenchOptions,
  { stores, probe, signal }: Stand,
): Promise<RunResult[]> {
  const bench = { probe, postmasterPid: stores.postgres.pid, apiKey: stores.demo.apiKey, signal };
  const results: RunResult[] = [];
  let seed = 0;
  for (let round = 1; round <= rounds; round++) {
    for (const group of groups) {
      seed += 1;
      for (const turn of group.keys()) {
        const match = group[(turn + round - 1) % group.length]!;
        const result = await measureRun({ ...match, round, warmUpSeconds, seconds, seed }, bench);
        say(runLine(result));
        const { name, lastLines } = match.contestant;
        const words = lastLines();
        if (result.voidReasons.length > 0 && words !== '') say(`${name} printed last:`, words);
        results.push(result);
      }
    }
  }
  return results;
}

/** The reasons why the run does not count; empty when it does. */
export async function findVoidReasons(
  { rounds }: BenchOptions,
  contestants: readonly Contestant[],
  results: readonly RunResult[],
  { probe }: Stand,
): Promise<string[]> {
  const reasons = results.flatMap(({ contestant, connections, round, voidReasons }) =>
    voidReasons.map((reason) => `${contestant}, ${connections} connections, round ${round}: ${reason}`),
  );
  if (rounds < LEAST_ROUNDS) reasons.push(`${rounds} rounds, at least ${LEAST_ROUNDS} are needed`);
  return [...reasons, ...(await checkRows(contestants, results, probe))];
}
