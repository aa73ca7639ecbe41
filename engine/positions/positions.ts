import type { BoundingBox, DevicePoint, HeartbeatView, Point, Tally } from '../../schema/fleet/position.ts';
import { LIMITS } from '../../schema/limits.ts';
import { isInBox } from '../domain/bounding-box.ts';
import { isStale } from '../domain/travel/location-rule.ts';
import { type Clock, isoTime, type Scheduler } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import type { KnownPosition, PositionStore } from '../store/positions/position-store.ts';
import type { Roster } from '../store/positions/roster-store.ts';
import { encodePosition } from '../views/position-view.ts';
import type { LiveAgent } from './live-agent.ts';
import type { LocationFilter, LocationListener } from './location-audience.ts';
import { LocationFeed } from './location-feed.ts';
import { type NoteTrail, OrgPositions } from './org-positions.ts';
import { PositionSaver } from './position-saver.ts';
import type { RosterChange } from './roster-change.ts';
import { RosterReader } from './roster-reader.ts';
import type { AgentWatch } from './watch/agent-watch.ts';

export interface PositionsOptions {
  readonly store: PositionStore;
  /** Reads the agents of an organization, with their open tasks. */
  readonly readRoster: (organizationId: number) => Promise<Roster>;
  readonly noteTrail: NoteTrail;
  /** Told once a tick, for each organization, of agents who moved, or have other tasks than before. */
  readonly watch: AgentWatch;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly log: Log;
}

export interface CurrentPositions {
  /** JSON of each position, in the order of agents' ids. */
  readonly items: readonly string[];
}

/**
 * Where agents are, in the memory of this process: of all organizations that somebody asks or tells about. Apart from
 * the actors, and not discarded with them: points are taken while Postgres is away, and while Redis is.
 */
export class Positions {
  readonly #options: PositionsOptions;
  readonly #organizations = new Map<number, OrgPositions>();
  readonly #feed: LocationFeed;
  readonly #rosters: RosterReader;
  readonly #saver: PositionSaver;
  #cancelTick: () => void;
  /** Points by their outcome, since the start of the process. */
  readonly taken: Tally = { accepted: 0, stale: 0, rejected: 0 };

  constructor(options: PositionsOptions) {
    this.#options = options;
    this.#feed = new LocationFeed(options);
    this.#rosters = new RosterReader(options);
    this.#saver = new PositionSaver(options);
    this.#cancelTick = this.#tickAt(options.clock.monotonic() + LIMITS.positionTickMs);
  }

  get size(): number {
    return this.#organizations.size;
  }

  /**
   * Accepts an agent's own points; undefined, and nothing accepted, when it sends too many. An inactive agent may still
   * have a session for a moment: its points are rejected.
   */
  takeOwn(organizationId: number, agentId: number, points: readonly Point[]): Tally | undefined {
    const organization = this.#open(organizationId);
    const agent = organization.agentOf(agentId);
    const nowMs = this.#options.clock.now();
    if (!organization.mayTake(agent, points.length, nowMs)) return undefined;
    const tally = { accepted: 0, stale: 0, rejected: 0 };
    if (agent.isActive) for (const point of points) tally[organization.take(agent, point, nowMs)] += 1;
    else tally.rejected = points.length;
    return this.#count(tally);
  }

  /** Points of any agents; rejects when it cannot be found out which there are. Unknown agents' are rejected. */
  takeMany(organizationId: number, points: readonly DevicePoint[]): Tally | Promise<Tally> {
    const organization = this.#open(organizationId);
    if (organization.hasRoster) return this.#takeMany(organization, points);
    return this.#rosters.read(organization).then(() => this.#takeMany(organization, points));
  }

  #takeMany(organization: OrgPositions, points: readonly DevicePoint[]): Tally {
    const nowMs = this.#options.clock.now();
    const tally = { accepted: 0, stale: 0, rejected: 0 };
    let isSomebodyUnknown = false;
    for (const point of points) {
      const agent = organization.agents.get(point.agentId);
      if (agent?.isActive) tally[organization.take(agent, point, nowMs)] += 1;
      else tally.rejected += 1;
      isSomebodyUnknown ||= agent === undefined;
    }
    if (isSomebodyUnknown) this.#rosters.refresh(organization);
    return this.#count(tally);
  }

  /** The agent is still where it was. */
  hear(organizationId: number, agentId: number, battery: number | null): HeartbeatView {
    const organization = this.#open(organizationId);
    const agent = organization.agentOf(agentId);
    const nowMs = this.#options.clock.now();
    organization.hear(agent, battery, nowMs);
    return {
      recordedAt: agent.isSomewhere ? isoTime(agent.recordedAtMs) : null,
      receivedAt: isoTime(nowMs),
      isStale: !agent.isSomewhere || isStale(agent, nowMs),
    };
  }

  /** Where active agents are; rejects when it cannot be found out which there are. */
  async current(
    organizationId: number,
    { bbox, agentIds }: { readonly bbox?: BoundingBox | undefined; readonly agentIds?: readonly number[] | undefined },
  ): Promise<CurrentPositions> {
    const organization = this.#open(organizationId);
    await Promise.all([organization.hasRoster || this.#rosters.read(organization), this.#saver.restored(organization)]);
    const nowMs = this.#options.clock.now();
    const found: LiveAgent[] = [];
    for (const agent of agentIds ? organization.pick(agentIds) : organization.agents.values()) {
      if (!agent.isSomewhere || !agent.isActive) continue;
      if (!bbox || isInBox(bbox, agent.latitude, agent.longitude)) found.push(agent);
    }
    found.sort((one, other) => one.agentId - other.agentId);
    return { items: found.map((agent) => encodePosition(agent, isStale(agent, nowMs))) };
  }

  /** Every position that was answered here, and those that Redis kept before. Waits for Redis only, and not for long. */
  async known(organizationId: number): Promise<readonly KnownPosition[]> {
    const organization = this.#open(organizationId);
    await this.#saver.restored(organization);
    return [...organization.agents.values()].filter(({ isSomewhere }) => isSomewhere);
  }

  /** The stops of others that an agent has before a task; null while nobody knows. */
  stopsBefore(organizationId: number, agentId: number, taskId: number): number | null {
    const agent = this.#organizations.get(organizationId)?.agents.get(agentId);
    const isKnown = agent?.isSomewhere && !isStale(agent, this.#options.clock.now());
    return isKnown ? (this.#options.watch.stopsBefore(agent, taskId) ?? null) : null;
  }

  /** Tells a listener once a tick who has moved; the returned function ends it. */
  subscribe(organizationId: number, filter: LocationFilter, listener: LocationListener): () => void {
    return this.#feed.subscribe(organizationId, filter, listener);
  }

  /** Whether every change of agents is of interest here. */
  isOpen(organizationId: number): boolean {
    return this.#organizations.has(organizationId);
  }

  /**
   * Something has been committed. It opens an organization that is not known here, as after a takeover: other tasks move
   * the ETAs of agents who were heard of by the process before.
   */
  changed(organizationId: number, change: RosterChange): void {
    this.#rosters.apply(this.#open(organizationId), change);
  }

  /**
   * Organizations whose owner has changed, to this process or from it: what is known of them may be old by then. Redis
   * gets what this process has taken, as it may have answered for them until now.
   */
  drop(isConcerned: (organizationId: number) => boolean): void {
    for (const [organizationId, organization] of this.#organizations) {
      if (!isConcerned(organizationId)) continue;
      for (const agent of organization.takeDirty()) organization.unsaved.add(agent);
      this.#saver.saveBehind(organization);
      this.#organizations.delete(organizationId);
    }
  }

  /** The organization has been deleted. */
  forget(organizationId: number): void {
    this.#organizations.delete(organizationId);
    this.#saver.forget(organizationId);
  }

  /** Hands what has moved to Redis once more, and ends. */
  async stop(): Promise<void> {
    this.#cancelTick();
    this.#tick();
    await this.#saver.saveLast(this.#organizations.values());
  }

  #open(organizationId: number): OrgPositions {
    const usedAt = this.#options.clock.monotonic();
    let organization = this.#organizations.get(organizationId);
    if (!organization) {
      organization = new OrgPositions(organizationId, this.#options.noteTrail);
      this.#organizations.set(organizationId, organization);
      this.#rosters.refresh(organization);
      void this.#saver.restored(organization);
    }
    organization.usedAt = usedAt;
    return organization;
  }

  /**
   * Ticks then, and once a period after that: a late tick does not delay all that follow, or some points of an agent
   * that reports once a period would never be sent.
   */
  #tickAt(dueAt: number): () => void {
    const { clock, scheduler } = this.#options;
    return scheduler.after(Math.max(0, dueAt - clock.monotonic()), () => {
      const soonest = clock.monotonic() + LIMITS.leastPositionTickMs;
      this.#cancelTick = this.#tickAt(Math.max(dueAt + LIMITS.positionTickMs, soonest));
      this.#tick();
    });
  }

  #tick(): void {
    const { clock, watch } = this.#options;
    const nowMs = clock.now();
    for (const organization of this.#organizations.values()) {
      const { organizationId, unsaved } = organization;
      const moved = organization.takeDirty();
      this.#feed.tell(organizationId, moved, nowMs);
      for (const agent of moved) unsaved.add(agent);
      watch.onTick(
        { organizationId, services: organization.services, moved, replanned: organization.replanned },
        nowMs,
      );
      this.#saver.save(organization);
      if (!organization.hasRoster || organization.isBehind) this.#rosters.refresh(organization);
      if (this.#isIdle(organization)) this.#organizations.delete(organizationId);
    }
  }

  #isIdle(organization: OrgPositions): boolean {
    const idleMs = this.#options.clock.monotonic() - organization.usedAt;
    const isWatched = this.#feed.hasSubscribers(organization.organizationId);
    return idleMs > LIMITS.positionsIdleMs && organization.isSettled && !isWatched;
  }

  #count(tally: Tally): Tally {
    this.taken.accepted += tally.accepted;
    this.taken.stale += tally.stale;
    this.taken.rejected += tally.rejected;
    return tally;
  }
}
