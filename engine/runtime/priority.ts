import { setPriority } from 'node:os';

/**
 * Lets other work have the CPU first when there is not enough of it: niceness from 0 to 19. Of the calling thread on
 * Linux, of the whole process elsewhere; a system that refuses leaves things as they are.
 */
export function yieldCpu(niceness: number): void {
  try {
    setPriority(0, niceness);
  } catch {
    // Nothing depends on it but how evenly a full machine is shared.
  }
}
