import { EventFeed } from '../../../../engine/org/feed/event-feed.ts';
import { type Scheduler, systemClock, systemScheduler } from '../../../../engine/runtime/clock.ts';
import { createLog } from '../../../../engine/runtime/log.ts';
import { createRandomSource } from '../../../../engine/runtime/random.ts';
import type { Reply, ReplyStream, StreamEnd } from '../../../../gateway/http/port.ts';
import type { Identity } from '../../../../gateway/route.ts';
import { LastingReplies } from '../../../../gateway/sse/lasting-replies.ts';
import { StreamHub } from '../../../../gateway/sse/stream-hub.ts';
import type { LoggedEvent } from '../../../../schema/events.ts';
import { LIMITS } from '../../../../schema/limits.ts';

const ORGANIZATION = 1;

export function identityOf(caller: 'channel' | 'user', id: number, organizationId = ORGANIZATION): Identity {
  const role = caller === 'channel' ? 'integration' : 'dispatcher';
  return {
    organizationId,
    role,
    caller: { type: caller, id, channelId: 2, role, agentId: null, userId: 3 },
    sessionId: caller === 'user' ? 4 : null,
    sessionEndsAtMs: Number.POSITIVE_INFINITY,
    credentialHash: '',
    snapshot: '1:1:',
    rateLimit: null,
    locationsWrite: false,
  };
}

export function eventsOf(from: number, to: number, pad = ''): LoggedEvent[] {
  return Array.from({ length: to - from + 1 }, (_, index) => {
    const sequence = from + index;
    const type = sequence % 2 === 0 ? 'task.updated' : 'task.created';
    const body = JSON.stringify({ sequence, data: { task: { id: sequence, agentId: sequence % 10 } }, pad });
    return { organizationId: ORGANIZATION, sequence, type, at: '', body };
  });
}

/** A stream that keeps its bytes, and that accepts them only on demand while it is `slow`. */
export class RecordingStream implements ReplyStream {
  readonly written: (string | Buffer)[] = [];
  isSlow = false;
  isIdle = true;
  end: StreamEnd | undefined;
  #onIdle: (() => void) | undefined;
  wasAborted = false;
  #onClose: (reason: StreamEnd) => void = () => {};

  get queuedBytes(): number {
    return 0;
  }

  /** Sequences of the events in what was written so far. */
  get sequences(): number[] {
    return [...this.written.join('').matchAll(/"sequence":(\d+)/g)].map(([, sequence]) => Number(sequence));
  }

  write(chunk: string | Buffer): void {
    this.written.push(chunk);
    if (this.isSlow) this.isIdle = false;
  }

  writeShared(...pieces: readonly Buffer[]): void {
    if (!this.isIdle) throw new Error('what is shared is written to idle streams only');
    for (const piece of pieces) this.write(piece);
  }

  onIdle(listener: () => void): void {
    if (this.isIdle) listener();
    else this.#onIdle = listener;
  }

  /** The client takes what was written. */
  take(): void {
    this.isIdle = true;
    const listener = this.#onIdle;
    this.#onIdle = undefined;
    listener?.();
  }

  close(): void {
    this.end = 'server';
    this.#onClose('server');
  }

  abort(): void {
    this.wasAborted = true;
    this.close();
  }

  onClose(listener: (reason: StreamEnd) => void): void {
    this.#onClose = listener;
    if (this.end) listener(this.end);
  }
}

/** A hub on a log that the test writes. */
export function createStand({ clock = systemClock, scheduler = systemScheduler } = {}) {
  const log: LoggedEvent[] = [];
  let isAway = false;
  const feed = new EventFeed({
    history: 'history',
    store: {
      async readAfter(_organizationId, after, limit) {
        const events = log.filter(({ sequence }) => sequence > after).slice(0, limit);
        if (isAway) throw new Error('Postgres is away');
        return { events, isCut: false, lastSequence: log.length, keptAfter: after };
      },
      async lastSequences() {
        if (isAway) throw new Error('Postgres is away');
        return new Map([[ORGANIZATION, log.length]]);
      },
    },
    isOwned: () => true,
    clock,
    scheduler,
    log: createLog('gateway', 'silent'),
  });
  const hub = new StreamHub({
    heartbeatMs: LIMITS.heartbeatMs,
    feed,
    positions: { subscribe: () => () => {} },
    replies: new LastingReplies({
      access: { onChanges: () => {} },
      clock: systemClock,
      scheduler: systemScheduler,
    }),
    clock,
    scheduler,
    random: createRandomSource(),
    log: createLog('gateway', 'silent'),
  });
  const open = (
    identity: Identity,
    request: Partial<Parameters<StreamHub['open']>[2]> = {},
    stream = new RecordingStream(),
  ) => {
    const reply = { openStream: () => stream } as unknown as Reply;
    hub.open(identity, reply, { query: {}, lastEventId: undefined, replyHeaders: [], ...request });
    return stream;
  };
  return {
    hub,
    open,
    /** Commits and publishes. */
    publish(events: readonly LoggedEvent[]) {
      log.push(...events);
      feed.publish(ORGANIZATION, events);
    },
    /** Commits what nobody hears of. */
    commit: (events: readonly LoggedEvent[]) => void log.push(...events),
    /** Postgres loses commits. */
    lose: (count: number) => void log.splice(-count),
    setAway(value: boolean) {
      isAway = value;
    },
    feed,
    stop: () => {
      feed.stop();
      hub.stop();
    },
  };
}

/** A stand whose time passes only as streams are written to, 1 ms each, and that notes how often that is in one turn. */
export function createSlowStand(onTurn = () => {}) {
  let now = 0;
  let writes = 0;
  const perTurn: number[] = [];
  const periods = new Map<number, () => void>();
  const soon = (task: () => void) =>
    void setImmediate(() => {
      perTurn.push(writes);
      writes = 0;
      onTurn();
      task();
    });
  const scheduler: Scheduler = {
    soon,
    after(_delayMs, task) {
      const timer = setImmediate(task);
      return () => clearImmediate(timer);
    },
    every(periodMs, task) {
      periods.set(periodMs, task);
      return () => periods.delete(periodMs);
    },
  };
  const stand = createStand({ clock: { now: () => now, monotonic: () => now }, scheduler });
  class SlowStream extends RecordingStream {
    override write(chunk: string | Buffer): void {
      super.write(chunk);
      // Written in the turn of the request, which has come alone.
      if (chunk.includes('stream.ready')) return;
      now += 1;
      writes += 1;
    }
  }
  return {
    ...stand,
    open: (identity: Identity, request: Parameters<typeof stand.open>[1] = {}) =>
      stand.open(identity, request, new SlowStream()),
    /** Runs what is due every so often. */
    beat: (periodMs: number) => periods.get(periodMs)!(),
    /** Writes in each turn since the last time. */
    takeTurns() {
      const turns = [...perTurn.splice(0), writes];
      writes = 0;
      return turns;
    },
  };
}
