import { setTimeout as delay } from 'node:timers/promises';
import type { Releaser } from '../../../engine/runtime/lifecycle.ts';
import { dropDatabases, listUnusedDatabases } from '../stores.ts';

/** Long enough for several databases to come together. */
const SWEEP_MS = 5_000;

/**
 * Drops databases that tests no longer need. Each drop waits for a checkpoint, up to a second on a busy machine: no
 * test waits for it. The release drops the last ones.
 */
export function startDatabaseSweeper(serverUrl: string, releaser: Releaser): void {
  const stop = new AbortController();
  const sweep = async () => dropDatabases(serverUrl, await listUnusedDatabases(serverUrl));
  const sweeping = (async () => {
    while (!stop.signal.aborted) {
      // A database with a connecting client stays until the next time; the last time reports it.
      await sweep().catch(() => {});
      await delay(SWEEP_MS, undefined, { signal: stop.signal }).catch(() => {});
    }
    await sweep();
  })();
  // The release reports it.
  sweeping.catch(() => {});
  releaser.push('database sweeper', async () => {
    stop.abort();
    await sweeping;
  });
}
