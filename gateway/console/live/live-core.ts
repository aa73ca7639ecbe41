import type { AgentView } from '../../../schema/fleet/agent.ts';
import type { PositionView } from '../../../schema/fleet/position.ts';
import type { PaymentView } from '../../../schema/money/payment.ts';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import type { StreamLost, StreamReady } from '../../client/event-stream.ts';
import { midnightMs } from '../time/midnight.ts';
import type { Api } from './api.ts';
import type { Connection } from './protocol.ts';
import { Pulse } from './pulse.ts';
import { Records } from './records.ts';
import { Resume } from './resume.ts';
import { loadSnapshot, readAgentsAgain, sequenceOf } from './snapshot.ts';

/** A loss shorter than this is not shown: a stream that a gateway ends is open again at once. */
const GRACE_MS = 1_200;
const RETRY_MS = 2_000;
const SWEEP_MS = 30_000;
/** The page shows whole seconds. */
const SEEN_STEP_MS = 1_000;
/** More than this between two clocks of one machine is a clock that was set. */
const SET_CLOCK_MS = 1_000;

export interface Changes {
  readonly connection?: boolean;
  readonly tasks?: boolean;
  readonly agents?: boolean;
  readonly positions?: boolean;
  /** The payment that has changed; `any` after a gap in the stream. */
  readonly payment?: PaymentNews | 'any';
}

/** A payment, and the task that it was made for. */
export type PaymentNews = Pick<PaymentView, 'id' | 'taskId'>;

interface LoggedEvent {
  readonly type: string;
  readonly sequence: number;
  readonly timestamp: string;
  readonly data: {
    readonly task?: TaskView;
    readonly agent?: AgentView;
    readonly payment?: PaymentNews;
    readonly items?: readonly PositionView[];
  };
}

/**
 * The live state of one organization: a snapshot, joined to the stream by its position in the log. An event that the
 * snapshot holds already changes nothing. When the stream cannot go on without a gap, everything is read again.
 */
export class LiveCore {
  records = new Records();
  connection: Connection = {
    state: 'loading',
    seenAtMs: 0,
    clockOffsetMs: 0,
    lagMs: null,
    missed: 0,
    resumes: 0,
    problem: null,
  };
  readonly #api: Api;
  #timeZone: string;
  /** The zone in which the day of the records begins. */
  #loadedZone = '';
  readonly #onChange: (changes: Changes) => void;
  readonly #stopped = new AbortController();
  /** Couriers that are being read. */
  readonly #reading = new Set<number>();
  readonly #pulse: Pulse;
  readonly #sweeping: ReturnType<typeof setInterval>;
  #resume: Resume | undefined;
  #graceTimer: ReturnType<typeof setTimeout> | undefined;
  #sequence = 0;
  /** This machine's clock less the one that nobody sets, when `clockOffsetMs` was right. */
  #clockBaseMs = clockBaseMs();
  #isOpen = false;
  #isReadingCouriers = false;
  /** The page of couriers that is read next. */
  #nextCouriers = 1;
  #connection = new AbortController();

  constructor(api: Api, timeZone: string, onChange: (changes: Changes) => void) {
    this.#api = api;
    this.#timeZone = timeZone;
    this.#onChange = onChange;
    this.#pulse = new Pulse({
      ask: () => this.#api.me().then(({ position }) => sequenceOf(position)),
      reached: () => this.#sequence,
      onTrue: () => this.#isOpen && this.#isTrue(),
      onDoubt: () => this.connection.state === 'live' && this.#set({ state: 'cut' }),
      onBehind: () => this.#connection.abort(),
    });
    this.#sweeping = setInterval(() => this.#sweep(), SWEEP_MS);
  }

  /** The zone of the organization, by which today begins. */
  get timeZone(): string {
    return this.#timeZone;
  }

  /** The place in the log that the records have reached. */
  get sequence(): number {
    return this.#sequence;
  }

  /** By the server's clock. */
  get nowMs(): number {
    return Date.now() + this.connection.clockOffsetMs;
  }

  /** Loads and follows until `stop`, or until the session is over. */
  async run(): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      try {
        await this.#follow(await this.#load());
        // The stream has a gap.
        this.#set({ state: 'loading' });
      } catch (error) {
        const { failure, message } = this.#api.failure(error);
        if (failure.status === 401) return this.stop();
        this.#set({ problem: message, ...(this.connection.state === 'loading' ? {} : { state: 'cut' }) });
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }

  stop(): void {
    this.#stopped.abort();
    this.#pulse.stop();
    clearInterval(this.#sweeping);
    clearTimeout(this.#graceTimer);
  }

  /** The organization has another time zone. Today began at another moment, so everything is read again. */
  moveTo(timeZone: string): void {
    if (timeZone === this.#timeZone) return;
    this.#timeZone = timeZone;
    this.#connection.abort();
  }

  /** Returns the position from which the stream goes on. */
  async #load(): Promise<string> {
    this.#loadedZone = this.#timeZone;
    const { records, position } = await loadSnapshot(this.#api, this.#timeZone, this.#stopped.signal);
    this.records = records;
    this.#sequence = sequenceOf(position);
    this.#onChange({ tasks: true, agents: true, positions: true, payment: 'any' });
    return position;
  }

  /** Resolves when the stream cannot go on without a gap, or at the stop. */
  async #follow(position: string): Promise<void> {
    for (let from = position; this.#loadedZone === this.#timeZone; ) {
      this.#connection = new AbortController();
      const either = AbortSignal.any([this.#stopped.signal, this.#connection.signal]);
      const stream = await this.#api.follow(from, either);
      for await (const message of stream) {
        this.#pulse.hear();
        if (message.type === 'stream.resync') return;
        if (message.type === 'stream.ready') this.#ready(message);
        else if (message.type === 'stream.lost') this.#lost(message);
        else this.#apply(message as unknown as LoggedEvent);
      }
      // The stream was alive for the browser alone: a new connection takes its place.
      if (this.#stopped.signal.aborted || !this.#connection.signal.aborted) return;
      from = stream.lastEventId ?? from;
    }
  }

  #apply({ type, sequence, timestamp, data }: LoggedEvent): void {
    this.#compareClocks(Date.parse(timestamp));
    this.#isTrue();
    if (type === 'agent.locations_updated') {
      for (const view of data.items ?? []) {
        this.records.putPosition(view);
        this.meet(view.agentId);
      }
      return this.#onChange({ positions: true });
    }
    this.#sequence = Math.max(this.#sequence, sequence);
    const { task, agent, payment } = data;
    const tasks = task !== undefined && this.records.putTask(task, sequence, this.nowMs);
    const agents = agent !== undefined && this.records.putAgent(agent, sequence);
    if (task) this.meet(task.agentId);
    this.#resume?.count(Date.parse(timestamp));
    this.#set({ lagMs: Math.max(0, this.nowMs - Date.parse(timestamp)) });
    if (tasks || agents) this.#onChange({ tasks, agents });
    if (payment) this.#onChange({ payment });
  }

  #ready({ serverTime, position }: StreamReady): void {
    clearTimeout(this.#graceTimer);
    this.#graceTimer = undefined;
    this.#isOpen = true;
    this.#sequence = Math.max(this.#sequence, sequenceOf(position));
    const { state } = this.connection;
    this.#clockBaseMs = clockBaseMs();
    this.#set({ problem: null, clockOffsetMs: Date.parse(serverTime) - Date.now() });
    this.#isTrue();
    // An empty organization is one that is loaded and has nothing.
    if (state === 'loading') this.#onChange({ tasks: true, agents: true });
    else this.#readCaller();
    this.#readPositions();
  }

  /** The screen is true at this moment. After a cut, what comes next is what was missed. */
  #isTrue(): void {
    this.#heedClock();
    const { state } = this.connection;
    this.#see();
    if (state === 'live') return;
    this.#set({ state: 'live' });
    if (state === 'loading') return;
    this.#resume ??= new Resume(this.nowMs, (missed) => {
      this.#resume = undefined;
      this.#set({ missed, resumes: this.connection.resumes + 1 });
    });
  }

  /** No event announces changes of the caller, the organization or a courier: they are read again, now and then and when a page begins. */
  lookAround(): void {
    this.#readCaller();
    void this.#readCouriers();
  }

  /** The API tells who has it read. That it does not answer shows elsewhere. */
  #readCaller(): void {
    this.#api.me().catch(() => undefined);
  }

  async #readCouriers(): Promise<void> {
    if (this.#isReadingCouriers) return;
    this.#isReadingCouriers = true;
    try {
      this.#nextCouriers = await readAgentsAgain(this.#api, this.records, this.#nextCouriers);
      this.#onChange({ agents: true });
    } catch (error) {
      this.#set({ problem: this.#api.failure(error).message });
    } finally {
      this.#isReadingCouriers = false;
    }
  }

  /** A console is open for days: tasks that ended before today leave it at midnight of the organization. */
  #sweep(): void {
    this.#heedClock();
    this.records.forgetBefore(midnightMs(this.nowMs, this.#timeZone), this.nowMs);
    if (this.#isOpen) this.lookAround();
    // Figures of today change without an event.
    this.#onChange({ tasks: true });
  }

  /** Once the stream is open: a courier that moves once between a reading and the stream would be missed. */
  #readPositions(): void {
    this.#api.read<{ items: PositionView[] }>('/agents/locations/current').then(
      ({ data }) => {
        for (const view of data.items) this.records.putPosition(view);
        this.#onChange({ positions: true });
      },
      (error) => this.#set({ problem: String(error) }),
    );
  }

  /** A courier who was added after the snapshot is known at once by the first task or position. */
  meet(agentId: number | null): void {
    if (agentId === null || this.records.agents.has(agentId) || this.#reading.has(agentId)) return;
    this.#reading.add(agentId);
    this.#api
      .read<AgentView>(`/agents/${agentId}`)
      .then(
        ({ data, position }) => {
          this.records.putAgent(data, sequenceOf(position));
          this.#onChange({ agents: true });
        },
        (error) => this.#set({ problem: String(error) }),
      )
      .finally(() => this.#reading.delete(agentId));
  }

  /** The client opens the stream again. The screen was true until now, or until the silence began. */
  #lost({ reason }: StreamLost): void {
    this.#isOpen = false;
    if (this.connection.state === 'live' && this.#graceTimer === undefined && !reason.startsWith('silent')) this.#see();
    this.#set({ problem: reason });
    if (this.connection.state === 'loading') return;
    this.#graceTimer ??= setTimeout(() => this.#set({ state: 'cut' }), GRACE_MS);
  }

  /** A time of the server is older than its arrival, so the sample that came quickest is the nearest to the truth. */
  #compareClocks(serverMs: number): void {
    this.#heedClock();
    const clockOffsetMs = serverMs - Date.now();
    if (clockOffsetMs > this.connection.clockOffsetMs) this.#set({ clockOffsetMs });
  }

  /**
   * Somebody set this machine's clock, or it slept: by its own clock the server's is where it was. A new stream then says
   * how late it is there.
   */
  #heedClock(): void {
    const baseMs = clockBaseMs();
    const setMs = baseMs - this.#clockBaseMs;
    if (Math.abs(setMs) < SET_CLOCK_MS) return;
    this.#clockBaseMs = baseMs;
    this.#set({ clockOffsetMs: this.connection.clockOffsetMs - setMs });
    if (this.#isOpen) this.#connection.abort();
  }

  #see(): void {
    const seenAtMs = this.nowMs;
    if (seenAtMs - this.connection.seenAtMs >= SEEN_STEP_MS) this.#set({ seenAtMs });
  }

  #set(changed: Partial<Connection>): void {
    this.connection = { ...this.connection, ...changed };
    this.#onChange({ connection: true });
  }
}

function clockBaseMs(): number {
  return Date.now() - performance.now();
}
