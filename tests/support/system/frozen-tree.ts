import { readdirSync, readFileSync } from 'node:fs';

/**
 * Stops a process and all its children where they are (SIGSTOP), as a hanging machine would: connections stay open and
 * silent. The returned function continues them. Finds children through /proc.
 */
export function freezeTree(pid: number): () => void {
  process.kill(pid, 'SIGSTOP');
  // A stopped process starts no more children.
  const children = childrenOf(pid);
  for (const child of children) signal(child, 'SIGSTOP');
  return () => {
    for (const child of children) signal(child, 'SIGCONT');
    signal(pid, 'SIGCONT');
  };
}

function childrenOf(pid: number): number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
      return parent === pid ? [Number(name)] : [];
    } catch {
      // It has exited in the meantime.
      return [];
    }
  });
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
