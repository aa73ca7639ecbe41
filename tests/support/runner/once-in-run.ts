import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RUN_VARIABLE } from './leftover-processes.ts';
import { SOURCES_VARIABLE } from './run-environment.ts';

const POLL_MS = 10;
/** A process that has waited this long makes the text itself: the first one may have died. */
const PATIENCE_MS = 10_000;

/**
 * A text that the first process of a run makes, and the others wait for and read. The folder of
 * the run goes with it. A file that is run by hand makes its own, and so
 * does each process of a run in which the sources change.
 */
export function onceInRun(name: string, make: () => string): string {
  const run = process.env[RUN_VARIABLE];
  if (run === undefined || process.env[SOURCES_VARIABLE]) return make();
  const file = join(tmpdir(), `${run}-${name}`);
  if (!isFirst(`${file}.begun`)) waitFor(file);
  if (existsSync(file)) return readFileSync(file, 'utf8');
  const text = make();
  // Nobody reads half a file.
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, text);
  renameSync(unfinished, file);
  return text;
}

function isFirst(mark: string): boolean {
  try {
    writeFileSync(mark, '', { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Modules wait for it while they load, and cannot do anything else. */
function waitFor(file: string): void {
  const sleeping = new Int32Array(new SharedArrayBuffer(4));
  for (let waitedMs = 0; waitedMs < PATIENCE_MS && !existsSync(file); waitedMs += POLL_MS)
    Atomics.wait(sleeping, 0, 0, POLL_MS);
}
