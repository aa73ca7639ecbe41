import { LIMITS } from '../../schema/limits.ts';
import type { BoundingBox } from '../../schema/position.ts';
import { isInBox } from '../domain/geo.ts';
import { encodePosition } from '../views/position-view.ts';
import type { LiveAgent } from './live-agent.ts';

/** Which agents a stream is told of: those who meet all that is said. */
export interface LocationFilter {
  readonly bbox?: BoundingBox | undefined;
  readonly agentIds?: readonly number[] | undefined;
  /** Agents who have one of these tasks open. */
  readonly taskIds?: readonly number[] | undefined;
}

export interface LocationListener {
  /** Whether it could take a frame now. Who is behind is told later, and then of where everybody is by then. */
  isReady(): boolean;
  /** The same bytes for all who asked for the same. */
  onFrame(frame: Buffer): void;
}

interface Subscriber {
  readonly listener: LocationListener;
  /** Agents of whom it has not been told, since it was behind. */
  missed: Set<LiveAgent> | undefined;
}

/** Subscribers who asked for the same: what they are told is put together once. */
interface Audience {
  /** Those among the agents who moved, by their ids, of whom it wants to hear. */
  readonly pick: (moved: ReadonlyMap<number, LiveAgent>) => LiveAgent[];
  /** It looks at everybody who moved. */
  readonly isWide: boolean;
  readonly subscribers: Set<Subscriber>;
}

/** Tells streams where agents are, once a tick and only of those who moved: one frame for all who ask for the same. */
export class LocationFeed {
  readonly #audiences = new Map<number, Map<string, Audience>>();

  /** The returned function ends it. */
  subscribe(organizationId: number, filter: LocationFilter, listener: LocationListener): () => void {
    const key = keyOf(filter);
    const ofOrganization = this.#audiences.get(organizationId) ?? new Map<string, Audience>();
    const audience = ofOrganization.get(key) ?? newAudience(filter);
    this.#audiences.set(organizationId, ofOrganization);
    ofOrganization.set(key, audience);
    const subscriber: Subscriber = { listener, missed: undefined };
    audience.subscribers.add(subscriber);
    return () => {
      audience.subscribers.delete(subscriber);
      if (audience.subscribers.size === 0) ofOrganization.delete(key);
      if (ofOrganization.size === 0) this.#audiences.delete(organizationId);
    };
  }

  /** Whether somebody may ask for this: of filters that look at everybody an organization has so many at a time. */
  hasRoom(organizationId: number, filter: LocationFilter): boolean {
    const audiences = this.#audiences.get(organizationId);
    if (!audiences || filter.agentIds || audiences.has(keyOf(filter))) return true;
    let wide = 0;
    for (const { isWide } of audiences.values()) if (isWide) wide += 1;
    return wide < LIMITS.wideLocationFilters;
  }

  hasSubscribers(organizationId: number): boolean {
    return this.#audiences.has(organizationId);
  }

  /** Encodes what somebody will be told of these agents: ahead of `tell`, a few at a time, since it is most of the work. */
  encode(organizationId: number, agents: readonly LiveAgent[], items: EncodedPositions, nowMs: number): void {
    const byId = new Map(agents.map((agent) => [agent.agentId, agent]));
    for (const { pick } of this.#audiences.get(organizationId)?.values() ?? [])
      for (const agent of pick(byId)) itemOf(agent, items, nowMs);
  }

  /**
   * Tells of those who moved; also to be called when nobody did, for the sake of those who were behind. What `items` lacks
   * is encoded now.
   */
  tell(organizationId: number, moved: readonly LiveAgent[], nowMs: number, items: EncodedPositions = new Map()): void {
    const ofOrganization = this.#audiences.get(organizationId);
    if (ofOrganization) {
      const byId = new Map(moved.map((agent) => [agent.agentId, agent]));
      const frameOf = (agents: Iterable<LiveAgent>) => encodeFrame(organizationId, agents, items, nowMs);
      for (const { pick, subscribers } of ofOrganization.values()) tellAudience(pick(byId), subscribers, frameOf);
    }
    for (const agent of moved) {
      agent.toldLatitude = agent.latitude;
      agent.toldLongitude = agent.longitude;
    }
  }
}

/** Two frames at most: for who has had all before, and for who was behind, which is of more than some of them missed. */
function tellAudience(
  wanted: readonly LiveAgent[],
  subscribers: ReadonlySet<Subscriber>,
  frameOf: (agents: Iterable<LiveAgent>) => Buffer,
): void {
  const [upToDate, catchingUp]: [Subscriber[], Subscriber[]] = [[], []];
  for (const subscriber of subscribers) {
    if (subscriber.listener.isReady()) (subscriber.missed ? catchingUp : upToDate).push(subscriber);
    else if (wanted.length > 0) subscriber.missed = addAll(subscriber.missed ?? new Set(), wanted);
  }
  if (upToDate.length > 0 && wanted.length > 0) {
    const frame = frameOf(wanted);
    for (const { listener } of upToDate) listener.onFrame(frame);
  }
  if (catchingUp.length === 0) return;
  const all = addAll(new Set(), wanted);
  for (const { missed } of catchingUp) addAll(all, missed!);
  const frame = frameOf(all);
  for (const subscriber of catchingUp) {
    subscriber.missed = undefined;
    subscriber.listener.onFrame(frame);
  }
}

/** Stale: neither where it is nor that it is still there has been heard for a while. */
export function isStale({ recordedAtMs, heardAtMs }: LiveAgent, nowMs: number): boolean {
  return nowMs - Math.max(recordedAtMs, heardAtMs) > LIMITS.positionStaleMs;
}

/** The JSON of positions, by whose they are: one tick's. */
export type EncodedPositions = Map<LiveAgent, string>;

function itemOf(agent: LiveAgent, items: EncodedPositions, nowMs: number): string {
  let item = items.get(agent);
  if (item === undefined) {
    item = encodePosition(agent, isStale(agent, nowMs));
    items.set(agent, item);
  }
  return item;
}

function encodeFrame(
  organizationId: number,
  agents: Iterable<LiveAgent>,
  items: EncodedPositions,
  nowMs: number,
): Buffer {
  let list = '';
  let count = 0;
  for (const agent of agents) {
    const item = itemOf(agent, items, nowMs);
    list += count === 0 ? item : `,${item}`;
    count += 1;
  }
  const timestamp = new Date(nowMs).toISOString();
  const head = `"type":"agent.locations_updated","timestamp":"${timestamp}","apiVersion":"v1"`;
  const body = `{${head},"organizationId":${organizationId},"data":{"items":[${list}],"count":${count}}}`;
  return Buffer.from(`event: agent.locations_updated\ndata: ${body}\n\n`);
}

function newAudience({ bbox, agentIds, taskIds }: LocationFilter): Audience {
  const ids = agentIds && [...new Set(agentIds)];
  const tasks = taskIds && new Set(taskIds);
  const isWanted = (agent: LiveAgent) => hasOneOf(agent, tasks) && isOrWasIn(agent, bbox);
  return {
    isWide: ids === undefined,
    subscribers: new Set(),
    pick(moved) {
      const asked = ids ? ids.flatMap((id) => moved.get(id) ?? []) : [...moved.values()];
      return asked.filter(isWanted);
    },
  };
}

function hasOneOf({ openTasks }: LiveAgent, tasks: ReadonlySet<number> | undefined): boolean {
  if (!tasks) return true;
  for (const taskId of openTasks.keys()) if (tasks.has(taskId)) return true;
  return false;
}

/** Who has left is told of once more: it would stand at the edge for ever. */
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
