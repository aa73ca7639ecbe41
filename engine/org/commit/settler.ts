import { LIMITS } from '../../../schema/limits.ts';
import { type Clock, sleep } from '../../runtime/clock.ts';
import { withDeadline } from '../../runtime/deadline.ts';
import type { Log } from '../../runtime/log.ts';
import type { LastGroup, OrgStore } from '../../store/actor/actor-store.ts';
import type { OwnedShard } from '../../store/cluster/shard-store.ts';
import type { ShardOwnership } from './shard-ownership.ts';

export type SettledOutcome = 'committed' | 'not-applied' | 'unknown';

/** A group that was sent, under the epochs of its shards. */
export interface SentGroup {
  readonly groupId: string;
  readonly organizationIds: readonly number[];
  readonly fences: readonly OwnedShard[];
}

/** One that nobody heard of again. */
export interface DoubtfulGroup extends SentGroup {
  /**
   * The id of this group, and the ids of the groups that were sent behind it. A later group is written only when the
   * heads are as this group left them, so a later id in a head proves this group too.
   */
  readonly marks: readonly string[];
}

/**
 * Finds the outcome of commits without an answer. Raising the epochs of their shards waits for the old transactions or
 * makes them fail; after that, either the heads carry the groups' marks, or they never will. Each step is repeated when
 * no answer comes: a raised epoch is not raised further, and nothing is sent in the meantime.
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
   * The outcome of each of these groups, which come in the order in which they were sent. Gives up with 'unknown' after
   * LIMITS.settleDeadlineMs; shards that could not be raised then stay closed until they are.
   */
  async settle(groups: readonly DoubtfulGroup[]): Promise<SettledOutcome[]> {
    const sentUnder = newestOf(groups);
    const organizationIds = [...new Set(groups.flatMap((group) => group.organizationIds))];
    this.#ownership.beginSettling(sentUnder.map(({ shard }) => shard));
    const giveUpAt = this.#clock.monotonic() + LIMITS.settleDeadlineMs;
    while (this.#clock.monotonic() < giveUpAt) {
      try {
        const patienceMs = () => Math.min(LIMITS.settleStepMs, giveUpAt - this.#clock.monotonic());
        const raised = await this.#ownership.raise(sentUnder, patienceMs());
        const heads = await withDeadline(this.#store.lastGroups(organizationIds), patienceMs(), 'looking at the heads');
        return groups.map((group) => outcomeOf(group, heads, raised));
      } catch (error) {
        this.#log.warn({ err: error }, 'the outcome of a commit is still unknown');
        await sleep(LIMITS.settlePauseMs);
      }
    }
    this.#ownership.giveUpSettling(sentUnder);
    return groups.map(() => 'unknown');
  }
}

/** Each shard once, with the epoch under which the last of these groups was sent: no other has a later one. */
function newestOf(groups: readonly SentGroup[]): OwnedShard[] {
  const epochs = new Map(groups.flatMap(({ fences }) => fences.map(({ shard, epoch }) => [shard, epoch] as const)));
  return [...epochs].map(([shard, epoch]) => ({ shard, epoch }));
}

/**
 * One transaction: the mark of one head proves the whole group. Missing heads prove nothing: their organization has
 * been deleted, and that may have been this very group.
 */
function outcomeOf(
  { organizationIds, fences, marks }: DoubtfulGroup,
  heads: readonly LastGroup[],
  raised: readonly OwnedShard[],
): SettledOutcome {
  const ids = new Set(organizationIds);
  const own = heads.filter(({ organizationId }) => ids.has(organizationId));
  if (own.some(({ lastGroup }) => lastGroup !== null && marks.includes(lastGroup))) return 'committed';
  // Otherwise another owner may have written over the mark, before the epoch was raised or since.
  const isOursStill = ({ shard, epoch }: LastGroup) =>
    fences.some((fence) => fence.shard === shard && fence.epoch + 1 === epoch) &&
    raised.some((now) => now.shard === shard && now.epoch === epoch);
  return own.some(isOursStill) ? 'not-applied' : 'unknown';
}
