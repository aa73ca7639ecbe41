import { LIMITS } from '../../../schema/limits.ts';
import { filterKeyOf, type TaskFilter } from '../../../schema/tasks/task-filter.ts';
import { matchesFilter } from '../../domain/tasks/task-filter.ts';
import type { Scheduler } from '../../runtime/clock.ts';
import type { TaskChange } from '../apply/org-batch.ts';

/** How many tasks matched a filter at a point of the log. */
interface FilterCount {
  readonly filter: TaskFilter;
  count: number;
  sequence: number;
  /** Times that it was kept exact since somebody asked for it. */
  idleFolds: number;
}

interface Batch {
  readonly lastSequence: number;
  readonly changes: readonly TaskChange[];
}

/** The facts about one organization: counts, and all changes of the log behind `from` and up to `last`. */
class FollowedLog {
  readonly counts = new Map<string, FilterCount>();
  /** Undefined until the first commit. */
  from: number | undefined;
  /** Goes up when counts of searches can no longer be kept: one that was under way then is not to be kept either. */
  searchEpoch = 0;
  last: number | undefined;
  #batches: Batch[] = [];
  #changes = 0;
  readonly #waiters = new Set<() => void>();

  append(expectedSequence: number, batch: Batch): void {
    // Commits of this organization were made elsewhere, or lost: what came in between is not known.
    if (this.last !== undefined && expectedSequence !== this.last) this.#forget();
    this.from ??= expectedSequence;
    this.last = batch.lastSequence;
    if (batch.changes.length > 0) this.#batches.push(batch);
    this.#changes += batch.changes.length;
    if (this.#changes > LIMITS.filterCountChanges) this.#fold();
    for (const waiter of this.#waiters) waiter();
  }

  /** Resolves when the changes up to `sequence` are known, or when they have been waited for long enough. */
  reach(sequence: number, scheduler: Scheduler): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        cancel();
        this.#waiters.delete(look);
        resolve();
      };
      const look = () => {
        if (sequence <= (this.last ?? 0)) end();
      };
      const cancel = scheduler.after(LIMITS.filterCountWaitMs, end);
      this.#waiters.add(look);
      look();
    });
  }

  /** How many more tasks match at `to` than at `from`; undefined when not every change between them is known. */
  difference(filter: TaskFilter, from: number, to: number): number | undefined {
    if (from === to) return 0;
    const [low, high] = from < to ? [from, to] : [to, from];
    if (this.from === undefined || this.last === undefined || low < this.from || high > this.last) return undefined;
    let difference = 0;
    for (const { lastSequence, changes } of this.#batches) {
      if (lastSequence <= low || lastSequence > high) continue;
      for (const { before, after, belongings } of changes) {
        difference += Number(matchesFilter(after, filter, belongings?.after));
        difference -= Number(before !== null && matchesFilter(before, filter, belongings?.before));
      }
    }
    return from < to ? difference : -difference;
  }

  /** Brings every count up to the middle of what is known, and forgets the changes before it. */
  #fold(): void {
    const target = this.#changes / 2;
    let [kept, to] = [this.#changes, this.from!];
    const folded = this.#batches.findIndex(({ lastSequence, changes }) => {
      if (kept <= target) return true;
      kept -= changes.length;
      to = lastSequence;
      return false;
    });
    for (const [key, entry] of this.counts) {
      const difference = entry.sequence >= to ? 0 : this.difference(entry.filter, entry.sequence, to);
      entry.idleFolds += 1;
      if (difference === undefined || entry.idleFolds > LIMITS.filterCountIdleFolds) this.counts.delete(key);
      else if (entry.sequence < to) Object.assign(entry, { count: entry.count + difference, sequence: to });
    }
    this.#batches.splice(0, folded === -1 ? this.#batches.length : folded);
    this.#changes = kept;
    this.from = to;
  }

  /** The results of searches have changed by more than the changed tasks tell. */
  forgetSearches(): void {
    this.searchEpoch += 1;
    for (const [key, { filter }] of this.counts) if (filter.search !== undefined) this.counts.delete(key);
  }

  #forget(): void {
    this.counts.clear();
    this.searchEpoch += 1;
    this.#batches = [];
    this.#changes = 0;
    this.from = undefined;
    this.last = undefined;
  }
}

/**
 * Counts of filters that no counter in Postgres covers, kept exact by the commits of this process: taken once, and from
 * then on moved by each change that begins or ceases to match. A count is given for the very point of the log that a
 * page was read at, or not at all; then it is to be taken again.
 */
export class FilterCounts {
  readonly #logs = new Map<number, FollowedLog>();
  readonly #scheduler: Scheduler;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  /** Call it before counting in Postgres, so that no commit after it is missed. Returns what `remember` asks for. */
  follow(organizationId: number): number {
    const log = this.#logs.get(organizationId) ?? new FollowedLog();
    this.#logs.delete(organizationId);
    this.#logs.set(organizationId, log);
    const [oldest] = this.#logs.keys();
    if (this.#logs.size > LIMITS.filterCountOrganizations) this.#logs.delete(oldest!);
    return log.searchEpoch;
  }

  /** A count as Postgres had it at `sequence`, with what `follow` returned before it was taken. */
  remember(
    organizationId: number,
    filter: TaskFilter,
    { count, sequence, epoch }: { readonly count: number; readonly sequence: number; readonly epoch: number },
  ): void {
    const log = this.#logs.get(organizationId);
    if (!log || (filter.search !== undefined && log.searchEpoch !== epoch)) return;
    const { counts } = log;
    const key = filterKeyOf(filter);
    const known = counts.get(key);
    counts.delete(key);
    counts.set(key, known && known.sequence > sequence ? known : { filter, count, sequence, idleFolds: 0 });
    if (counts.size > LIMITS.filterCountsPerOrganization) counts.delete(counts.keys().next().value!);
  }

  /** The last known count, good enough to plan by; undefined when the filter was not counted. */
  find(organizationId: number, filter: TaskFilter): number | undefined {
    return this.#logs.get(organizationId)?.counts.get(filterKeyOf(filter))?.count;
  }

  /**
   * The number of matches at `sequence`, a point that Postgres has shown. Waits a little for a commit that Postgres
   * shows before this process has it. Undefined when the number is unknown; the count is forgotten then.
   */
  async countAt(organizationId: number, filter: TaskFilter, sequence: number): Promise<number | undefined> {
    const log = this.#logs.get(organizationId);
    const key = filterKeyOf(filter);
    const entry = log?.counts.get(key);
    if (!log || !entry) return undefined;
    entry.idleFolds = 0;
    // Those asked for last stand last.
    log.counts.delete(key);
    log.counts.set(key, entry);
    if (sequence > entry.sequence) await log.reach(sequence, this.#scheduler);
    const difference = log.difference(entry.filter, entry.sequence, sequence);
    if (difference === undefined) {
      log.counts.delete(key);
      return undefined;
    }
    const count = entry.count + difference;
    if (sequence > entry.sequence) Object.assign(entry, { count, sequence });
    return count;
  }

  /**
   * The counts of searches in these organizations: a customer may have another name without an event, by a commit that
   * this process never hears of.
   */
  forgetSearches(isConcerned: (organizationId: number) => boolean): void {
    for (const [organizationId, log] of this.#logs) if (isConcerned(organizationId)) log.forgetSearches();
  }

  /** A commit of this process: the batch that brought the log from `expectedSequence` to `lastSequence`. */
  committed(
    organizationId: number,
    expectedSequence: number,
    lastSequence: number,
    changes: readonly TaskChange[],
    blursTextSearches = false,
  ): void {
    if (blursTextSearches) this.#logs.get(organizationId)?.forgetSearches();
    if (lastSequence > expectedSequence) {
      this.#logs.get(organizationId)?.append(expectedSequence, { lastSequence, changes });
    }
  }
}
