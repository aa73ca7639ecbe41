import { LIMITS } from '../../schema/limits.ts';
import { type Clock, sleep } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import type { OrgStore } from '../store/org-store.ts';
import type { OwnedShard } from '../store/shard-store.ts';
import type { ShardOwnership } from './shard-ownership.ts';

export type SettledOutcome = 'committed' | 'not-applied' | 'unknown';

const RETRY_MS = 100;

/** A group that was sent, under the epochs of its shards. */
export interface SentGroup {
  readonly groupId: string;
  readonly organizationIds: readonly number[];
  readonly fences: readonly OwnedShard[];
}

/**
 * Finds out what became of commits that nobody heard of again. Raising the epochs of their shards waits for the old
 * transactions or makes them fail; after that, either the heads carry the groups' ids, or they never will.
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

  /**
   * Groups in the order in which they were sent, none of them heard of, each with its outcome. Gives up with 'unknown'
   * after LIMITS.settleDeadlineMs; the shards then stay closed until their epoch is raised.
   */
  async settle(groups: readonly SentGroup[]): Promise<SettledOutcome[]> {
    const shards = [...new Set(groups.flatMap(({ fences }) => fences.map(({ shard }) => shard)))];
    const organizationIds = [...new Set(groups.flatMap((group) => group.organizationIds))];
    this.#ownership.beginSettling(shards);
    const giveUpAt = this.#clock.monotonic() + LIMITS.settleDeadlineMs;
    while (this.#clock.monotonic() < giveUpAt) {
      try {
        const raised = new Map((await this.#ownership.raise(shards)).map(({ shard, epoch }) => [shard, epoch]));
        const heads = await this.#store.lastGroups(organizationIds);
        return groups.map((group, index) => outcomeOf(group, groups.slice(index), heads, raised));
      } catch (error) {
        this.#log.warn({ err: error }, 'the outcome of a commit is still unknown');
        await sleep(RETRY_MS);
      }
    }
    this.#ownership.giveUpSettling(shards);
    return groups.map(() => 'unknown');
  }
}

/**
 * `since`: the group and those that were sent behind it, which have written over its mark where they were written: their
 * heads had to be as it had left them. `heads`: the last group of each organization that is there.
 */
function outcomeOf(
  { organizationIds, fences }: SentGroup,
  since: readonly SentGroup[],
  heads: ReadonlyMap<number, string | null>,
  raised: ReadonlyMap<number, number>,
): SettledOutcome {
  const marks = new Set<string | null | undefined>(since.map(({ groupId }) => groupId));
  // One transaction: where one head carries the mark, all did. A new owner may have written over ours since.
  if (organizationIds.some((id) => marks.has(heads.get(id)))) return 'committed';
  const keptAll = fences.every(({ shard, epoch }) => raised.get(shard) === epoch + 1);
  // Heads go only when their organization has been deleted: that may have been this very group.
  return keptAll && organizationIds.some((id) => heads.has(id)) ? 'not-applied' : 'unknown';
}
