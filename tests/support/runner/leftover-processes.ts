import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** Every process that a run starts inherits this variable, however many processes down. */
export const RUN_VARIABLE = 'DISPATCH_TEST_RUN';

const GRACE_MS = 15_000;
/** The longest that killLeftovers() takes, on a machine whose processes are slow to look at. */
export const LEFTOVERS_DEADLINE_MS = 2 * GRACE_MS;
const POLL_MS = 50;

/**
 * Kills the processes that the test files of run `id` left running and returns their command lines. A process that is
 * about to exit gets a moment. Finds processes through /proc: on other systems than Linux it finds none.
 */
export async function killLeftovers(id: string, graceMs = GRACE_MS): Promise<string[]> {
  const deadline = performance.now() + graceMs;
  let left = processesOf(id);
  while (left.size > 0 && performance.now() < deadline) {
    await delay(POLL_MS);
    left = processesOf(id);
  }
  for (const pid of left.keys()) kill(pid);
  return [...left].map(([pid, command]) => `${command} (process ${pid})`);
}

function processesOf(id: string): Map<number, string> {
  const found = new Map<number, string>();
  if (process.platform !== 'linux') return found;
  const marker = `${RUN_VARIABLE}=${id}`;
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    try {
      if (!readFileSync(`/proc/${name}/environ`, 'utf8').split('\0').includes(marker)) continue;
      found.set(Number(name), readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0').join(' ').trim());
    } catch {
      // It is gone by now, or another user's: not ours in both cases.
    }
  }
  return found;
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
