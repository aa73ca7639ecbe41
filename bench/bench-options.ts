import { LIMITS } from '../schema/limits.ts';
import {
  anyNumber,
  optionalText,
  optionalWholeNumber,
  optionalWholeNumbers,
  readOptions,
  usageError,
  wholeNumber,
} from './command-line.ts';

const SCENARIOS = ['create', 'batch', 'auth'] as const;

export type ScenarioName = (typeof SCENARIOS)[number];

export interface BenchOptions {
  readonly scenario: ScenarioName;
  readonly connections: readonly number[];
  /** Numbers of connections that send batches; only the scenario `batch` has them. */
  readonly batchConnections: readonly number[];
  /** Tasks in a batch. */
  readonly items: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
  /** The file for every single result as JSON, beside the printed report. */
  readonly jsonFile: string | undefined;
}

const USAGE = `Usage: npm run bench -- <scenario> [options]

Scenarios: all      most of these one after the other, with a page of charts; has options of its own
           create   our gateway, a bare server and two ordinary services under POST /tasks
           batch    the same tasks to our gateway one by one, one by one with idempotency keys, and in batches
           auth     what authentication and rate limits cost: the guards alone, then POST /tasks with and without them
           read     single tasks: one of them, a hundred thousand in memory, all; has options of its own
           mixed    creates, steps, reads, lists, positions, streams and a webhook at once, for minutes
           start, memory, activation  until a gateway serves, what tasks weigh, an organization's first request
           commits  what Postgres writes for a new task and for each step of its life; has options of its own
           lists    pages, counts and the export of a million tasks; has options of its own: --tasks, --seconds, --warm-up, --alone
           locations  positions of 5,000 agents against the same server that only parses them; has options of its own
           boxes    streams of positions that change their box every second; has options of its own
           console  the console in Chromium under load, and what many consoles cost; has options of its own
           fanout   events to a thousand streams, against nginx with nchan; has options of its own
           webhooks deliveries of one workers process, beside bare BullMQ; has options of its own
           payments wallet payments, against a service that makes one transaction a request; has options of its own
           mdrp     days of the Meal Delivery Routing Problem under the planner and under simpler rules; has options of its own
           punctuality  the same days with windows: how many orders are late; has options of its own
           rounds   how long a round of the planner takes; has options of its own

  --connections 64,256   connections of the load generator, each number measured apart; 64 for auth
  --rounds 3             how often each is measured, in turn; fewer than 3 are void
  --seconds 10           length of the measured window; less than 10 is void
  --warm-up 3            seconds of load before it
  --json <file>          also write every single result there
For batch only:
  --batch-connections 4,8   connections that send batches, each number measured apart; more of them gain little
  --items 100               tasks in a batch, at most ${LIMITS.batchTasks}`;

/** A shorter window is no load at all. */
const LEAST_SECONDS = 0.001;
const MOST = { connections: 5_000, rounds: 100, seconds: 3_600 };

/** Throws UsageError, which shows the usage, for anything that it does not understand. */
export function parseBenchOptions(args: readonly string[]): BenchOptions {
  const { values, positionals } = readOptions(
    args,
    USAGE,
    {
      connections: optionalWholeNumbers(MOST.connections),
      rounds: wholeNumber(3, MOST.rounds),
      seconds: anyNumber(10, LEAST_SECONDS, MOST.seconds),
      'warm-up': anyNumber(3, LEAST_SECONDS, MOST.seconds),
      json: optionalText(),
      'batch-connections': optionalWholeNumbers(MOST.connections),
      items: optionalWholeNumber(LIMITS.batchTasks),
    },
    { allowPositionals: true },
  );
  const [name, ...rest] = positionals;
  const scenario = SCENARIOS.find((each) => each === name);
  if (!scenario) throw usageError(name === undefined ? 'No scenario given.' : `There is no scenario "${name}".`, USAGE);
  if (rest.length > 0) throw usageError(`One scenario at a time, not also "${rest.join(' ')}".`, USAGE);
  const { 'batch-connections': batchConnections, items } = values;
  if (scenario !== 'batch' && (batchConnections ?? items) !== undefined)
    throw usageError('--batch-connections and --items are for the scenario batch.', USAGE);
  return {
    scenario,
    connections: values.connections ?? (scenario === 'auth' ? [64] : [64, 256]),
    batchConnections: batchConnections ?? [4, 8],
    items: items ?? 100,
    rounds: values.rounds,
    seconds: values.seconds,
    warmUpSeconds: values['warm-up'],
    jsonFile: values.json,
  };
}
