import { anyNumber, optionalBaseUrl, optionalText, readOptions, usageError } from '../command-line.ts';
import type { ApiTarget } from './api-client.ts';

export interface ReplayOptions {
  readonly folders: readonly string[];
  /** A running instance; without one, the replay brings up its own and removes it. */
  readonly target: ApiTarget | undefined;
  /** How many times faster than the day itself. */
  readonly speed: number;
}

const USAGE = `Usage: npm run replay -- <folder…> [options]

Each folder holds a day: orders.txt and restaurants.txt of the Meal Delivery Routing Problem.
  --base-url <url> --api-key <key>   post to a running instance instead of a temporary one
  --speed 1440                       times faster than the day; 1440 makes a day a minute`;

const SPEED = { least: 0.001, most: 1_000_000 };

/** Throws UsageError, which shows the usage, for anything that it does not understand. */
export function parseReplayOptions(args: readonly string[]): ReplayOptions {
  const { values, positionals } = readOptions(
    args,
    USAGE,
    { 'base-url': optionalBaseUrl(), 'api-key': optionalText(), speed: anyNumber(1_440, SPEED.least, SPEED.most) },
    { allowPositionals: true },
  );
  if (positionals.length === 0) throw usageError('No folder given.', USAGE);
  const { 'base-url': baseUrl, 'api-key': apiKey, speed } = values;
  if ((baseUrl === undefined) !== (apiKey === undefined))
    throw usageError('--base-url and --api-key belong together.', USAGE);
  const target = baseUrl !== undefined && apiKey !== undefined ? { baseUrl, apiKey } : undefined;
  return { folders: positionals, target, speed };
}
