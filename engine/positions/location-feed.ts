import { LIMITS } from '../../schema/limits.ts';
import type { Clock, Scheduler } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import { Turns } from '../runtime/turns.ts';
import type { LiveAgent } from './live-agent.ts';
import {
  type LocationAudience,
  LocationAudiences,
  type LocationFilter,
  type LocationListener,
  type Subscriber,
} from './location-audience.ts';
import { LocationEncoder } from './location-encoder.ts';
import type { LocationPatch } from './location-patch.ts';
import { MovedAgents, noteTold } from './moved-agents.ts';

/** The streams of one organization. */
interface Listeners {
  readonly audiences: LocationAudiences;
  /** Agents that moved while streams were being served. */
  readonly untold: Set<LiveAgent>;
  /** Patches that some stream is behind with. */
  late: ReadonlySet<LocationPatch>;
  ticks: number;
  isTelling: boolean;
}

export interface LocationFeedOptions {
  readonly clock: Clock;
  readonly scheduler: Pick<Scheduler, 'soon'>;
  readonly log: Log;
}

/**
 * Tells streams where agents are, once a tick and only of those who moved. The cost of a tick grows with the agents, the
 * streams and the bytes that they get, and not with agents times streams.
 */
export class LocationFeed {
  readonly #log: Log;
  readonly #turns: Turns;
  readonly #listeners = new Map<number, Listeners>();

  constructor({ clock, scheduler, log }: LocationFeedOptions) {
    this.#log = log;
    this.#turns = new Turns(clock, scheduler);
  }

  /** The returned function ends it. */
  subscribe(organizationId: number, filter: LocationFilter, listener: LocationListener): () => void {
    const listeners = this.#listeners.get(organizationId) ?? newListeners();
    this.#listeners.set(organizationId, listeners);
    const { audiences } = listeners;
    const leave = audiences.join(filter, listener);
    return () => {
      leave();
      if (audiences.size === 0) this.#listeners.delete(organizationId);
    };
  }

  hasSubscribers(organizationId: number): boolean {
    return this.#listeners.has(organizationId);
  }

  /**
   * Sends the moved agents to streams; call it also when none moved, for streams that were behind. At once when there
   * is little to send, otherwise in steps, so that requests get their turn in between. Agents that move in the meantime
   * go with the next call.
   */
  tell(organizationId: number, moved: readonly LiveAgent[], nowMs: number): void {
    const listeners = this.#listeners.get(organizationId);
    if (!listeners) return noteTold(moved);
    const { untold, isTelling } = listeners;
    if (isTelling) {
      for (const agent of moved) untold.add(agent);
      return;
    }
    const agents = untold.size === 0 ? moved : [...new Set([...untold, ...moved])];
    untold.clear();
    listeners.ticks += 1;
    void this.#tell(organizationId, listeners, new MovedAgents(listeners.ticks, agents), nowMs);
  }

  /** Never rejects. */
  async #tell(organizationId: number, listeners: Listeners, moved: MovedAgents, nowMs: number): Promise<void> {
    listeners.isTelling = true;
    try {
      const telling = new Telling(listeners.audiences, moved, new LocationEncoder(organizationId, moved, nowMs));
      for (const _step of telling.run()) {
        const turn = this.#turns.next();
        if (turn) await turn;
      }
      for (const patch of listeners.late) if (!telling.late.has(patch)) patch.forget();
      listeners.late = telling.late;
    } catch (error) {
      this.#log.error({ err: error, organizationId }, 'positions could not be sent to streams');
    } finally {
      listeners.isTelling = false;
    }
  }
}

/** One tick for the streams of one organization. */
class Telling {
  /** Patches that some stream has missed something of, and goes on missing. */
  readonly late = new Set<LocationPatch>();
  readonly #audiences: LocationAudiences;
  readonly #moved: MovedAgents;
  readonly #encoder: LocationEncoder;

  constructor(audiences: LocationAudiences, moved: MovedAgents, encoder: LocationEncoder) {
    this.#audiences = audiences;
    this.#moved = moved;
    this.#encoder = encoder;
  }

  /** Stops before each small piece of work. */
  *run(): Generator<void> {
    yield* this.#place();
    for (const audience of this.#audiences) yield* this.#tellAudience(audience);
  }

  /** Most of the work is the JSON of the agents that somebody shows. */
  *#place(): Generator<void> {
    const { agents } = this.#moved;
    const { shownCells } = this.#audiences;
    for (const [index, agent] of agents.entries()) {
      if (index % LIMITS.positionsEncodedPerStep === 0) yield;
      const isShown = this.#moved.place(agent, shownCells);
      if (isShown || this.#audiences.showAll) this.#encoder.itemOf(agent);
    }
  }

  /**
   * Two messages at most: for streams that had everything before, and for streams that were behind, with more than some
   * of them missed. Other work has its turn between two streams, so each is asked whether it is ready at its own turn.
   */
  *#tellAudience(audience: LocationAudience): Generator<void> {
    yield;
    const message = this.#encoder.messageOf(audience, 'moved');
    const behind: Subscriber[] = [];
    for (const subscriber of audience.subscribers) {
      const isBehind = subscriber.behindSince !== undefined;
      if (!isBehind && !message) continue;
      yield;
      if (!subscriber.listener.isReady()) this.#miss(audience, subscriber);
      else if (isBehind) behind.push(subscriber);
      else subscriber.listener.onFrame(message!);
    }
    if (behind.length === 0) return;
    const whole = this.#encoder.messageOf(audience, 'missed');
    for (const subscriber of behind) {
      yield;
      if (!subscriber.listener.isReady()) this.#miss(audience, subscriber);
      else {
        subscriber.behindSince = undefined;
        if (whole) subscriber.listener.onFrame(whole);
      }
    }
  }

  #miss({ patches }: LocationAudience, subscriber: Subscriber): void {
    subscriber.behindSince ??= this.#moved.tick;
    for (const patch of patches) {
      patch.keep(this.#moved, subscriber.behindSince);
      this.late.add(patch);
    }
  }
}

function newListeners(): Listeners {
  return { audiences: new LocationAudiences(), untold: new Set(), late: new Set(), ticks: 0, isTelling: false };
}
