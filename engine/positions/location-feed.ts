import type { BoundingBox } from '../../schema/fleet/position.ts';
import { LIMITS } from '../../schema/limits.ts';
import { isInBox } from '../domain/travel/geo.ts';
import { isStale } from '../domain/travel/location-rule.ts';
import { isoTime, type Scheduler } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import { encodePosition } from '../views/position-view.ts';
import type { LiveAgent } from './live-agent.ts';

/** The agents that a stream shows: those that meet every condition. */
export interface LocationFilter {
  readonly bbox?: BoundingBox | undefined;
  readonly agentIds?: readonly number[] | undefined;
  /** Agents who have one of these tasks open. */
  readonly taskIds?: readonly number[] | undefined;
}

export interface LocationListener {
  /** Whether it could take a frame now. A slow stream gets a later frame, with the newest positions of then. */
  isReady(): boolean;
  /** The same bytes for all who asked for the same. */
  onFrame(frame: Buffer): void;
}

interface Subscriber {
  readonly listener: LocationListener;
  /** Agents that it missed while it was behind. */
  missed: Set<LiveAgent> | undefined;
}

/** Subscribers with the same filter: they share one frame. */
interface Audience {
  /** The moved agents that it wants. */
  readonly pick: (moved: Moved) => readonly LiveAgent[];
  /** It looks at everybody who moved. */
  readonly isWide: boolean;
  readonly subscribers: Set<Subscriber>;
}

/** The streams of one organization. */
interface Listeners {
  readonly audiences: Map<string, Audience>;
  /** Agents that moved while streams were being served. */
  readonly untold: Set<LiveAgent>;
  isTelling: boolean;
}

export interface LocationFeedOptions {
  readonly scheduler: Pick<Scheduler, 'soon'>;
  readonly log: Log;
}

/** Tells streams where agents are, once a tick and only of those who moved: one frame for all who ask for the same. */
export class LocationFeed {
  readonly #options: LocationFeedOptions;
  readonly #listeners = new Map<number, Listeners>();

  constructor(options: LocationFeedOptions) {
    this.#options = options;
  }

  /** The returned function ends it. */
  subscribe(organizationId: number, filter: LocationFilter, listener: LocationListener): () => void {
    const key = keyOf(filter);
    const listeners = this.#listeners.get(organizationId) ?? newListeners();
    const { audiences } = listeners;
    const audience = audiences.get(key) ?? newAudience(filter);
    this.#listeners.set(organizationId, listeners);
    audiences.set(key, audience);
    const subscriber: Subscriber = { listener, missed: undefined };
    audience.subscribers.add(subscriber);
    return () => {
      audience.subscribers.delete(subscriber);
      if (audience.subscribers.size === 0) audiences.delete(key);
      if (audiences.size === 0) this.#listeners.delete(organizationId);
    };
  }

  /** Whether somebody may ask for this: of filters that look at everybody an organization has so many at a time. */
  hasRoom(organizationId: number, filter: LocationFilter): boolean {
    const audiences = this.#listeners.get(organizationId)?.audiences;
    if (!audiences || filter.agentIds || audiences.has(keyOf(filter))) return true;
    let wide = 0;
    for (const { isWide } of audiences.values()) if (isWide) wide += 1;
    return wide < LIMITS.wideLocationFilters;
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
      addAll(untold, moved);
      return;
    }
    const agents = untold.size === 0 ? moved : [...addAll(untold, moved)];
    untold.clear();
    const telling = new Telling(organizationId, listeners.audiences.values(), agents, nowMs);
    if (telling.isLittle) telling.tellAll();
    else void this.#tellInSteps(listeners, telling);
  }

  async #tellInSteps(listeners: Listeners, telling: Telling): Promise<void> {
    const { scheduler, log } = this.#options;
    listeners.isTelling = true;
    try {
      while (telling.encodeSome()) await new Promise<void>((resolve) => scheduler.soon(resolve));
      while (telling.tellSome()) await new Promise<void>((resolve) => scheduler.soon(resolve));
    } catch (error) {
      log.error({ err: error, organizationId: telling.organizationId }, 'positions could not be sent to streams');
    } finally {
      listeners.isTelling = false;
    }
  }
}

/** The frames of one tick for the streams of one organization. Their content is settled when it begins. */
class Telling {
  readonly organizationId: number;
  readonly #nowMs: number;
  readonly #wanted: readonly (readonly [audience: Audience, agents: readonly LiveAgent[]])[];
  /** Agents that some stream wants. */
  readonly #agents: readonly LiveAgent[];
  /** Their JSON, which is most of the work: of so many of them, and of those whom somebody has missed. */
  readonly #items = new Map<LiveAgent, string>();
  #encoded = 0;
  /** Stops after each stream that was looked at. */
  readonly #streams: Iterator<void>;
  readonly #streamCount: number;

  constructor(organizationId: number, audiences: Iterable<Audience>, agents: readonly LiveAgent[], nowMs: number) {
    this.organizationId = organizationId;
    this.#nowMs = nowMs;
    const moved = new Moved(agents);
    this.#wanted = [...audiences].map((audience) => [audience, audience.pick(moved)] as const);
    const [first, ...others] = this.#wanted;
    this.#agents = others.length === 0 ? (first?.[1] ?? []) : [...new Set(this.#wanted.flatMap(([, all]) => all))];
    this.#streams = this.#tellEach();
    this.#streamCount = this.#wanted.reduce((count, [{ subscribers }]) => count + subscribers.size, 0);
    noteTold(agents);
  }

  get isLittle(): boolean {
    return this.#agents.length <= LIMITS.positionsEncodedPerStep && this.#streamCount <= LIMITS.streamsPerStep;
  }

  /** False when there is nothing left to encode. */
  encodeSome(): boolean {
    const end = Math.min(this.#encoded + LIMITS.positionsEncodedPerStep, this.#agents.length);
    for (; this.#encoded < end; this.#encoded++) this.#itemOf(this.#agents[this.#encoded]!);
    return this.#encoded < this.#agents.length;
  }

  /** False when there is nobody left to tell. Encodes what is left. */
  tellSome(): boolean {
    for (let left = LIMITS.streamsPerStep; left > 0; left -= 1) if (this.#streams.next().done) return false;
    return true;
  }

  tellAll(): void {
    while (this.tellSome());
  }

  *#tellEach(): Generator<void> {
    for (const [{ subscribers }, agents] of this.#wanted)
      yield* tellAudience(agents, subscribers, (those) => this.#frameOf(those));
  }

  #itemOf(agent: LiveAgent): string {
    let item = this.#items.get(agent);
    if (item === undefined) {
      item = encodePosition(agent, isStale(agent, this.#nowMs));
      this.#items.set(agent, item);
    }
    return item;
  }

  #frameOf(agents: Iterable<LiveAgent>): Buffer {
    let list = '';
    let count = 0;
    for (const agent of agents) {
      list += count === 0 ? this.#itemOf(agent) : `,${this.#itemOf(agent)}`;
      count += 1;
    }
    const head = `"type":"agent.locations_updated","timestamp":"${isoTime(this.#nowMs)}","apiVersion":"v1"`;
    const body = `{${head},"organizationId":${this.organizationId},"data":{"items":[${list}],"count":${count}}}`;
    // It holds only ASCII, where latin1 needs no search for the ends of characters.
    return Buffer.from(`event: agent.locations_updated\ndata: ${body}\n\n`, 'latin1');
  }
}

/** Agents who moved; by their ids for those who ask for some of them. */
class Moved {
  readonly agents: readonly LiveAgent[];
  #byId: Map<number, LiveAgent> | undefined;

  constructor(agents: readonly LiveAgent[]) {
    this.agents = agents;
  }

  find(agentId: number): LiveAgent | undefined {
    this.#byId ??= new Map(this.agents.map((agent) => [agent.agentId, agent]));
    return this.#byId.get(agentId);
  }
}

/**
 * Two frames at most: for streams that had everything before, and for streams that were behind, with more than some of
 * them missed. Other work has its turn between two streams, so each is asked whether it is ready at its own turn.
 */
function* tellAudience(
  wanted: readonly LiveAgent[],
  subscribers: ReadonlySet<Subscriber>,
  frameOf: (agents: Iterable<LiveAgent>) => Buffer,
): Generator<void> {
  const behind: Subscriber[] = [];
  let frame: Buffer | undefined;
  for (const subscriber of subscribers) {
    if (subscriber.missed && subscriber.listener.isReady()) behind.push(subscriber);
    else if (wanted.length === 0) continue;
    else if (!subscriber.listener.isReady()) subscriber.missed = addAll(subscriber.missed ?? new Set(), wanted);
    else {
      frame ??= frameOf(wanted);
      subscriber.listener.onFrame(frame);
    }
    yield;
  }
  if (behind.length === 0) return;
  const all = addAll(new Set(), wanted);
  for (const { missed } of behind) addAll(all, missed!);
  const wholeFrame = frameOf(all);
  for (const subscriber of behind) {
    if (subscriber.listener.isReady()) {
      subscriber.missed = undefined;
      subscriber.listener.onFrame(wholeFrame);
    } else addAll(subscriber.missed!, wanted);
    yield;
  }
}

function noteTold(agents: readonly LiveAgent[]): void {
  for (const agent of agents) {
    agent.toldLatitude = agent.latitude;
    agent.toldLongitude = agent.longitude;
  }
}

function newListeners(): Listeners {
  return { audiences: new Map(), untold: new Set(), isTelling: false };
}

function newAudience({ bbox, agentIds, taskIds }: LocationFilter): Audience {
  const ids = agentIds && [...new Set(agentIds)];
  const tasks = taskIds && new Set(taskIds);
  const isWanted = (agent: LiveAgent) => hasOneOf(agent, tasks) && isOrWasIn(agent, bbox);
  return {
    isWide: ids === undefined,
    subscribers: new Set(),
    pick(moved) {
      const asked = ids ? ids.flatMap((id) => moved.find(id) ?? []) : moved.agents;
      return bbox || tasks ? asked.filter(isWanted) : asked;
    },
  };
}

function hasOneOf({ openTasks }: LiveAgent, tasks: ReadonlySet<number> | undefined): boolean {
  if (!tasks) return true;
  for (const taskId of openTasks.keys()) if (tasks.has(taskId)) return true;
  return false;
}

/** An agent that has left is sent once more: otherwise it would stand at the edge for ever. */
function isOrWasIn(agent: LiveAgent, bbox: BoundingBox | undefined): boolean {
  return (
    !bbox || isInBox(bbox, agent.latitude, agent.longitude) || isInBox(bbox, agent.toldLatitude, agent.toldLongitude)
  );
}

function keyOf({ bbox, agentIds, taskIds }: LocationFilter): string {
  const ids = (list: readonly number[] | undefined) => (list ? [...new Set(list)].sort((a, b) => a - b) : null);
  const box = bbox ? [bbox.west, bbox.south, bbox.east, bbox.north] : null;
  return JSON.stringify([box, ids(agentIds), ids(taskIds)]);
}

function addAll(all: Set<LiveAgent>, agents: Iterable<LiveAgent>): Set<LiveAgent> {
  for (const agent of agents) all.add(agent);
  return all;
}
