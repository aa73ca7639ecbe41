import { accessSync, chmodSync, constants, mkdtempSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where Linux keeps files in memory. */
const IN_MEMORY = '/dev/shm';
/** Several times what the stores of a run write. */
const NEEDED_BYTES = 4 * 1024 ** 3;

/**
 * Makes the folder of a run, for its stores and all the temporary files of its tests. In memory where there is room: a
 * disk takes three times as long to make the databases of the test files, most of it for fsync.
 */
export function openRunFolder(): string {
  const directory = mkdtempSync(join(hasRoom() ? IN_MEMORY : tmpdir(), 'dispatch-tests-'));
  // Postgres runs as another user when we are root, and must reach its data.
  chmodSync(directory, 0o755);
  return directory;
}

function hasRoom(): boolean {
  try {
    accessSync(IN_MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    return Math.min(bavail * bsize, freemem()) >= NEEDED_BYTES;
  } catch {
    return false;
  }
}
