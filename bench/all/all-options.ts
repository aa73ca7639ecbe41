import { flag, optionalText, readOptions, usageError } from '../command-line.ts';
import { ALL, type Planned } from './planned.ts';

export interface AllOptions {
  readonly planned: readonly Planned[];
  /** The folder for the report. */
  readonly folder: string;
  /** Whether the figures become those that later runs are compared with. */
  readonly accepts: boolean;
}

const USAGE = `Usage: npm run bench -- all [options]

Runs the scenarios one after the other and writes a report, index.html and figures.json, that compares the figures with those
accepted last, which stand in bench/README.md.

  --only create,read   some of ${ALL.map(({ name }) => name).join(', ')}
  --folder <folder>    for the report; bench/report/latest by default
  --accept             write the figures of this run into bench/README.md; those of a scenario with disturbed rounds say so`;

/** Throws UsageError for anything that it does not understand. */
export function parseAllOptions(args: readonly string[]): AllOptions {
  const { values } = readOptions(args, USAGE, { only: optionalText(), folder: optionalText(), accept: flag() });
  const names = values.only?.split(',') ?? ALL.map(({ name }) => name);
  const planned = names.map((name) => {
    const found = ALL.find((each) => each.name === name);
    if (!found) throw usageError(`There is no scenario "${name}" in all.`, USAGE);
    return found;
  });
  return { planned, folder: values.folder ?? 'bench/report/latest', accepts: values.accept };
}
