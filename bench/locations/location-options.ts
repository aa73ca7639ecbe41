import { parseArgs } from 'node:util';
import { UsageError } from '../stand/run-to-end.ts';

export interface LocationOptions {
  readonly agents: number;
  readonly batchPoints: number;
  readonly connections: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
  /** Single-task reads beside half of the maximum. */
  readonly readsPerSecond: number;
}

const USAGE = `Usage: npm run bench -- locations [options]

Positions of a device gateway to one gateway process, as many as it takes, in turn with the same server that parses and
checks the same bodies and answers 202 without applying them; then reads of tasks beside half of that.

  --agents 5000       agents whose positions are sent
  --batch 50          points in a request, each of another agent; must divide --agents
  --connections 50    of the generator; must divide the number of batches
  --rounds 3          how often each is measured, in turn
  --seconds 30        length of a measured window
  --warm-up 5         seconds of load before it
  --reads 200         reads of single tasks a second, in the second part`;

/** Throws UsageError, which shows what would do, for anything it does not understand. */
export function parseLocationOptions(args: readonly string[]): LocationOptions {
  const values = parseOrExplain(args);
  const whole = (option: keyof typeof values, most: number) => {
    const value = Number(values[option]);
    if (!(Number.isInteger(value) && value >= 1 && value <= most))
      throw usage(`--${option}: "${values[option]}" is no whole number from 1 to ${most}.`);
    return value;
  };
  const options = {
    agents: whole('agents', 100_000),
    batchPoints: whole('batch', 1_000),
    connections: whole('connections', 1_000),
    rounds: whole('rounds', 100),
    seconds: whole('seconds', 3_600),
    warmUpSeconds: whole('warm-up', 600),
    readsPerSecond: whole('reads', 10_000),
  };
  const batches = options.agents / options.batchPoints;
  if (!Number.isInteger(batches) || !Number.isInteger(batches / options.connections))
    throw usage(
      `${options.agents} agents do not make batches of ${options.batchPoints} for ${options.connections} connections.`,
    );
  return options;
}

function parseOrExplain(args: readonly string[]) {
  const number = (fallback: string) => ({ type: 'string', default: fallback }) as const;
  try {
    return parseArgs({
      args: [...args],
      options: {
        agents: number('5000'),
        batch: number('50'),
        connections: number('50'),
        rounds: number('3'),
        seconds: number('30'),
        'warm-up': number('5'),
        reads: number('200'),
      },
    }).values;
  } catch (error) {
    throw usage((error as Error).message);
  }
}

function usage(problem: string): UsageError {
  return new UsageError(`${problem}\n\n${USAGE}`);
}
