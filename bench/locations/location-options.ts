import { readOptions, usageError, wholeNumber } from '../command-line.ts';

export interface LocationOptions {
  readonly agents: number;
  /** Open ones of each agent, at our gateway. */
  readonly tasksPerAgent: number;
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
  --tasks 0           open tasks of each agent, which our gateway predicts the times of
  --batch 50          points in a request, each of another agent; must divide --agents
  --connections 50    of the generator; must divide the number of batches
  --rounds 3          how often each is measured, in turn
  --seconds 30        length of a measured window
  --warm-up 5         seconds of load before it
  --reads 200         reads of single tasks a second, in the second part`;

/** Throws UsageError, which shows the usage, for anything that it does not understand. */
export function parseLocationOptions(args: readonly string[]): LocationOptions {
  const { values } = readOptions(args, USAGE, {
    agents: wholeNumber(5_000, 100_000),
    tasks: wholeNumber(0, 20, 0),
    batch: wholeNumber(50, 1_000),
    connections: wholeNumber(50, 1_000),
    rounds: wholeNumber(3, 100),
    seconds: wholeNumber(30, 3_600),
    'warm-up': wholeNumber(5, 600),
    reads: wholeNumber(200, 10_000),
  });
  const {
    agents,
    tasks: tasksPerAgent,
    batch: batchPoints,
    connections,
    rounds,
    seconds,
    'warm-up': warmUpSeconds,
    reads,
  } = values;
  const batches = agents / batchPoints;
  if (!Number.isInteger(batches) || !Number.isInteger(batches / connections))
    throw usageError(`${agents} agents do not make batches of ${batchPoints} for ${connections} connections.`, USAGE);
  return { agents, tasksPerAgent, batchPoints, connections, rounds, seconds, warmUpSeconds, readsPerSecond: reads };
}
