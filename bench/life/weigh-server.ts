import { readFileSync, rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** The gateway from its sources, which can be weighed. Its environment names WEIGHT_FILE. */
export const WEIGHED = new URL('./weighed-gateway.ts', import.meta.url);

/** Bytes that are left after garbage was collected. */
export interface Weight {
  readonly heap: number;
  /** Buffers, outside the heap. */
  readonly external: number;
}

const [PATIENCE_MS, POLL_MS] = [30_000, 50];

/** Throws when the server does not tell its weight. */
export async function weighServer(pid: number, file: string): Promise<Weight> {
  rmSync(file, { force: true });
  process.kill(pid, 'SIGUSR2');
  const givenUpAt = performance.now() + PATIENCE_MS;
  for (;;) {
    await delay(POLL_MS);
    const [heap, external] = read(file).split(' ').map(Number);
    if (heap !== undefined && external !== undefined) return { heap, external };
    if (performance.now() > givenUpAt) throw new Error('the gateway did not tell its weight');
  }
}

/** Empty while there is no file. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
