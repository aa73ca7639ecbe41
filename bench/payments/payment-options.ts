import { anyNumber, optionalText, readOptions, wholeNumber } from '../command-line.ts';

export interface PaymentOptions {
  readonly connections: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
  /** Tasks that wait for each run. */
  readonly perRun: number;
  readonly jsonFile: string | undefined;
}

const USAGE = `Usage: npm run bench -- payments [options]

  --connections 64   connections of the load generator
  --rounds 3         how often each is measured, in turn; fewer than 3 are void
  --seconds 10       length of the measured window; less than 10 is void
  --warm-up 3        seconds of load before it
  --tasks 100000     tasks that wait to be paid in each run; one that pays them all is void
  --json <file>      also write every single result there`;

/** Throws UsageError for anything that it does not understand. */
export function parsePaymentOptions(args: readonly string[]): PaymentOptions {
  const { values } = readOptions(args, USAGE, {
    connections: wholeNumber(64, 5_000),
    rounds: wholeNumber(3, 20),
    seconds: anyNumber(10, 0.1, 600),
    'warm-up': anyNumber(3, 0.1, 600),
    tasks: wholeNumber(100_000, 1_000_000),
    json: optionalText(),
  });
  const { connections, rounds, seconds, 'warm-up': warmUpSeconds, tasks: perRun, json: jsonFile } = values;
  return { connections, rounds, seconds, warmUpSeconds, perRun, jsonFile };
}
