import { availableParallelism } from 'node:os';
import type { Releaser } from '../../engine/runtime/lifecycle.ts';
import { type DatabaseProbe, openDatabaseProbe } from '../measure/database-probe.ts';
import { measureSyncLatency } from '../measure/sync-latency.ts';
import type { Conditions } from '../report/print-report.ts';
import { UsageError } from '../stand/run-to-end.ts';
import { startTemporaryStores, type TemporaryStores } from '../stand/temporary-stores.ts';

/** The base of every comparison: stores of its own, a probe into them, and their settings. */
export interface Stand {
  readonly stores: TemporaryStores;
  readonly probe: DatabaseProbe;
  readonly conditions: Conditions;
  readonly signal: AbortSignal;
}

/** Throws UsageError when Postgres would acknowledge a commit that it could still lose. */
export async function openStand(releaser: Releaser, signal: AbortSignal): Promise<Stand> {
  const stores = await startTemporaryStores(releaser, signal);
  const probe = await openDatabaseProbe(stores.postgres.url);
  releaser.push('probe', () => probe.stop());
  const conditions = {
    cores: availableParallelism(),
    durable: await probe.durableSettings(),
    sync: measureSyncLatency(stores.directory),
  };
  const volatile = Object.entries(conditions.durable).filter(([, value]) => value === 'off' || value === 'local');
  if (volatile.length > 0)
    throw new UsageError(`Postgres is not durable (${volatile.join(', ')}): such a bench proves nothing.`);
  return { stores, probe, conditions, signal };
}
