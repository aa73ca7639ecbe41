import { readFileSync } from 'node:fs';

/** Milliseconds that the calling thread has run so far (Linux), to a few: what it waited for a core is not in it. */
export function threadCpuMs(): number {
  const [ranNs] = readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ');
  return Number(ranNs) / 1e6;
}
