import type { Answer, Command } from '../../../schema/commands.ts';
import { type Refusal, refusal } from '../../../schema/errors.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { type Clock, isoTime } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log.ts';
import type { RandomSource } from '../../runtime/random.ts';
import type { Turns } from '../../runtime/turns.ts';
import type { OrgStore } from '../../store/actor/actor-store.ts';
import type { CommitError } from '../../store/actor/commit-store.ts';
import type { DecidedCommand, DecideTools } from '../apply/apply-decision.ts';
import { OrgBatch, type PendingCommand } from '../apply/org-batch.ts';
import type { ShownTasks } from '../apply/shown-tasks.ts';
import type { BatchOwner, GroupCommit } from '../commit/group-commit.ts';
import type { ShardOwnership } from '../commit/shard-ownership.ts';
import type { DueTimers } from '../decide/decision.ts';
import type { IdDemand } from '../decide/id-demand.ts';
import { collectNeeds, idDemandOf, lacksRecordsOfAgent, needsOf } from '../decide/rules.ts';
import { boundsOfState } from '../state/memory-bounds.ts';
import { OrgState } from '../state/org-state.ts';
import { decideCommand } from './decide-command.ts';
import type { IdBlocks } from './id-blocks.ts';
import { failDecided, failUndecided } from './not-applied.ts';
import { isDrawnCode, refusalOfRow } from './row-refusals.ts';
import { isBatch, takeWaiting } from './take-waiting.ts';

/** The services that all actors of a process share. */
export interface ActorServices {
  readonly store: OrgStore;
  readonly groupCommit: GroupCommit;
  readonly ownership: ShardOwnership;
  readonly ids: IdBlocks;
  readonly shownTasks: ShownTasks;
  /** How many more tasks the process may keep in memory; negative when it keeps too many. */
  readonly spareTasks: () => number;
  /** For batches of tasks that had to wait: each fills a turn of the loop. */
  readonly batchTurns: Turns;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly log: Log;
  readonly history: string;
  /** Called with every committed batch before any client gets its events. */
  readonly onChanged: (batch: OrgBatch, state: OrgState) => void;
  /** Something may have been written in these organizations that this process never hears of. */
  readonly onMissed: (isConcerned: (organizationId: number) => boolean) => void;
  /** More timers were due than are looked at together; those that were looked at are durable. */
  readonly onStillDue: (organizationId: number) => void;
  /** Publishes a commit: to local subscribers its events, to other processes hints. */
  readonly publish: (batch: OrgBatch) => void;
  /** The actor is no longer to be used; these commands were not decided and want another try. */
  readonly onDiscarded: (
    actor: OrgActor,
    again: readonly PendingCommand[],
    oneByOne: readonly PendingCommand[],
  ) => void;
}

type Phase = 'loading' | 'live' | 'discarded';

/**
 * The one place where an organization's state changes.
 * - `loading`: the head is being read; commands wait.
 * - `live`: a command whose records are in memory is decided at once; the others wait for a batched fetch, in the order
 * of arrival, except that only one batch of tasks goes with each fetch.
 * - `discarded`: a commit failed, or the shard was lost; the actor decides nothing more.
 * Invariant: an answer leaves only when the newest change that it rests on is durable: it waits in the batch with that
 * change, and `batchCommitted` sends it.
 */
export class OrgActor implements BatchOwner {
  readonly organizationId: number;
  readonly shard: number;
  lastUsedAt: number;
  #phase: Phase = 'loading';
  #state!: OrgState;
  #tools!: DecideTools;
  readonly #services: ActorServices;
  /** Commands that wait for their records, for ids, or for the head. */
  #waiting: PendingCommand[] = [];
  /** Commands to be committed one by one, because a batch with them was refused. They go before all others. */
  #oneByOne: PendingCommand[];
  #fetching = false;
  #waking: Promise<void> | undefined;
  /** The timers were due while the head was being read. */
  #isToWake = false;
  #ticket = 0;
  #durableTicket = 0;
  /** Batches not yet durable, oldest first; the last one may still be open. */
  readonly #undurable: OrgBatch[] = [];
  #open: OrgBatch | undefined;
  #undurableCommands = 0;

  constructor(organizationId: number, shard: number, services: ActorServices, oneByOne: readonly PendingCommand[]) {
    this.organizationId = organizationId;
    this.shard = shard;
    this.#services = services;
    this.#oneByOne = [...oneByOne];
    this.lastUsedAt = services.clock.monotonic();
  }

  get isLive(): boolean {
    return this.#phase !== 'discarded';
  }

  /** Whether the actor could leave memory without anyone noticing. */
  get isIdle(): boolean {
    if (this.#phase !== 'live' || this.#fetching || this.#waking) return false;
    return this.#waiting.length + this.#undurable.length + this.#oneByOne.length === 0;
  }

  get tasksInMemory(): number {
    return this.#phase === 'live' ? this.#state.taskCount : 0;
  }

  /** The state, for tests that compare memory with Postgres. */
  get state(): OrgState {
    return this.#state;
  }

  /** Reads the head. On failure every waiting command gets an error, and the actor is discarded. */
  async load(): Promise<void> {
    try {
      const head = await this.#services.store.loadHead(this.organizationId);
      if (!this.isLive) return;
      if (head === 'deleted') return this.#discard(refusal('ORGANIZATION_DELETED'));
      if (!head) return this.#discard(refusal('NOT_FOUND', 'Organization not found'));
      const { clock, ids, random, history, shownTasks } = this.#services;
      this.#state = new OrgState(head);
      this.#tools = { state: this.#state, shownTasks, random, history, clock, ids, openBatch: () => this.#openBatch() };
      this.#phase = 'live';
      this.#proceed();
      if (this.#isToWake) void this.wake();
    } catch (error) {
      this.#services.log.warn(
        { err: error, organizationId: this.organizationId },
        'an organization could not be loaded',
      );
      this.#discard(refusal('UNAVAILABLE'));
    }
  }

  /** Decides a command, now or when its records are there. Refuses OVERLOADED past the mailbox's bound. */
  ask(pending: PendingCommand): void {
    this.lastUsedAt = this.#services.clock.monotonic();
    if (this.#waiting.length >= LIMITS.mailboxCommands || this.#undurableCommands >= LIMITS.undurableCommands) {
      pending.settle({ ok: false, refusal: refusal('OVERLOADED') });
    } else if (this.#mayDecideNow(pending.command)) {
      this.#decide(pending);
    } else {
      this.#waiting.push(pending);
      this.#proceed();
    }
  }

  /** Looks at the organization's timers: what is due is read from the rows, then judged like any command. */
  async wake(): Promise<void> {
    this.#isToWake = this.#phase === 'loading';
    if (this.#phase !== 'live' || this.#oneByOne.length > 0) return;
    this.#waking ??= this.#lookAtTimers();
    await this.#waking;
  }

  async #lookAtTimers(): Promise<void> {
    try {
      await this.#allDurable();
      // As decisions have it: never before what was decided last.
      const now = isoTime(Math.max(this.#services.clock.now(), this.#state.lastAtMs));
      const due = await this.#services.store.fetchDue(this.organizationId, now);
      if (!this.isLive) return;
      for (const bundle of due.tasks) this.#state.absorbTask(bundle);
      if (due.ofAgents) this.#state.absorbAgents(due.ofAgents);
      // Only once these are durable: until then the rows name them again. And they may leave memory before more come.
      const goOn = () => this.#services.onStillDue(this.organizationId);
      const settle = ({ ok }: Answer) => void (ok && due.isFull && queueMicrotask(goOn));
      this.#decide({ command: WAKE_UP, settle }, due);
    } catch (error) {
      this.#services.log.warn({ err: error, organizationId: this.organizationId }, 'timers could not be looked at');
    } finally {
      this.#waking = undefined;
    }
  }

  /** Stops deciding; what is on its way to Postgres still ends as it ends. */
  retire(): void {
    if (!this.isLive) return;
    this.#phase = 'discarded';
    const again = this.#waiting.splice(0);
    this.#services.onDiscarded(this, again, this.#oneByOne.splice(0));
  }

  batchCommitted(batch: OrgBatch): void {
    this.#undurable.splice(this.#undurable.indexOf(batch), 1);
    this.#durableTicket = batch.ticket;
    this.#state.durableSequence = batch.lastSequence;
    if (this.#open === batch) this.#open = undefined;
    this.#undurableCommands -= batch.entries.length;
    for (const { settle, answer } of batch.entries) settle(answer());
    this.#services.onChanged(batch, this.#state);
    this.#services.publish(batch);
    if (!this.isLive) return;
    this.#makeRoom();
    this.#proceed();
  }

  batchFailed(batch: OrgBatch, why: Refusal): void {
    const inDoubt = why.code === 'OUTCOME_UNKNOWN';
    if (inDoubt) this.#services.onMissed((organizationId) => organizationId === this.organizationId);
    failDecided(batch.entries.splice(0), why, inDoubt);
    this.#discard(refusal('NOT_APPLIED'), inDoubt);
  }

  /**
   * The rows of this batch cannot be written. If one command alone made them, it is answered; otherwise its commands
   * are decided again one by one on a fresh actor, so that only the guilty one is refused. When memory was found to be
   * stale, or a code was drawn that another task has, nobody is guilty, and everyone gets one more try.
   */
  batchRefused(batch: OrgBatch, error: CommitError): void {
    if (!this.isLive) return this.batchFailed(batch, refusal('NOT_APPLIED'));
    const changing = batch.entries.filter(({ changes }) => changes);
    const [only] = changing;
    const mayRetry = (error.failure === 'stale' || isDrawnCode(error)) && !only?.retried;
    const guilty = changing.length === 1 && !mayRetry ? only : undefined;
    if (guilty) {
      const { organizationId } = this;
      this.#services.log.error(
        { organizationId, why: error.message, command: guilty.command.kind },
        'a command was refused by Postgres',
      );
      guilty.settle({ ok: false, refusal: refusalOfRow(error) });
    }
    const suspects = batch.entries
      .filter((entry) => entry !== guilty)
      .map(({ command, settle }) => ({ command, settle, retried: true }));
    const later = this.#undurable.filter((other) => other !== batch).flatMap(({ entries }) => entries.splice(0));
    this.#phase = 'discarded';
    this.#services.onDiscarded(
      this,
      [...later, ...this.#waiting.splice(0)],
      [...suspects, ...this.#oneByOne.splice(0)],
    );
  }

  #discard(why: Refusal, inDoubt = false): void {
    if (!this.isLive) return;
    this.#phase = 'discarded';
    for (const { closed, entries } of this.#undurable) {
      // The entries that a group has taken are in flight: their answers leave when its end is known.
      if (!closed) failDecided(entries.splice(0), why, inDoubt);
    }
    failUndecided([...this.#oneByOne.splice(0), ...this.#waiting.splice(0)], why, inDoubt);
    this.#services.onDiscarded(this, [], []);
  }

  #mayDecideNow(command: Command): boolean {
    if (this.#phase !== 'live' || this.#oneByOne.length > 0) return false;
    return this.#services.ids.has(idDemandOf(command)) && !collectNeeds(this.#state, command);
  }

  /** Moves what waits a step on: the one-by-one commands first, then a fetch for all others. */
  #proceed(): void {
    if (this.#phase !== 'live' || this.#fetching) return;
    if (this.#oneByOne.length > 0) {
      if (this.#undurable.length === 0) void this.#fetchAndDecide([this.#oneByOne[0]!], true);
    } else if (this.#waiting.length > 0) {
      const { taken, left } = takeWaiting(this.#waiting);
      this.#waiting = left;
      void this.#fetchAndDecide(taken, false);
    }
  }

  /** Lets records go beyond the bounds; not while something is being read that would then be stale when it arrives. */
  #makeRoom(): void {
    if (this.#fetching || this.#waking) return;
    this.#state.evict(this.#durableTicket, boundsOfState(this.tasksInMemory, this.#services.spareTasks()));
  }

  /** Reads what the commands lack, and decides them. `alone`: the only one is the next of those that are committed one by one. */
  async #fetchAndDecide(commands: readonly PendingCommand[], alone: boolean): Promise<void> {
    this.#makeRoom();
    this.#fetching = true;
    if (await this.#fetch(commands)) {
      // Decided here and now: what was fetched may be evicted by the next fetch.
      for (const pending of commands) await this.#decideFetched(pending, alone);
    } else for (const { settle } of commands) settle({ ok: false, refusal: refusal('UNAVAILABLE') });
    if (alone && this.isLive) {
      this.#oneByOne.shift();
      this.#open = undefined;
    }
    this.#fetching = false;
    this.#proceed();
  }

  /** Brings the records that the commands lack into memory. False when they could not be read. */
  async #fetch(commands: readonly PendingCommand[]): Promise<boolean> {
    const { log, store } = this.#services;
    try {
      for (let fetches = 1, most = 1; fetches <= most; fetches++) {
        const needs = needsOf(this.#state, commands);
        if (!needs) break;
        const fetched = await store.fetchRecords(this.organizationId, needs);
        if (!this.isLive) break;
        this.#state.absorb(fetched);
        most = needs.fetches;
        if (fetches === most && most === LIMITS.attemptFetches) log.warn({ organizationId: this.organizationId }, MANY);
      }
      return true;
    } catch (error) {
      log.warn({ err: error, organizationId: this.organizationId }, 'records could not be fetched');
      return false;
    }
  }

  async #decideFetched(pending: PendingCommand, alone: boolean): Promise<void> {
    const { ids, batchTurns } = this.#services;
    // While it waits for its turn nothing is fetched, so nothing is evicted.
    if (isBatch(pending)) await batchTurns.next();
    const demand = idDemandOf(pending.command);
    // Looked at again each time: other actors may have waited for the same ids, and been first.
    while (!ids.has(demand)) {
      if (!(await this.#idsCome(demand))) return pending.settle({ ok: false, refusal: refusal('UNAVAILABLE') });
    }
    if (this.isLive && lacksRecordsOfAgent(this.#state, pending.command)) this.#waiting.push(pending);
    else if (this.isLive) this.#decide(pending);
    else if (!alone) this.#services.onDiscarded(this, [pending], []);
  }

  async #idsCome(demand: IdDemand): Promise<boolean> {
    try {
      await this.#services.ids.ensure(demand);
      return true;
    } catch (error) {
      this.#services.log.warn({ err: error }, 'ids could not be reserved');
      return false;
    }
  }

  #decide(pending: PendingCommand, due?: DueTimers): void {
    if (this.#services.ownership.standingOf(this.shard) !== 'owned') {
      return pending.settle({ ok: false, refusal: refusal('NOT_OWNER') });
    }
    let decided: DecidedCommand;
    try {
      decided = decideCommand(this.#tools, pending.command, due);
      this.#sealFull();
    } catch (error) {
      // Memory may hold half a change, or one that cannot be encoded: it is thrown away, and what no group has taken with it.
      this.#services.log.error({ err: error, command: pending.command.kind }, 'a decision failed');
      pending.settle({ ok: false, refusal: refusal('INTERNAL') });
      return this.#discard(refusal('NOT_APPLIED'));
    }
    // An answer without rows waits for the newest decision; a read waits only for what it shows.
    const ticket = decided.restsOn ?? this.#ticket;
    if (ticket <= this.#durableTicket) return pending.settle(decided.answer());
    const batch = this.#undurable.find((candidate) => candidate.ticket === ticket)!;
    batch.entries.push({ ...pending, answer: decided.answer, changes: decided.changes });
    this.#undurableCommands += 1;
  }

  /** Full is looked at between decisions only: all of one decision goes into one commit. */
  #sealFull(): void {
    if (!this.#open || this.#open.closed || !this.#open.isFull) return;
    this.#open = undefined;
    this.#services.groupCommit.seal(this.organizationId);
  }

  /** The batch that takes the next change: the open one, or a new one once that is taken or full. */
  #openBatch(): OrgBatch {
    const open = this.#open;
    if (open && !open.closed) return open;
    this.#ticket += 1;
    const batch = new OrgBatch(this.organizationId, this.#ticket, this.#state.lastSequence);
    this.#open = batch;
    this.#undurable.push(batch);
    this.#services.groupCommit.enqueue({ batch, shard: this.shard, owner: this });
    return batch;
  }

  /** Resolves when everything decided so far is durable; rejects when it will never be. */
  #allDurable(): Promise<void> {
    const newest = this.#undurable.at(-1);
    if (!newest) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const settle = (answer: Answer) => (answer.ok ? resolve() : reject(new Error(answer.refusal.message)));
      const answer = (): Answer => ({ ok: true, status: 200, data: '', sequence: newest.lastSequence });
      newest.entries.push({ command: WAKE_UP, settle, answer, changes: false });
      this.#undurableCommands += 1;
    });
  }
}

const MANY = 'a task has more attempts than are followed: a payment may not count for the last one';

const WAKE_UP: Command = {
  kind: 'wake-up',
  caller: { type: 'system', id: null, channelId: 0, role: 'system', agentId: null },
};
