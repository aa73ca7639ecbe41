import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RUN_VARIABLE } from './leftover-processes.ts';
import { SOURCES_VARIABLE } from './run-environment.ts';

/**
 * A text that the first processes of a run make, and the others read. The folder of
 * the run goes with it. A file that is run by hand makes its own, and so
 * does each process of a run in which the sources change.
 */
export function onceInRun(name: string, make: () => string): string {
  const run = process.env[RUN_VARIABLE];
  if (run === undefined || process.env[SOURCES_VARIABLE]) return make();
  const file = join(tmpdir(), `${run}-${name}`);
  if (existsSync(file)) return readFileSync(file, 'utf8');
  const text = make();
  // Nobody reads half a file.
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, text);
  renameSync(unfinished, file);
  return text;
}
