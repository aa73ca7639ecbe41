import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { LIMITS } from '../../../schema/limits.ts';
import { type StopStep, stopInSteps } from './child-process.ts';

/**
 * Stops a server that outlived its launcher. `pidFile` is what the server wrote about itself; it is believed only
 * when that process works in `directory`, since numbers of processes are used again.
 * Returns the number of the process that was stopped.
 */
export async function stopLeftover(
  pidFile: string,
  directory: string,
  steps: readonly StopStep[],
): Promise<number | undefined> {
  const pid = readPid(pidFile);
  if (pid === undefined) return undefined;
  const home = realpathSync(directory);
  const isOurs = () => findWorkingDirectory(pid) === home;
  const found = isOurs();
  if (found) await stopInSteps(steps, (signal) => signalIfThere(pid, signal), untilGone(isOurs));
  // The file would keep the next server from starting while a stranger, or a zombie, bears the number.
  if (exists(pid)) rmSync(pidFile, { force: true });
  return found ? pid : undefined;
}

function readPid(pidFile: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(pidFile, 'utf8'), 10);
    return pid > 1 ? pid : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Undefined for a process that is gone, a zombie, or not ours to look at. */
function findWorkingDirectory(pid: number): string | undefined {
  try {
    if (process.platform === 'linux') return readlinkSync(`/proc/${pid}/cwd`);
    const fields = execFileSync('lsof', ['-a', '-p', `${pid}`, '-d', 'cwd', '-Fn'], { encoding: 'utf8' });
    return /^n(.*)$/m.exec(fields)?.[1];
  } catch {
    return undefined;
  }
}

async function untilGone(isThere: () => boolean): Promise<void> {
  while (isThere()) await delay(LIMITS.processPollMs);
}

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
