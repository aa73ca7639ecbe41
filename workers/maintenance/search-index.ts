import type { MaintenanceStore } from '../../engine/store/cluster/maintenance-store.ts';

/** Keeps the list of customers short that a search has to read beside its index. */
export function createSearchIndexProcessor(store: Pick<MaintenanceStore, 'mergeSearchEntries'>) {
  return (): Promise<void> => store.mergeSearchEntries();
}
