import { closeSync, fdatasyncSync, openSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { spreadOf } from '../statistics.ts';

/** How long one write takes to reach the medium below `directory`: what each commit waits for at least. */
export interface SyncLatency {
  readonly medianMs: number;
  /** A file system in memory: syncing costs nothing there, and proves nothing. */
  readonly inMemory: boolean;
}

const WRITES = 50;
const PAGE = Buffer.alloc(8_192);
const IN_MEMORY_TYPES: ReadonlySet<number> = new Set([0x0102_1994, 0x8584_58f6]);

export function measureSyncLatency(directory: string): SyncLatency {
  const descriptor = openSync(join(directory, 'sync-latency'), 'w');
  try {
    const times = Array.from({ length: WRITES }, () => {
      const startedAt = performance.now();
      writeSync(descriptor, PAGE, 0, PAGE.length, 0);
      fdatasyncSync(descriptor);
      return performance.now() - startedAt;
    });
    return { medianMs: spreadOf(times).median, inMemory: IN_MEMORY_TYPES.has(statfsSync(directory).type) };
  } finally {
    closeSync(descriptor);
  }
}
