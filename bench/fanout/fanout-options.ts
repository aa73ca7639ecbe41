import { optionalChoice, optionalText, readOptions, wholeNumber } from '../command-line.ts';

export const PARTS = ['hub', 'post'] as const;
export type PartName = (typeof PARTS)[number];

export interface FanoutOptions {
  readonly parts: readonly PartName[];
  readonly subscribers: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
  /** The file for every single step as JSON, beside the printed report. */
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

/** Throws UsageError, which shows the usage, for anything that it does not understand. */
export function parseFanoutOptions(args: readonly string[]): FanoutOptions {
  const { values } = readOptions(args, USAGE, {
    only: optionalChoice(PARTS),
    subscribers: wholeNumber(1_000, 2_000),
    rounds: wholeNumber(3, 100),
    seconds: wholeNumber(8, 600),
    'warm-up': wholeNumber(2, 600),
    json: optionalText(),
  });
  const { only, subscribers, rounds, seconds, 'warm-up': warmUpSeconds, json: jsonFile } = values;
  return { parts: only === undefined ? PARTS : [only], subscribers, rounds, seconds, warmUpSeconds, jsonFile };
}
