import type { StopPlace } from '../../../schema/tasks/task.ts';
import type { RouteTask } from '../../domain/stops/open-stops.ts';
import { placeAt, routeTaskOf } from '../../domain/stops/route-task.ts';
import { type Arrival, AWAY, awaitedAt, type Place } from '../../domain/travel/arrival.ts';
import type { Etas } from '../../domain/travel/eta.ts';
import type { OpenTask } from '../../store/positions/roster-store.ts';
import type { AgentOnRoad } from '../agent-on-road.ts';
import { hasOtherRoute } from '../open-route.ts';

/** The way of one agent to one place of a task. */
export interface Approach {
  readonly organizationId: number;
  readonly agentId: number;
  readonly taskId: number;
  readonly stop: StopPlace;
  readonly place: Place;
  arrival: Arrival;
  isAsking: boolean;
}

/** The ETAs of one task as the roster has them, and as they were sent last. */
export interface Told {
  etas: Etas;
  /** By the last prediction; undefined before the first one. */
  stopsBefore: number | undefined;
  isAsking: boolean;
}

/** An open task of an agent, with what the watch knows of it in this assignment. */
export interface WatchedTask {
  readonly task: OpenTask;
  readonly route: RouteTask;
  /** Where the agent is awaited next, if anywhere. */
  readonly approach: Approach | undefined;
  readonly told: Told;
}

/**
 * The watch's memory of an agent. A tick asks for it once an agent, and steps over unchanged tasks by comparing them by
 * identity: it looks at thousands of agents a second, and most of them only move.
 */
export class WatchedAgent {
  readonly agent: AgentOnRoad;
  /** When its times are predicted again while it moves; monotonic. */
  nextEtaAt = Number.NEGATIVE_INFINITY;
  tasks: readonly WatchedTask[] = [];
  awaited: readonly Approach[] = [];
  readonly #organizationId: number;

  constructor(organizationId: number, agent: AgentOnRoad) {
    this.#organizationId = organizationId;
    this.agent = agent;
  }

  /** Its tasks have changed, and its point was too vague to predict their times: the next one that will do is not to wait. */
  expectAtNextPoint(): void {
    this.nextEtaAt = Number.NEGATIVE_INFINITY;
  }

  /** Learns the agent's present tasks. Returns the approaches that have ended. */
  follow(): readonly Approach[] {
    if (this.#isUpToDate()) return [];
    const before = new Map(this.tasks.map((one) => [one.task.taskId, one]));
    const awaitedBefore = this.awaited;
    this.tasks = Array.from(this.agent.openTasks.values(), (task) => this.#watched(task, before.get(task.taskId)));
    this.awaited = this.tasks.flatMap(({ approach }) => approach ?? []);
    return awaitedBefore.filter((approach) => !this.awaited.includes(approach));
  }

  /** The stops of others before that task, by the last prediction; undefined before the first one. */
  stopsBefore(taskId: number): number | undefined {
    const now = this.agent.openTasks.get(taskId);
    const known = this.tasks.find(({ task }) => task.taskId === taskId);
    return now && known?.task.assignedAt === now.assignedAt ? known.told.stopsBefore : undefined;
  }

  #isUpToDate(): boolean {
    const { tasks, agent } = this;
    if (tasks.length !== agent.openTasks.size) return false;
    let index = 0;
    for (const task of agent.openTasks.values()) {
      if (tasks[index]!.task !== task) return false;
      index += 1;
    }
    return true;
  }

  #watched(task: OpenTask, before: WatchedTask | undefined): WatchedTask {
    if (before?.task === task) return before;
    const known = before?.task.assignedAt === task.assignedAt ? before : undefined;
    return {
      task,
      route: known && !hasOtherRoute(known.task, task) ? known.route : routeTaskOf(task),
      approach: this.#approachOf(task, known?.approach),
      told: toldOf(task, known),
    };
  }

  #approachOf(task: OpenTask, known: Approach | undefined): Approach | undefined {
    const stop = awaitedAt(task);
    const place = stop && placeOf(task, stop);
    if (!stop || !place) return undefined;
    if (known?.stop === stop && isSamePlace(known.place, place)) return known;
    const [organizationId, { agentId }, { taskId }] = [this.#organizationId, this.agent, task];
    return { organizationId, agentId, taskId, stop, place, arrival: AWAY, isAsking: false };
  }
}

/** Whether the agent has come to where the task is delivered: its record may not say so yet. */
export function hasCome({ approach }: WatchedTask): boolean {
  return approach?.stop === 'dropoff' && approach.arrival.kind === 'arrived';
}

/**
 * For a task that has changed, the roster counts, also with the ETAs of the last tick: what was sent since then may have
 * been taken back.
 */
function toldOf({ etaAt, pickupEtaAt }: OpenTask, known: WatchedTask | undefined): Told {
  const etas = { etaAt, pickupEtaAt };
  if (!known) return { etas, stopsBefore: undefined, isAsking: false };
  known.told.etas = etas;
  return known.told;
}

function placeOf(task: OpenTask, stop: StopPlace): Place | null {
  return stop === 'pickup'
    ? placeAt(task.pickupLatitude, task.pickupLongitude)
    : placeAt(task.latitude, task.longitude);
}

function isSamePlace(one: Place, other: Place): boolean {
  return one.latitude === other.latitude && one.longitude === other.longitude;
}
