import type { Releaser } from '../engine/runtime/lifecycle.ts';
import { runAll } from './all/run-all.ts';
import { parseBenchOptions } from './bench-options.ts';
import { runBoxes } from './boxes/run-boxes.ts';
import { runCommits } from './commits/run-commits.ts';
import { compareGuards } from './compare/compare-guards.ts';
import { compareServers } from './compare/compare-servers.ts';
import { compareWays } from './compare/compare-ways.ts';
import { runConsole } from './console/run-console.ts';
import { runFanout } from './fanout/run-fanout.ts';
import { runActivation } from './life/run-activation.ts';
import { runMemory } from './life/run-memory.ts';
import { runStart } from './life/run-start.ts';
import { runLists } from './lists/run-lists.ts';
import { runLocations } from './locations/run-locations.ts';
import { runMdrp } from './mdrp/run-mdrp.ts';
import { runMixed } from './mixed/run-mixed.ts';
import { runPayments } from './payments/run-payments.ts';
import { runPunctuality } from './punctuality/run-punctuality.ts';
import { runReads } from './read/run-reads.ts';
import { runRounds } from './rounds/run-rounds.ts';
import { runToEnd } from './stand/run-to-end.ts';
import { runWebhooks } from './webhooks/run-webhooks.ts';

/**
 * `npm run bench -- <scenario>`, on stores of its own. Prints what it measured and how that stands to the targets.
 * Exits 1 when a run is void, 0 otherwise, targets met or not; `mdrp` and `punctuality`, whose numbers are no matter
 * of the machine, also when a target is missed.
 */

type Scenario = (args: readonly string[], releaser: Releaser, signal: AbortSignal) => Promise<number>;

/** Those with options of their own. */
const SCENARIOS: Readonly<Record<string, Scenario>> = {
  all: runAll,
  read: runReads,
  mixed: runMixed,
  start: runStart,
  memory: runMemory,
  activation: runActivation,
  commits: runCommits,
  lists: runLists,
  locations: runLocations,
  boxes: runBoxes,
  console: runConsole,
  fanout: runFanout,
  webhooks: runWebhooks,
  payments: runPayments,
  mdrp: (args, _, signal) => runMdrp(args, signal),
  punctuality: (args, _, signal) => runPunctuality(args, signal),
  rounds: (args, _, signal) => runRounds(args, signal),
};
/** Servers, ways or guards beside each other. */
const COMPARISONS = { create: compareServers, batch: compareWays, auth: compareGuards };

await runToEnd(async (releaser, signal) => {
  const [name, ...rest] = process.argv.slice(2);
  if (name !== undefined && Object.hasOwn(SCENARIOS, name)) return SCENARIOS[name]!(rest, releaser, signal);
  const options = parseBenchOptions(process.argv.slice(2));
  return COMPARISONS[options.scenario](options, releaser, signal);
});
