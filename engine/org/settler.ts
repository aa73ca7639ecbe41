import { LIMITS } from '../../schema/limits.ts';
import { type Clock, sleep } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import type { OrgStore } from '../store/org-store.ts';
import type { OwnedShard } from '../store/shard-store.ts';
import type { ShardOwnership } from './shard-ownership.ts';

export type SettledOutcome = 'committed' | 'not-applied' | 'unknown';

const RETRY_MS = 100;

/**
 * Finds out what became of a commit that nobody heard of again. Raising the epochs of its shards waits for the old
 * transaction or makes it fail; after that, either the heads carry the group's id, or they never will.
 */
export class Settler {
  readonly #ownership: ShardOwnership;
  readonly #store: OrgStore;
  readonly #clock: Clock;
  readonly #log: Log;

  constructor(ownership: ShardOwnership, store: OrgStore, clock: Clock, log: Log) {
    this.#ownership = ownership;
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
  }

  /** Gives up with 'unknown' after LIMITS.settleDeadlineMs; the shards then stay closed until their epoch is raised. */
  async settle(
    groupId: string,
    fences: readonly OwnedShard[],
    organizationIds: readonly number[],
  ): Promise<SettledOutcome> {
    const shards = fences.map(({ shard }) => shard);
    this.#ownership.beginSettling(shards);
    const giveUpAt = this.#clock.monotonic() + LIMITS.settleDeadlineMs;
    while (this.#clock.monotonic() < giveUpAt) {
      try {
        const raised = new Map((await this.#ownership.raise(shards)).map(({ shard, epoch }) => [shard, epoch]));
        const keptAll = fences.every(({ shard, epoch }) => raised.get(shard) === epoch + 1);
        const groups = await this.#store.lastGroups(organizationIds);
        // One transaction: where one head carries the id, all did. A new owner may have written over ours since.
        if (organizationIds.some((id) => groups.get(id) === groupId)) return 'committed';
        // Heads go only when their organization has been deleted: that may have been this very group.
        return keptAll && groups.size > 0 ? 'not-applied' : 'unknown';
      } catch (error) {
        this.#log.warn({ err: error }, 'the outcome of a commit is still unknown');
        await sleep(RETRY_MS);
      }
    }
    this.#ownership.giveUpSettling(shards);
    return 'unknown';
  }
}
