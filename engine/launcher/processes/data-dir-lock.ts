import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, ftruncateSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { LaunchError } from './launch-error.ts';

export interface DataDirLock {
  release(): void;
}

/** `flock --conflict-exit-code`: tells "held by another" from "flock cannot work here". */
const HELD_BY_ANOTHER = 75;
/** BSD and macOS take the lock in open() itself; Node has no name for the flag. */
const O_EXLOCK = 0x20;

/**
 * Makes `dataDir` and takes it for this process. The kernel holds the lock and drops it with the process,
 * however that ends, so there is nothing stale to clean up. Throws LaunchError when another instance has it.
 */
export async function lockDataDir(dataDir: string): Promise<DataDirLock> {
  const path = join(dataDir, 'lock');
  let descriptor: number;
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    descriptor =
      process.platform === 'darwin' ? openLocked(path) : openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  } catch (error) {
    if (isCode(error, 'EAGAIN')) throw heldByAnother(dataDir, path);
    throw new LaunchError(`DATA_DIR ${dataDir} cannot be used: ${(error as Error).message}`);
  }
  try {
    if (process.platform !== 'darwin') await flock(descriptor, dataDir, path);
    ftruncateSync(descriptor);
    writeSync(descriptor, String(process.pid), 0);
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
  return { release: () => closeSync(descriptor) };
}

function openLocked(path: string): number {
  return openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NONBLOCK | O_EXLOCK, 0o600);
}

/**
 * A lock belongs to the open file, not to the process that asked for it: the child locks the descriptor it
 * inherits and goes, and the lock stays with ours.
 */
async function flock(descriptor: number, dataDir: string, path: string): Promise<void> {
  const child = spawn('flock', ['--nonblock', '--conflict-exit-code', String(HELD_BY_ANOTHER), '3'], {
    stdio: ['ignore', 'ignore', 'pipe', descriptor],
  });
  let complaint = '';
  child.stderr?.on('data', (chunk) => {
    complaint += chunk;
  });
  let code: number;
  try {
    [code] = await once(child, 'close');
  } catch (error) {
    if (!isCode(error, 'ENOENT')) throw error;
    throw new LaunchError('The program `flock` is missing, which guards DATA_DIR. Install util-linux.');
  }
  if (code === HELD_BY_ANOTHER) throw heldByAnother(dataDir, path);
  if (code !== 0)
    throw new LaunchError(`DATA_DIR ${dataDir} cannot be locked: ${complaint.trim() || `flock: ${code}`}`);
}

function heldByAnother(dataDir: string, path: string): LaunchError {
  const holder = readFileSync(path, 'utf8').trim();
  return new LaunchError(
    `Another instance${holder ? ` (process ${holder})` : ''} is using DATA_DIR ${dataDir}.\n` +
      'Stop it, or give this one a place and a port of its own, for example: DATA_DIR=.data2 PORT=8081 npm start',
  );
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
