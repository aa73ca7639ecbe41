import { parseArgs } from 'node:util';
import { UsageError } from '../stand/run-to-end.ts';
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

const MOST_SPEED = 1_000_000;

/** Throws UsageError, which shows what would do, for anything it does not understand. */
export function parseReplayOptions(args: readonly string[]): ReplayOptions {
  const { values, positionals } = parseOrExplain(args);
  if (positionals.length === 0) throw usage('No folder given.');
  const { 'base-url': baseUrl, 'api-key': apiKey } = values;
  if ((baseUrl === undefined) !== (apiKey === undefined)) throw usage('--base-url and --api-key belong together.');
  if (baseUrl !== undefined && !/^https?:\/\/[^/]+\/?$/.test(baseUrl)) {
    throw usage(`--base-url: "${baseUrl}" is no address like http://127.0.0.1:8080.`);
  }
  const speed = Number(values.speed);
  if (values.speed.trim() === '' || !(speed > 0 && speed <= MOST_SPEED)) {
    throw usage(`--speed: "${values.speed}" is no number between 0 and ${MOST_SPEED}.`);
  }
  const target =
    baseUrl !== undefined && apiKey !== undefined ? { baseUrl: baseUrl.replace(/\/$/, ''), apiKey } : undefined;
  return { folders: positionals, target, speed };
}

function parseOrExplain(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        'base-url': { type: 'string' },
        'api-key': { type: 'string' },
        speed: { type: 'string', default: '1440' },
      },
    });
  } catch (error) {
    throw usage((error as Error).message);
  }
}

function usage(problem: string): UsageError {
  return new UsageError(`${problem}\n\n${USAGE}`);
}
