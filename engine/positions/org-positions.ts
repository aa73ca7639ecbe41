import { assignmentSettingsOf } from '../../schema/assignment/assignment.ts';
import type { Point } from '../../schema/fleet/position.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { ServiceTimes } from '../domain/stops/open-stops.ts';
import { serviceTimesOf } from '../domain/stops/route-task.ts';
import { isFromFuture, isImpossible } from '../domain/travel/location-rule.ts';
import type { SavedPosition } from '../store/positions/position-store.ts';
import type { RosterAgent } from '../store/positions/roster-store.ts';
import { LiveAgent } from './live-agent.ts';
import { takesRow } from './open-route.ts';

export type PointOutcome = 'accepted' | 'stale' | 'rejected';

/** Takes points for the trail: at most one of a second that the agent is in, and those that came late. */
export type NoteTrail = (organizationId: number, agentId: number, point: Point, receivedAtMs: number) => void;

/**
 * Where the agents of one organization are. It answers from memory and waits for nobody: what Redis kept is merged when
 * it comes, and who the agents are, which only device gateways need to know, is asked for apart.
 */
export class OrgPositions {
  readonly organizationId: number;
  readonly agents = new Map<number, LiveAgent>();
  /** Agents whose newest position Redis does not have. */
  readonly unsaved = new Set<LiveAgent>();
  /** Agents whose open tasks have changed, or became known, or whose place did: their times are to be predicted. */
  readonly replanned = new Set<LiveAgent>();
  /** On the monotonic clock. */
  usedAt = 0;
  /** Whether it has been read who the agents are: others are unknown then. */
  hasRoster = false;
  /** Sequence of the log up to which what is committed is in the roster. */
  rosterSequence = 0;
  /** A commit before it was missed, and no reading has it yet. */
  isBehind = false;
  /** As its settings say, or would by default until the roster is read. */
  services: ServiceTimes = serviceTimesOf(assignmentSettingsOf({}));
  #dirty: LiveAgent[] = [];
  readonly #noteTrail: NoteTrail;

  constructor(organizationId: number, noteTrail: NoteTrail) {
    this.organizationId = organizationId;
    this.#noteTrail = noteTrail;
  }

  /** The agent of that id, which somebody vouches for. */
  agentOf(agentId: number): LiveAgent {
    const known = this.agents.get(agentId);
    if (known) return known;
    const agent = new LiveAgent(agentId);
    this.agents.set(agentId, agent);
    return agent;
  }

  /** Those of the ids that are known, each once. */
  *pick(agentIds: readonly number[]): Generator<LiveAgent> {
    for (const id of new Set(agentIds)) {
      const agent = this.agents.get(id);
      if (agent) yield agent;
    }
  }

  /** Whether the agent may send so many points now. */
  mayTake(agent: LiveAgent, count: number, nowMs: number): boolean {
    earn(agent, nowMs);
    return agent.allowance >= count;
  }

  take(agent: LiveAgent, point: Point, nowMs: number): PointOutcome {
    if (isImpossible(point, nowMs) || !draw(agent, nowMs)) return 'rejected';
    this.#trail(agent, point, nowMs);
    // A position from what is the future by now was taken by a clock that has been set back.
    if (point.recordedAtMs <= agent.recordedAtMs && !isFromFuture(agent, nowMs)) return 'stale';
    // A report from nowhere says nothing about this place.
    if (!agent.isSomewhere) agent.heardAtMs = 0;
    move(agent, point, nowMs);
    this.#touch(agent);
    return 'accepted';
  }

  /** The agent has said that it is still where it was. */
  hear(agent: LiveAgent, battery: number | null, nowMs: number): void {
    if (battery !== null) agent.battery = battery;
    agent.receivedAtMs = nowMs;
    agent.heardAtMs = nowMs;
    if (agent.isSomewhere) this.#touch(agent);
  }

  /** Adds the positions that Redis kept from an earlier process, or from this one before it forgot the organization. */
  restore(saved: Iterable<SavedPosition>): void {
    for (const position of saved) {
      const agent = this.agentOf(position.agentId);
      const { isSomewhere, battery, heardAtMs } = agent;
      if (position.recordedAtMs > agent.recordedAtMs) {
        move(agent, position, position.receivedAtMs);
        // An agent that stands still sends nothing by which its times would go on.
        if (agent.openTasks.size > 0) this.replanned.add(agent);
      }
      // Readers may have it there: streams of a box are to hear of its first step out of it, too.
      if (Number.isNaN(agent.toldLatitude)) {
        agent.toldLatitude = position.latitude;
        agent.toldLongitude = position.longitude;
      }
      agent.heardAtMs = Math.max(heardAtMs, position.heardAtMs);
      // It has said meanwhile that it is still there, wherever that was.
      if (!isSomewhere && heardAtMs > position.heardAtMs)
        this.hear(agent, Number.isNaN(battery) ? null : battery, heardAtMs);
    }
  }

  /** Makes the agents what Postgres says of them; those it does not know leave, with their positions. */
  setRoster(roster: readonly RosterAgent[], sequence: number): void {
    const known = new Set<number>();
    for (const record of roster) {
      known.add(record.agentId);
      const agent = this.agentOf(record.agentId);
      if (takesRow(agent, record)) this.replanned.add(agent);
    }
    for (const [id, agent] of this.agents) {
      if (known.has(id)) continue;
      this.agents.delete(id);
      this.unsaved.delete(agent);
      this.replanned.delete(agent);
    }
    this.#dirty = this.#dirty.filter(({ agentId }) => known.has(agentId));
    this.hasRoster = true;
    this.rosterSequence = sequence;
  }

  /** Agents that have moved, or were heard of, since the last call. */
  takeDirty(): readonly LiveAgent[] {
    const dirty = this.#dirty;
    this.#dirty = [];
    for (const agent of dirty) agent.isDirty = false;
    return dirty;
  }

  /** Redis has lost its positions. */
  saveAllAgain(): void {
    for (const agent of this.agents.values()) if (agent.isSomewhere) this.unsaved.add(agent);
  }

  get isSettled(): boolean {
    return this.#dirty.length === 0 && this.unsaved.size === 0;
  }

  #touch(agent: LiveAgent): void {
    if (agent.isDirty) return;
    agent.isDirty = true;
    this.#dirty.push(agent);
  }

  /** Leaves out what can be no second's point: readers take the earliest of each (see trail-store). */
  #trail(agent: LiveAgent, point: Point, nowMs: number): void {
    const last = agent.trailed;
    if (last && (isLaterInSecond(point, last) || isSame(point, last))) return;
    agent.trailed = point;
    this.#noteTrail(this.organizationId, agent.agentId, point, nowMs);
  }
}

function isLaterInSecond(point: Point, last: Point): boolean {
  return (
    point.recordedAtMs > last.recordedAtMs &&
    Math.floor(point.recordedAtMs / 1_000) === Math.floor(last.recordedAtMs / 1_000)
  );
}

/** Whether the points are the same. Readers decide between two different points of one moment. */
function isSame(point: Point, last: Point): boolean {
  return (
    point.recordedAtMs === last.recordedAtMs &&
    point.latitude === last.latitude &&
    point.longitude === last.longitude &&
    Object.is(point.accuracy, last.accuracy) &&
    Object.is(point.speed, last.speed) &&
    Object.is(point.heading, last.heading) &&
    Object.is(point.altitude, last.altitude) &&
    Object.is(point.battery, last.battery)
  );
}

function move(agent: LiveAgent, point: Point, receivedAtMs: number): void {
  agent.latitude = point.latitude;
  agent.longitude = point.longitude;
  agent.accuracy = point.accuracy;
  agent.speed = point.speed;
  agent.heading = point.heading;
  agent.altitude = point.altitude;
  agent.battery = point.battery;
  agent.recordedAtMs = point.recordedAtMs;
  agent.receivedAtMs = receivedAtMs;
}

/** So many points a second, and what was saved up. */
function earn(agent: LiveAgent, nowMs: number): void {
  const earned = ((nowMs - agent.allowanceAtMs) * LIMITS.pointsPerAgentPerSecond) / 1_000;
  agent.allowance = Math.min(LIMITS.pointBurst, agent.allowance + Math.max(0, earned));
  agent.allowanceAtMs = nowMs;
}

/** Takes one of the points that the agent may send; false when there is none left. */
function draw(agent: LiveAgent, nowMs: number): boolean {
  earn(agent, nowMs);
  if (agent.allowance < 1) return false;
  agent.allowance -= 1;
  return true;
}
