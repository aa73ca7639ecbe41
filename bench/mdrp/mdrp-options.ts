import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { anyNumber, flag, readOptions, texts, usageError, wholeNumber } from '../command-line.ts';
import type { Refusals } from './replay-instance.ts';

export interface MdrpOptions {
  readonly folders: readonly string[];
  /** The time between rounds of the planner; optimal matching keeps to 30 s. */
  readonly roundMs: number;
  readonly maxBundle: number;
  readonly refusals: Refusals;
  /** The report as JSON on stdout instead of text. */
  readonly json: boolean;
  /** Does not judge. */
  readonly reportOnly: boolean;
}

export const SOURCE =
  "Reyes, Erera, Savelsbergh, Sahasrabudhe, O'Neil: The Meal Delivery Routing Problem (2018); instances by Grubhub and Georgia Tech";

const USAGE = `Usage: npm run bench -- mdrp --data <folder…> [options]

Replays days of the Meal Delivery Routing Problem with a simulated clock: our planner, nearest idle first, and optimal
matching of idle couriers every 30 s. Every decision sees only what is known at its time; a second program checks every
one of them by the rules. Exits 1 when a target is missed on any of the days.

  --data <folder…>      each holds an instance, or folders of instances
  --round-seconds 30    between two rounds of the planner
  --max-bundle 3        orders of one restaurant that the planner may give to a courier at once
  --decline 0.2         probability with which a courier declines; 0 without it
  --seed 1              of the declining: who declines what is the same for all
  --offer-seconds 15    how long a courier takes to decline
  --json                the report as JSON instead
  --report-only         does not judge, and exits 0`;

/** Throws UsageError, which shows the usage, for anything that it does not understand. */
export function parseMdrpOptions(args: readonly string[]): MdrpOptions {
  const { values, positionals } = readOptions(
    args,
    USAGE,
    {
      data: texts(),
      'round-seconds': anyNumber(30, 1, 3_600),
      'max-bundle': wholeNumber(3, 100),
      decline: anyNumber(0, 0, 1),
      seed: wholeNumber(1, 2 ** 32 - 1, 0),
      'offer-seconds': anyNumber(15, 0.001, 3_600),
      json: flag(),
      'report-only': flag(),
    },
    { allowPositionals: true },
  );
  if (values.data.length === 0) throw usageError('No folder given: --data <folder…>.', USAGE);
  return {
    folders: [...values.data, ...positionals].flatMap((folder) => instancesIn(folder, USAGE)),
    roundMs: values['round-seconds'] * 1_000,
    maxBundle: values['max-bundle'],
    refusals: { probability: values.decline, seed: values.seed, offerMs: values['offer-seconds'] * 1_000 },
    json: values.json,
    reportOnly: values['report-only'],
  };
}

/** The folder itself, or the instances in it. */
export function instancesIn(folder: string, usage: string): string[] {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw usageError(`There is no folder ${folder}.`, usage);
  const isInstance = (path: string) => existsSync(join(path, 'orders.txt'));
  if (isInstance(folder)) return [folder];
  const inside = readdirSync(folder)
    .sort()
    .map((name) => join(folder, name))
    .filter(isInstance);
  // Reading it names the missing parts.
  return inside.length > 0 ? inside : [folder];
}
