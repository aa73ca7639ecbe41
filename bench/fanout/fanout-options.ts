import { parseArgs } from 'node:util';
import { UsageError } from '../stand/run-to-end.ts';

export const PARTS = ['hub', 'post'] as const;
export type PartName = (typeof PARTS)[number];

export interface FanoutOptions {
  readonly parts: readonly PartName[];
  readonly subscribers: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
  /** Where every single step goes as JSON, beside the printed report. */
  readonly jsonFile: string | undefined;
}

const USAGE = `Usage: npm run bench -- fanout [options]

The highest rate of events at which every subscriber of an organization gets every one of them, p99 within 250 ms: ours
against nginx with its module nchan (Debian packages nginx-light and libnginx-mod-nchan), in turn.
  hub   the same POST of a finished event to both
  post  POST /tasks: ours, and an ordinary service that commits a transaction and then publishes to nchan

  --only hub          one part alone
  --subscribers 1000
  --rounds 3          how often each limit is searched for, in turn; fewer than 3 are void
  --seconds 8         length of the measured window of a step; less than 8 is void
  --warm-up 2         seconds of the same before it
  --json <file>       also write every single step there`;

/** Throws UsageError, which shows what would do, for anything it does not understand. */
export function parseFanoutOptions(args: readonly string[]): FanoutOptions {
  const values = parseOrExplain(args);
  const whole = (option: 'subscribers' | 'rounds' | 'seconds' | 'warm-up', most: number) => {
    const value = Number(values[option]);
    if (!(Number.isInteger(value) && value >= 1 && value <= most))
      throw usage(`--${option}: "${values[option]}" is no whole number from 1 to ${most}.`);
    return value;
  };
  const only = values.only;
  const parts = PARTS.filter((part) => only === undefined || part === only);
  if (parts.length === 0) throw usage(`--only: there is no part "${only}".`);
  return {
    parts,
    subscribers: whole('subscribers', 2_000),
    rounds: whole('rounds', 100),
    seconds: whole('seconds', 600),
    warmUpSeconds: whole('warm-up', 600),
    jsonFile: values.json,
  };
}

function parseOrExplain(args: readonly string[]) {
  const number = (fallback: string) => ({ type: 'string', default: fallback }) as const;
  try {
    return parseArgs({
      args: [...args],
      options: {
        only: { type: 'string' },
        subscribers: number('1000'),
        rounds: number('3'),
        seconds: number('8'),
        'warm-up': number('2'),
        json: { type: 'string' },
      },
    }).values;
  } catch (error) {
    throw usage((error as Error).message);
  }
}

function usage(problem: string): UsageError {
  return new UsageError(`${problem}\n\n${USAGE}`);
}
