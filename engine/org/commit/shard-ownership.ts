import { LIMITS } from '../../../schema/limits.ts';
import type { Clock, Scheduler } from '../../runtime/clock.ts';
import { withDeadline } from '../../runtime/deadline.ts';
import type { FaultPoints } from '../../runtime/fault-points.ts';
import type { Log } from '../../runtime/log.ts';
import { createOutage, type Outage } from '../../runtime/outage.ts';
import type { OwnedShard, ShardStore } from '../../store/cluster/shard-store.ts';

/**
 * A shard, as this process sees it:
 * - `owned`: it may decide and commit for the shard's organizations, while its lease runs.
 * - `settling`: a commit of unknown outcome touched it; nothing may be loaded or decided until its epoch is raised.
 * - `elsewhere`: another process owns it, or nobody, or the lease has run out.
 */
export type ShardStanding = 'owned' | 'settling' | 'elsewhere';

/**
 * A renewal also looks for free shards, so it bounds how long after the end of a lease a takeover begins. A healthy owner
 * that stands still keeps its lease for up to eight ninths of it.
 */
const RENEWALS_PER_LEASE = 9;

export interface OwnershipOptions {
  readonly store: ShardStore;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly log: Log;
  readonly fault: FaultPoints;
  readonly gatewayId: string;
  readonly incarnation: string;
  readonly leaseMs: number;
  /** Told when shards are lost, so that their actors leave memory. */
  readonly onLost: (shards: ReadonlySet<number>) => void;
  /** Told when shards have been taken: another process may have changed what is remembered of their organizations. */
  readonly onGained: (shards: ReadonlySet<number>) => void;
  /** Told once when another process has started with this gateway's id: this one can never own a shard again. */
  readonly onSuperseded: () => void;
}

/**
 * The shards that this process may write. The lease only steers who should act; what protects the data is the epoch
 * that every commit carries and Postgres checks.
 *
 * Invariant: `fencesOf` never names an epoch that this process has not been given by Postgres.
 */
export class ShardOwnership {
  readonly #options: OwnershipOptions;
  readonly #outage: Outage;
  readonly #epochs = new Map<number, number>();
  readonly #settling = new Set<number>();
  /** Shards that the settler gave up: the renewals raise their epochs. The value is the epoch of the doubtful commit. */
  readonly #unsettled = new Map<number, number>();
  /** Shards lost after a renewal asked which shards are ours: its answer may still name them, and is older than the loss. */
  #lostMeanwhile = new Set<number>();
  /** On the monotonic clock: counted from before the renewal was sent, so never later than what Postgres noted. */
  #leaseUntil = 0;
  #superseded = false;
  #renewing: Promise<void> | undefined;
  #cancelTimer: (() => void) | undefined;

  constructor(options: OwnershipOptions) {
    this.#options = options;
    this.#outage = createOutage(options.log, 'renewing the lease');
  }

  /** Under which this process announces itself. */
  get incarnation(): string {
    return this.#options.incarnation;
  }

  get ownedCount(): number {
    return this.#leaseRuns() ? this.#epochs.size - this.#settling.size : 0;
  }

  /** Announces this incarnation, and where it takes commands, and takes what is free; from then on renews by itself. */
  async start(address: string): Promise<void> {
    const { store, gatewayId, incarnation, leaseMs, clock, scheduler } = this.#options;
    const sentAt = clock.monotonic();
    await store.register(gatewayId, incarnation, address, leaseMs);
    this.#leaseUntil = sentAt + leaseMs;
    this.#gain(await store.takeFree(incarnation));
    this.#cancelTimer = scheduler.every(Math.floor(leaseMs / RENEWALS_PER_LEASE), () => void this.renew());
  }

  standingOf(shard: number): ShardStanding {
    if (!this.#leaseRuns() || !this.#epochs.has(shard)) return 'elsewhere';
    return this.#settling.has(shard) ? 'settling' : 'owned';
  }

  /** Whether it was this process's when that could be asked last: what needs no commit goes on while Postgres is away. */
  holds(shard: number): boolean {
    return !this.#superseded && this.#epochs.has(shard);
  }

  ownedShards(): number[] {
    return [...this.#epochs.keys()].filter((shard) => this.standingOf(shard) === 'owned');
  }

  /** The fencing tokens for these shards, or undefined when one of them is not owned. In the order of the shards. */
  fencesOf(shards: Iterable<number>): OwnedShard[] | undefined {
    const fences: OwnedShard[] = [];
    for (const shard of new Set(shards)) {
      if (this.standingOf(shard) !== 'owned') return undefined;
      fences.push({ shard, epoch: this.#epochs.get(shard)! });
    }
    return fences.sort((a, b) => a.shard - b.shard);
  }

  /** Renews the lease, finds out what was lost and takes what has become free. Never rejects. */
  renew(): Promise<void> {
    this.#renewing ??= this.#renew()
      .then(this.#outage.worked, this.#outage.failed)
      .finally(() => {
        this.#renewing = undefined;
      });
    return this.#renewing;
  }

  /** After a commit of unknown outcome: nothing of these shards is decided until `raise` has succeeded. */
  beginSettling(shards: Iterable<number>): void {
    for (const shard of shards) this.#settling.add(shard);
  }

  /** Leaves to the renewals what could not be settled. */
  giveUpSettling(past: readonly OwnedShard[]): void {
    for (const { shard, epoch } of past) if (this.#settling.has(shard)) this.#unsettled.set(shard, epoch);
  }

  /**
   * Raises the epochs past those of a doubtful commit, which waits for it to finish or makes it fail. Rejects when
   * Postgres cannot be reached, or is silent for `patienceMs`: an answer after that opens nothing, for by then another
   * commit may be doubtful. The shards stay closed, and it may be tried again. Returns those that are still
   * owned, with their epochs: one that is not the next shows that somebody may have owned the shard in between, of which
   * its actors know nothing.
   */
  async raise(past: readonly OwnedShard[], patienceMs: number): Promise<readonly OwnedShard[]> {
    const { store, incarnation } = this.#options;
    const raised = await withDeadline(store.raiseEpochs(incarnation, past), patienceMs, 'raising epochs');
    const next = new Map(past.map(({ shard, epoch }) => [shard, Math.max(epoch + 1, this.#epochs.get(shard) ?? 0)]));
    const regained = raised.filter(({ shard, epoch }) => epoch > next.get(shard)!);
    // A late answer may report an epoch that has passed.
    for (const { shard, epoch } of raised) this.#epochs.set(shard, Math.max(epoch, this.#epochs.get(shard) ?? 0));
    const kept = new Set(raised.map(({ shard }) => shard));
    const shards = past.map(({ shard }) => shard);
    for (const shard of shards) this.#endSettling(shard);
    this.#lose([...shards.filter((shard) => !kept.has(shard)), ...regained.map(({ shard }) => shard)]);
    this.#gain(regained);
    return raised;
  }

  async stop(): Promise<void> {
    this.#cancelTimer?.();
    await this.#renewing;
    if (this.#superseded) return;
    this.#leaseUntil = 0;
    await this.#options.store.release(this.#options.gatewayId, this.#options.incarnation);
  }

  async #renew(): Promise<void> {
    const { store, gatewayId, incarnation, leaseMs, clock, log, onSuperseded } = this.#options;
    const sentAt = clock.monotonic();
    if (!(await store.renew(gatewayId, incarnation, leaseMs))) {
      this.#superseded = true;
      this.#cancelTimer?.();
      log.error({ gatewayId }, 'another process has started with this gateway id');
      this.#lose([...this.#epochs.keys()]);
      onSuperseded();
      return;
    }
    // While a lease runs nobody takes a shard. After a pause without one, others may have: first hear what is left.
    if (this.#leaseRuns()) this.#leaseUntil = sentAt + leaseMs;
    this.#lostMeanwhile = new Set();
    const owned = await store.listOwned(incarnation);
    const still = new Set(owned.map(({ shard }) => shard));
    this.#lose([...this.#epochs.keys()].filter((shard) => !still.has(shard)));
    this.#leaseUntil = sentAt + leaseMs;
    this.#gain(this.#unheardOf(owned));
    if (this.#unsettled.size > 0) {
      const past = [...this.#unsettled].map(([shard, epoch]) => ({ shard, epoch }));
      await this.raise(past, LIMITS.settleDeadlineMs);
    }
    const taken = await store.takeFree(incarnation);
    // While this process stood still, a shard may have left and become free again.
    this.#loseKnown(taken);
    this.#gain(taken);
  }

  /**
   * Shards that were taken although the answer was lost: no other process serves them while our lease runs. A shard
   * that we know under an older epoch may have had other owners in between, unless it is being settled and was raised
   * there.
   */
  #unheardOf(owned: readonly OwnedShard[]): OwnedShard[] {
    const unheardOf = owned.filter(
      ({ shard, epoch }) =>
        epoch > (this.#epochs.get(shard) ?? -1) && !this.#settling.has(shard) && !this.#lostMeanwhile.has(shard),
    );
    this.#loseKnown(unheardOf);
    return unheardOf;
  }

  /** Loses those of newly taken shards that are known from before: their actors know nothing of the owners in between. */
  #loseKnown(taken: readonly OwnedShard[]): void {
    this.#lose(taken.map(({ shard }) => shard).filter((shard) => this.#epochs.has(shard)));
  }

  #endSettling(shard: number): void {
    this.#settling.delete(shard);
    this.#unsettled.delete(shard);
  }

  #leaseRuns(): boolean {
    return !this.#superseded && this.#options.clock.monotonic() < this.#leaseUntil;
  }

  #gain(shards: readonly OwnedShard[]): void {
    for (const { shard, epoch } of shards) this.#epochs.set(shard, epoch);
    if (shards.length === 0) return;
    this.#options.onGained(new Set(shards.map(({ shard }) => shard)));
    this.#options.fault('after-takeover-before-load');
    this.#options.log.info({ taken: shards.length, owned: this.#epochs.size }, 'took shards');
  }

  #lose(shards: readonly number[]): void {
    if (shards.length === 0) return;
    for (const shard of shards) {
      this.#epochs.delete(shard);
      this.#lostMeanwhile.add(shard);
      this.#endSettling(shard);
    }
    this.#options.log.warn({ lost: shards.length, owned: this.#epochs.size }, 'lost shards');
    this.#options.onLost(new Set(shards));
  }
}
