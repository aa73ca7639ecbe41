import { anyNumber, optionalText, readOptions, wholeNumber } from '../command-line.ts';

export interface MixedOptions {
  readonly minutes: number;
  readonly searchSeconds: number;
  readonly streams: number;
  readonly atOnce: number;
  readonly jsonFile: string | undefined;
}

const USAGE = `Usage: npm run bench -- mixed [options]

Tasks live their lives at one gateway with its workers: created, read, listed, given to an agent, accepted, carried while
positions come in, completed; streams and a webhook follow them. First as many lives as can be, then half as many.

Each minute ends with a collection of the gateway's garbage, which weighs its heap; its memory is read just before that.

  --minutes 20          at half of the maximum; less than 4 is void
  --search-seconds 20   for finding the maximum
  --streams 200         streams of the organization
  --at-once 32          lives beside each other while the maximum is found
  --json <file>         also write the figures of every minute there`;

/** Throws UsageError for anything that it does not understand. */
export function parseMixedOptions(args: readonly string[]): MixedOptions {
  const { values } = readOptions(args, USAGE, {
    minutes: anyNumber(20, 0.05, 1_440),
    'search-seconds': anyNumber(20, 1, 600),
    streams: wholeNumber(200, 5_000),
    'at-once': wholeNumber(32, 1_000),
    json: optionalText(),
  });
  return {
    minutes: values.minutes,
    searchSeconds: values['search-seconds'],
    streams: values.streams,
    atOnce: values['at-once'],
    jsonFile: values.json,
  };
}
