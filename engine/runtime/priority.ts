import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/**
 * Lets other work have the CPU first when there is not enough of it: niceness from 0 to 19. Of the calling thread on
 * Linux, of the whole process elsewhere; a system that refuses leaves things as they are.
 */
export function yieldCpu(niceness: number): void {
  tryTo(() => setPriority(0, niceness));
}

/**
 * The same for a whole process: also lowers the threads that compile and collect garbage, which exist before our code
 * runs. Some kernels share the CPU between sessions first, and niceness then counts only inside a session. So the session
 * is lowered too when it is the process's own, as that of a service is.
 */
export function yieldCpuOfProcess(niceness: number): void {
  if (process.platform !== 'linux') return yieldCpu(niceness);
  tryTo(() => {
    for (const thread of readdirSync('/proc/self/task')) setPriority(Number(thread), niceness);
  });
  tryTo(() => {
    if (sessionOf(readFileSync('/proc/self/stat', 'utf8')) === process.pid)
      writeFileSync('/proc/self/autogroup', String(niceness));
  });
}

/** The session in a line of `/proc/<pid>/stat`. The name of the program may hold anything, blanks and parentheses too. */
function sessionOf(stat: string): number {
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[3]);
}

function tryTo(yieldNow: () => void): void {
  try {
    yieldNow();
  } catch {
    // Only the sharing of a full machine depends on it.
  }
}
