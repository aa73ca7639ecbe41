import type { MaintenanceStore } from '../../engine/store/cluster/maintenance-store.ts';

/** Keeps short what a search has to read beside its indexes. */
export function createSearchIndexProcessor(store: Pick<MaintenanceStore, 'listForSearch'>) {
  return (): Promise<void> => store.listForSearch();
}
