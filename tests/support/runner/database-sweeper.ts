import { setTimeout as delay } from 'node:timers/promises';
import type { Releaser } from '../../../engine/runtime/lifecycle.ts';
import { dropDatabases, listUnusedDatabases } from '../stores.ts';

/** Long enough for some to come together. */
const SWEEP_MS = 5_000;

/**
 * Drops databases that tests are done with. Each drop waits for a checkpoint, a second on a busy machine: those who drop
 * together share one, and no test waits for it. The last are dropped when it is released.
 */
export function startDatabaseSweeper(serverUrl: string, releaser: Releaser): void {
  const stop = new AbortController();
  const sweep = async () => dropDatabases(serverUrl, await listUnusedDatabases(serverUrl));
  const sweeping = (async () => {
    while (!stop.signal.aborted) {
      // What could not be dropped, since somebody was connecting to it, is there the next time; the last time tells.
      await sweep().catch(() => {});
      await delay(SWEEP_MS, undefined, { signal: stop.signal }).catch(() => {});
    }
    await sweep();
  })();
  // Told when it is released.
  sweeping.catch(() => {});
  releaser.push('database sweeper', async () => {
    stop.abort();
    await sweeping;
  });
}
