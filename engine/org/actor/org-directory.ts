import type { Answer, Command } from '../../../schema/commands.ts';
import { refusal } from '../../../schema/errors.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { type Clock, isoTime, type Scheduler } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log.ts';
import type { RandomSource } from '../../runtime/random.ts';
import { shardOf } from '../../runtime/shard-of.ts';
import { Turns } from '../../runtime/turns.ts';
import type { OrgStore } from '../../store/actor/actor-store.ts';
import type { OrgBatch, PendingCommand } from '../apply/org-batch.ts';
import { ShownTasks } from '../apply/shown-tasks.ts';
import type { GroupCommit } from '../commit/group-commit.ts';
import type { ShardOwnership } from '../commit/shard-ownership.ts';
import type { MemoryBounds } from '../state/memory-bounds.ts';
import { IdBlocks } from './id-blocks.ts';
import { failUndecided } from './not-applied.ts';
import { type ActorServices, OrgActor } from './org-actor.ts';

export interface DirectoryOptions {
  readonly store: OrgStore;
  readonly groupCommit: GroupCommit;
  readonly ownership: ShardOwnership;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly random: RandomSource;
  readonly log: Log;
  readonly history: string;
  readonly onChanged: ActorServices['onChanged'];
  readonly onMissed: ActorServices['onMissed'];
  readonly publish: (batch: OrgBatch) => void;
  readonly memory: MemoryBounds;
}

/**
 * The organizations that live in this process. Loads an actor when it is first asked, wakes it when its timers are
 * due, lets it go when it has been idle.
 */
export class OrgDirectory {
  readonly #options: DirectoryOptions;
  readonly #services: ActorServices;
  readonly #actors = new Map<number, OrgActor>();
  readonly #loadQueue: OrgActor[] = [];
  #loads = 0;
  #spareTasks: number;
  #accepting = true;
  readonly #cancelTimers: (() => void)[] = [];

  constructor(options: DirectoryOptions) {
    this.#options = options;
    this.#spareTasks = options.memory.tasks;
    this.#services = {
      ...options,
      ids: new IdBlocks(options.store, options.log),
      shownTasks: new ShownTasks(options.memory.shownChars),
      spareTasks: () => this.#spareTasks,
      batchTurns: new Turns(options.clock, options.scheduler, 0),
      onDiscarded: (actor, again, oneByOne) => this.#discarded(actor, again, oneByOne),
      onStillDue: (organizationId) => this.#wake(organizationId),
    };
  }

  start(): void {
    const { scheduler } = this.#options;
    this.#cancelTimers.push(scheduler.every(LIMITS.deadlineScanMs, () => void this.scanTimers()));
    this.#cancelTimers.push(scheduler.every(LIMITS.passivateAfterMs / 10, () => this.#passivateIdle()));
    this.#cancelTimers.push(scheduler.every(LIMITS.liveTasksCountedMs, () => this.#countTasks()));
    this.#cancelTimers.push(scheduler.every(LIMITS.answersSweptMs, () => this.#services.shownTasks.sweep()));
  }

  get liveActors(): number {
    return this.#actors.size;
  }

  /** The actor of an organization, if it lives here now; for tests that look into memory. */
  find(organizationId: number): OrgActor | undefined {
    return this.#actors.get(organizationId);
  }

  /**
   * Asks an organization's actor. Never rejects: a failure is a coded refusal (503 NOT_OWNER, OVERLOADED, UNAVAILABLE,
   * NOT_APPLIED, OUTCOME_UNKNOWN, or a refusal of the decision).
   */
  ask(organizationId: number, command: Command): Promise<Answer> {
    return new Promise((settle) => this.#ask(organizationId, { command, settle }));
  }

  /** Refuses new commands and resolves once everything decided has ended. */
  async drain(): Promise<void> {
    this.#accepting = false;
    for (const cancel of this.#cancelTimers) cancel();
    await this.#options.groupCommit.whenIdle();
  }

  /** Forgets the organizations of shards that another process has taken. */
  lose(shards: ReadonlySet<number>): void {
    for (const actor of [...this.#actors.values()]) if (shards.has(actor.shard)) actor.retire();
    this.#options.onMissed((organizationId) => shards.has(shardOf(organizationId)));
  }

  /** Wakes the organizations whose timers are due. Never rejects. */
  async scanTimers(): Promise<void> {
    const { store, ownership, clock, log } = this.#options;
    const shards = ownership.ownedShards();
    if (shards.length === 0) return;
    try {
      const due = await store.dueOrganizations(shards, isoTime(clock.now()));
      for (const organizationId of due) this.#wake(organizationId);
    } catch (error) {
      log.warn({ err: error }, 'timers could not be scanned');
    }
  }

  #wake(organizationId: number): void {
    if (!this.#accepting || this.#options.ownership.standingOf(shardOf(organizationId)) !== 'owned') return;
    void (this.#actors.get(organizationId) ?? this.#start(organizationId, [])).wake();
  }

  #ask(organizationId: number, pending: PendingCommand): void {
    const standing = this.#options.ownership.standingOf(shardOf(organizationId));
    if (standing !== 'owned' || !this.#accepting) {
      return failUndecided(
        [pending],
        refusal(standing === 'settling' ? 'NOT_APPLIED' : 'NOT_OWNER'),
        standing === 'settling',
      );
    }
    const actor = this.#actors.get(organizationId) ?? this.#start(organizationId, []);
    actor.ask(pending);
  }

  #start(organizationId: number, oneByOne: readonly PendingCommand[]): OrgActor {
    if (this.#actors.size >= LIMITS.liveActors) this.#passivateIdlest();
    const actor = new OrgActor(organizationId, shardOf(organizationId), this.#services, oneByOne);
    this.#actors.set(organizationId, actor);
    this.#loadQueue.push(actor);
    this.#loadNext();
    return actor;
  }

  #loadNext(): void {
    while (this.#loads < LIMITS.concurrentLoads) {
      const actor = this.#loadQueue.shift();
      if (!actor) return;
      this.#loads += 1;
      void actor.load().finally(() => {
        this.#loads -= 1;
        this.#loadNext();
      });
    }
  }

  #discarded(actor: OrgActor, again: readonly PendingCommand[], oneByOne: readonly PendingCommand[]): void {
    const { organizationId } = actor;
    if (this.#actors.get(organizationId) === actor) this.#actors.delete(organizationId);
    if (oneByOne.length > 0) {
      const standing = this.#options.ownership.standingOf(actor.shard);
      if (standing === 'owned') this.#start(organizationId, oneByOne);
      else for (const { settle } of oneByOne) settle({ ok: false, refusal: refusal('NOT_OWNER') });
    }
    for (const pending of again) this.#ask(organizationId, pending);
  }

  /** Counted now and then: an actor leaves memory in many ways, and what comes in a second is little. */
  #countTasks(): void {
    let tasks = 0;
    for (const actor of this.#actors.values()) tasks += actor.tasksInMemory;
    this.#spareTasks = this.#options.memory.tasks - tasks;
  }

  #passivateIdle(): void {
    const usedBefore = this.#options.clock.monotonic() - LIMITS.passivateAfterMs;
    for (const [organizationId, actor] of this.#actors) {
      if (actor.isIdle && actor.lastUsedAt <= usedBefore) this.#actors.delete(organizationId);
    }
  }

  /** Makes room when there are as many actors as there may be: a tenth of them at once, so that it is done rarely. */
  #passivateIdlest(): void {
    const idle = [...this.#actors.values()].filter((actor) => actor.isIdle).sort((a, b) => a.lastUsedAt - b.lastUsedAt);
    for (const { organizationId } of idle.slice(0, Math.ceil(LIMITS.liveActors / 10)))
      this.#actors.delete(organizationId);
  }
}
