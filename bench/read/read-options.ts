import { anyNumber, optionalText, readOptions, wholeNumber } from '../command-line.ts';
import { TASKS_IN_ALL, TASKS_IN_MEMORY } from '../scenarios/read-task.ts';

export interface ReadOptions {
  readonly connections: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
  readonly jsonFile: string | undefined;
}

const USAGE = `Usage: npm run bench -- read [options]

GET /tasks/:id of an organization with ${TASKS_IN_ALL} tasks, whose seed takes minutes: always the same one; a random one of
the newest ${TASKS_IN_MEMORY}, each read before, twice from ours and once from the peer, so that no cache is cold; a random one
of all.

  --connections 64   connections of the load generator
  --rounds 5         how often each is measured, in turn; fewer than 3 are void
  --seconds 10       length of the measured window; less than 10 is void
  --warm-up 3        seconds of load before it
  --json <file>      also write every single result there`;

/** Throws UsageError for anything that it does not understand. */
export function parseReadOptions(args: readonly string[]): ReadOptions {
  const { values } = readOptions(args, USAGE, {
    connections: wholeNumber(64, 5_000),
    rounds: wholeNumber(5, 100),
    seconds: anyNumber(10, 0.1, 600),
    'warm-up': anyNumber(3, 0.1, 600),
    json: optionalText(),
  });
  const { connections, rounds, seconds, 'warm-up': warmUpSeconds, json: jsonFile } = values;
  return { connections, rounds, seconds, warmUpSeconds, jsonFile };
}
