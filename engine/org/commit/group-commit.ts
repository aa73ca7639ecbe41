import { type Refusal, refusal } from '../../../schema/errors.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { Clock, Scheduler } from '../../runtime/clock.ts';
import type { FaultPoints } from '../../runtime/fault-points.ts';
import type { Log } from '../../runtime/log.ts';
import type { RandomSource } from '../../runtime/random.ts';
import { CommitError, type CommitStore } from '../../store/actor/commit-store.ts';
import type { OwnedShard } from '../../store/cluster/shard-store.ts';
import type { OrgBatch } from '../apply/org-batch.ts';
import { CommitCounts } from './commit-counts.ts';
import { type EncodedBatch, encodeBatch } from './encode-batch.ts';
import { encodeGroup } from './encode-group.ts';
import type { SentGroup, SettledOutcome, Settler } from './settler.ts';
import type { ShardOwnership } from './shard-ownership.ts';

/** The actor that filled a batch, told once how it ended. */
export interface BatchOwner {
  /** False once the actor was thrown away: what it decided and did not send may not be written any more. */
  readonly isLive: boolean;
  batchCommitted(batch: OrgBatch): void;
  /** Nothing of the batch was written, or nobody knows; the refusal says which. */
  batchFailed(batch: OrgBatch, why: Refusal): void;
  /** Postgres would not have the rows of this batch, although it went alone. */
  batchRefused(batch: OrgBatch, error: CommitError): void;
}

export interface QueuedBatch {
  readonly batch: OrgBatch;
  /** That its organization belongs to. */
  readonly shard: number;
  readonly owner: BatchOwner;
}

interface WaitingBatch extends QueuedBatch {
  /** Nothing more goes in. */
  isSealed?: boolean;
  /** Once it is sealed. */
  encoded?: EncodedBatch;
}

/** A group on its way to Postgres. */
interface Flight extends SentGroup {
  readonly group: readonly WaitingBatch[];
  /** How its statement ended: undefined when it is durable. Never rejects. */
  readonly end: Promise<CommitError | undefined>;
}

export interface GroupCommitOptions {
  readonly store: CommitStore;
  readonly ownership: ShardOwnership;
  readonly settler: Settler;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly scheduler: Scheduler;
  readonly random: RandomSource;
  readonly log: Log;
  readonly fault: FaultPoints;
}

/**
 * Writes the decisions of all actors of the process in groups: while one is in flight to Postgres, the next gathers.
 * There is no timer and no fixed size: a lone request commits at once, a burst shares few commits. Postgres does not
 * wait for us: the next group is sent before the callers of the last get their answers. A full batch is encoded and
 * sent behind the group in flight at once. The connection keeps their order, and unexpected heads refuse the followers
 * of a group that was not written.
 * States: idle → (a batch is queued) → scheduled → (this turn of the loop is over) → committing → (a group was not
 * written) → repairing → committing | idle.
 * A group ends committed, refused (taken apart, organization by organization), fenced, failed or unknown. After
 * anything but "committed" the actors concerned are rebuilt from Postgres; memory is never patched back.
 */
export class GroupCommit {
  readonly #options: GroupCommitOptions;
  /** Batches by organization, in the order in which organizations take their turns. */
  readonly #queues = new Map<number, WaitingBatch[]>();
  /** Organizations whose rows were refused lately, and for how many groups they still commit alone. */
  readonly #quarantine = new Map<number, number>();
  /** In the order in which they were sent. */
  #flights: Flight[] = [];
  #phase: 'idle' | 'scheduled' | 'committing' | 'repairing' = 'idle';
  #idleWaiters: (() => void)[] = [];
  readonly counts = new CommitCounts();
  /** Groups that were sent. */
  groups = 0;

  constructor(options: GroupCommitOptions) {
    this.#options = options;
  }

  /** Queues a batch that has just got its first entry; the owner goes on filling it until it is taken. */
  enqueue(queued: QueuedBatch): void {
    const { organizationId } = queued.batch;
    const queue = this.#queues.get(organizationId);
    if (queue) queue.push(queued);
    else this.#queues.set(organizationId, [queued]);
    if (this.#phase !== 'idle') return;
    this.#phase = 'scheduled';
    this.#options.scheduler.soon(() => void this.#run());
  }

  /** Resolves once nothing is queued or on its way. */
  whenIdle(): Promise<void> {
    if (this.#phase === 'idle') return Promise.resolve();
    return new Promise((resolve) => this.#idleWaiters.push(resolve));
  }

  /** Nothing more goes into the newest batch of an organization. */
  seal(organizationId: number): void {
    const sealed = this.#queues.get(organizationId)?.at(-1);
    if (!sealed) return;
    sealed.isSealed = true;
    const [fence] = this.#options.ownership.fencesOf([sealed.shard]) ?? [];
    if (fence) sealed.encoded = encodeBatch(sealed.batch, fence.epoch);
    // Others' batches go along, full or not: left for the next group, they would wait until this one has ended.
    if (this.#phase === 'committing' && this.#flights.length < LIMITS.groupsOnTheirWay) this.#depart();
  }

  async #run(): Promise<void> {
    this.#phase = 'committing';
    for (let flight = this.#depart(); flight; flight = this.#flights[0] ?? this.#depart()) {
      const isDurable = (await flight.end) === undefined;
      const ended = this.#flights.splice(0, isDurable ? 1 : this.#flights.length);
      try {
        if (isDurable) this.#land(flight);
        else await this.#repair(ended);
      } catch (error) {
        this.#options.log.fatal({ err: error }, 'unhandled error at the end of a group');
        const lost = ended.flatMap(({ group }) => group);
        for (const { owner, batch } of lost) owner.batchFailed(batch, refusal('OUTCOME_UNKNOWN'));
        this.#phase = 'committing';
      }
    }
    this.#phase = 'idle';
    for (const waiter of this.#idleWaiters.splice(0)) waiter();
  }

  /** Sends what has gathered; undefined when nothing has. */
  #depart(): Flight | undefined {
    const group = this.#take(this.#flights.at(-1));
    if (group.length === 0) return undefined;
    const flight = this.#send(group);
    this.#flights.push(flight);
    return flight;
  }

  /** The oldest flight is durable. */
  #land({ group }: Flight): void {
    const isFullWaiting = () => [...this.#queues.values()].some(([first]) => first!.isSealed);
    if (this.#flights.length === 0 || isFullWaiting()) this.#depart();
    for (const { owner, batch } of group) owner.batchCommitted(batch);
  }

  /** The oldest flight failed. Once the one behind it has ended too, and while no other leaves, both are settled. */
  async #repair([failed, ...followers]: readonly Flight[]): Promise<void> {
    this.#phase = 'repairing';
    const [end, ...ends] = await this.#endsOf([failed!, ...followers]);
    await this.#tell(failed!.group, end);
    for (const [index, { group }] of followers.entries()) await this.#tell(group, ends[index], true);
    this.#phase = 'committing';
  }

  /** How flights ended; what nobody heard of again is found out. */
  async #endsOf(flights: readonly Flight[]): Promise<(CommitError | undefined)[]> {
    const ends = await Promise.all(flights.map(({ end }) => end));
    const doubtful = flights.flatMap((flight, index) => {
      if (ends[index]?.failure !== 'unknown') return [];
      return { ...flight, marks: flights.slice(index).map(({ groupId }) => groupId) };
    });
    if (doubtful.length === 0) return ends;
    const settled = await this.#options.settler.settle(doubtful);
    const outcomes = new Map(doubtful.map(({ groupId }, index) => [groupId, settled[index]!]));
    return ends.map((error, index) => {
      const outcome = outcomes.get(flights[index]!.groupId);
      return outcome && error ? errorOf(outcome, error) : error;
    });
  }

  /**
   * Takes one batch of each organization in turn until the group is full; an organization in quarantine goes alone. A
   * batch that leaves the sequence of its organization as it is leaves no mark in the head: no other batch of it goes
   * right behind.
   */
  #take(leader: Flight | undefined): WaitingBatch[] {
    const group: WaitingBatch[] = [];
    const unmarked = new Set(leader?.group.filter(isUnmarked).map(({ batch }) => batch.organizationId));
    let rows = 0;
    let bytes = 0;
    // A list of its own: an organization with more batches moves behind the others and must not be met again.
    for (const organizationId of [...this.#queues.keys()]) {
      const queue = this.#queues.get(organizationId)!;
      const alone = this.#quarantine.has(organizationId);
      if ((alone && group.length > 0) || unmarked.has(organizationId)) continue;
      const queued = takeLive(queue);
      this.#queues.delete(organizationId);
      if (queue.length > 0) this.#queues.set(organizationId, queue);
      if (!queued) continue;
      queued.batch.closed = true;
      group.push(queued);
      rows += queued.batch.rows;
      bytes += queued.batch.bytes;
      if (alone) this.#countDown(organizationId);
      if (alone || rows >= LIMITS.groupRows || bytes >= LIMITS.groupBytes) break;
    }
    return group;
  }

  /** Tells the owners how their group ended; `follows`: it went behind one that was not written. */
  async #tell(group: readonly WaitingBatch[], error: CommitError | undefined, follows = false): Promise<void> {
    if (!error) {
      for (const { owner, batch } of group) owner.batchCommitted(batch);
      return;
    }
    const isRowsFault = error.failure === 'refused' || error.failure === 'stale';
    if ((group.length > 1 || follows) && (isRowsFault || error.failure === 'fenced')) {
      // Nothing was written, and not everybody is to blame: each goes on alone, unless its actor was thrown away meanwhile.
      for (const one of group) {
        if (one.owner.isLive) await this.#tell([one], (await this.#endsOf([this.#send([one])]))[0]);
        else one.owner.batchFailed(one.batch, refusal('NOT_APPLIED'));
      }
      return;
    }
    for (const { owner, batch } of group) {
      if (isRowsFault) {
        this.#quarantine.set(batch.organizationId, LIMITS.quarantineGroups);
        owner.batchRefused(batch, error);
      } else {
        owner.batchFailed(batch, refusalOf(error));
      }
    }
  }

  #send(group: readonly WaitingBatch[]): Flight {
    const { ownership, random } = this.#options;
    const groupId = random.uuid();
    const organizationIds = group.map(({ batch }) => batch.organizationId);
    const fences = ownership.fencesOf(group.map(({ shard }) => shard)) ?? [];
    return { group, groupId, organizationIds, fences, end: this.#commit(groupId, group, fences) };
  }

  /** Resolves to undefined when it is durable. */
  async #commit(
    groupId: string,
    group: readonly WaitingBatch[],
    fences: readonly OwnedShard[],
  ): Promise<CommitError | undefined> {
    const { store, ownership, log, fault, clock } = this.#options;
    if (fences.length === 0) return new CommitError('fenced', 'a shard is not owned');
    this.groups += 1;
    const sentAt = clock.monotonic();
    try {
      const parameters = encodeGroup(groupId, encodeAll(group, fences), fences);
      fault('before-commit-send');
      const sent = store.commit(parameters);
      fault('after-commit-send');
      await sent;
      fault('after-commit-before-reply');
      this.counts.ended('committed', group, clock.monotonic() - sentAt);
      return undefined;
    } catch (thrown) {
      const error = thrown instanceof CommitError ? thrown : new CommitError('unknown', String(thrown));
      this.counts.ended(error.failure, group, clock.monotonic() - sentAt);
      log.warn(
        { failure: error.failure, why: error.message, organizations: group.length },
        'a group was not committed',
      );
      if (error.failure === 'fenced') await ownership.renew();
      return error;
    }
  }

  #countDown(organizationId: number): void {
    const left = this.#quarantine.get(organizationId)! - 1;
    if (left > 0) this.#quarantine.set(organizationId, left);
    else this.#quarantine.delete(organizationId);
  }
}

/**
 * The first batch of a queue whose actor was not thrown away. Those before it fail at once: with one of them for each
 * group, the batch of the next actor would wait until another organization commits.
 */
function takeLive(queue: WaitingBatch[]): WaitingBatch | undefined {
  for (let queued = queue.shift(); queued; queued = queue.shift()) {
    if (queued.owner.isLive) return queued;
    queued.owner.batchFailed(queued.batch, refusal('NOT_APPLIED'));
  }
  return undefined;
}

/** A batch that was encoded ahead is encoded again if its shard has another epoch since. */
function encodeAll(group: readonly WaitingBatch[], fences: readonly OwnedShard[]): EncodedBatch[] {
  const epochs = new Map(fences.map(({ shard, epoch }) => [shard, epoch]));
  return group.map(({ batch, shard, encoded }) => {
    const epoch = epochs.get(shard)!;
    return encoded?.epoch === epoch ? encoded : encodeBatch(batch, epoch);
  });
}

/** The found outcome of a commit without an answer. */
function errorOf(outcome: SettledOutcome, { message }: CommitError): CommitError | undefined {
  if (outcome === 'committed') return undefined;
  return new CommitError(outcome === 'not-applied' ? 'failed' : 'unknown', message);
}

function isUnmarked({ batch }: WaitingBatch): boolean {
  return batch.lastSequence === batch.expectedSequence;
}

function refusalOf(error: CommitError): Refusal {
  return refusal(error.failure === 'unknown' ? 'OUTCOME_UNKNOWN' : 'NOT_APPLIED');
}
