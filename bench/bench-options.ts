import { parseArgs } from 'node:util';
import { LIMITS } from '../schema/limits.ts';
import { findScenario, type ScenarioName } from './scenarios/find-scenario.ts';
import { UsageError } from './stand/run-to-end.ts';

export interface BenchOptions {
  readonly scenario: ScenarioName;
  readonly connections: readonly number[];
  /** Those that send batches; only the scenario `batch` has them. */
  readonly batchConnections: readonly number[];
  /** Tasks in a batch. */
  readonly items: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
  /** Where every single result goes as JSON, beside the printed report. */
  readonly jsonFile: string | undefined;
}

const USAGE = `Usage: npm run bench -- <scenario> [options]

Scenarios: create   our gateway, its ceiling and two ordinary services under POST /tasks
           batch    the same tasks to our gateway one by one, one by one with idempotency keys, and in batches
           auth     what authentication and rate limits cost: the guards alone, then POST /tasks with and without them
           lists    pages, counts and the export of a million tasks; has options of its own: --tasks, --seconds, --warm-up
           locations  positions of 5,000 agents against the same server that only parses them; has options of its own
           fanout   events to a thousand streams, against nginx with nchan; has options of its own
           webhooks deliveries of one workers process, beside bare BullMQ; has options of its own
           payments wallet payments, against a service that makes one transaction a request; has options of its own
           mdrp     days of the Meal Delivery Routing Problem under the planner and under simpler rules; has options of its own
           rounds   how long a round of the planner takes; has options of its own

  --connections 64,256   connections of the load generator, each number measured apart; 64 for auth
  --rounds 3             how often each is measured, in turn; fewer than 3 are void
  --seconds 10           length of the measured window; less than 10 is void
  --warm-up 3            seconds of load before it
  --json <file>          also write every single result there
For batch only:
  --batch-connections 4,8   connections that send batches, each number measured apart; more of them gain nothing
  --items 100               tasks in a batch, at most ${LIMITS.batchTasks}`;

const MOST = { connections: 5_000, rounds: 100, seconds: 3_600 };

/** Throws UsageError, which shows what would do, for anything it does not understand. */
export function parseBenchOptions(args: readonly string[]): BenchOptions {
  const { values, positionals } = parseOrExplain(args);
  const [name, ...rest] = positionals;
  const scenario = name === undefined ? undefined : findScenario(name);
  if (!scenario) throw usage(name === undefined ? 'No scenario given.' : `There is no scenario "${name}".`);
  if (rest.length > 0) throw usage(`One scenario at a time, not also "${rest.join(' ')}".`);
  const batchConnections = values['batch-connections'];
  if (scenario !== 'batch' && (batchConnections ?? values.items) !== undefined)
    throw usage('--batch-connections and --items are for the scenario batch.');
  return {
    scenario,
    connections: connectionNumbers('--connections', values.connections ?? (scenario === 'auth' ? '64' : '64,256')),
    batchConnections: connectionNumbers('--batch-connections', batchConnections ?? '4,8'),
    items: wholeNumber('--items', values.items ?? '100', LIMITS.batchTasks),
    rounds: wholeNumber('--rounds', values.rounds, MOST.rounds),
    seconds: numberOf('--seconds', values.seconds, MOST.seconds),
    warmUpSeconds: numberOf('--warm-up', values['warm-up'], MOST.seconds),
    jsonFile: values.json,
  };
}

function parseOrExplain(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        connections: { type: 'string' },
        rounds: { type: 'string', default: '3' },
        seconds: { type: 'string', default: '10' },
        'warm-up': { type: 'string', default: '3' },
        json: { type: 'string' },
        'batch-connections': { type: 'string' },
        items: { type: 'string' },
      },
    });
  } catch (error) {
    throw usage((error as Error).message);
  }
}

function connectionNumbers(option: string, list: string): number[] {
  return list.split(',').map((text) => wholeNumber(option, text, MOST.connections));
}

function wholeNumber(option: string, text: string, most: number): number {
  const value = numberOf(option, text, most);
  if (!Number.isInteger(value)) throw usage(`${option}: "${text}" is no whole number.`);
  return value;
}

function numberOf(option: string, text: string, most: number): number {
  const value = Number(text);
  if (text.trim() === '' || !(value > 0 && value <= most)) {
    throw usage(`${option}: "${text}" is no number between 0 and ${most}.`);
  }
  return value;
}

function usage(problem: string): UsageError {
  return new UsageError(`${problem}\n\n${USAGE}`);
}
