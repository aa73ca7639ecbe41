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

const SCENARIOS = { create: compareServers, batch: compareWays, auth: compareGuards };

await runToEnd(async (releaser, signal) => {
  const [scenario, ...rest] = process.argv.slice(2);
  if (scenario === 'read') return runReads(rest, releaser, signal);
  if (scenario === 'all') return runAll(rest, releaser, signal);
  if (scenario === 'mixed') return runMixed(rest, releaser, signal);
  if (scenario === 'start') return runStart(rest, releaser, signal);
  if (scenario === 'memory') return runMemory(rest, releaser, signal);
  if (scenario === 'activation') return runActivation(rest, releaser, signal);
  if (scenario === 'lists') return runLists(rest, releaser, signal);
  if (scenario === 'commits') return runCommits(rest, releaser, signal);
  if (scenario === 'locations') return runLocations(rest, releaser, signal);
  if (scenario === 'boxes') return runBoxes(rest, releaser, signal);
  if (scenario === 'console') return runConsole(rest, releaser, signal);
  if (scenario === 'fanout') return runFanout(rest, releaser, signal);
  if (scenario === 'webhooks') return runWebhooks(rest, releaser, signal);
  if (scenario === 'payments') return runPayments(rest, releaser, signal);
  if (scenario === 'mdrp') return runMdrp(rest, signal);
  if (scenario === 'punctuality') return runPunctuality(rest, signal);
  if (scenario === 'rounds') return runRounds(rest, signal);
  const options = parseBenchOptions(process.argv.slice(2));
  return SCENARIOS[options.scenario](options, releaser, signal);
});
