import type { Answer, Caller, NoteArrival, NoteEta } from '../../schema/commands.ts';
import { ERRORS } from '../../schema/errors.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { TravelTime } from '../domain/assignment/round-view.ts';
import type { RouteTask, ServiceTimes } from '../domain/stops/open-stops.ts';
import { predictedTimes } from '../domain/stops/predicted-times.ts';
import { routeTaskOf } from '../domain/stops/route-task.ts';
import {
  type Arrival,
  AWAY,
  approach,
  isAwaited,
  isExpected,
  isPrecise,
  type Place,
} from '../domain/travel/arrival.ts';
import { isMaterial } from '../domain/travel/eta.ts';
import { straightTravel } from '../domain/travel/straight-travel.ts';
import { type Clock, isoTime } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import type { OpenTask } from '../store/positions/roster-store.ts';
import type { AgentOnRoad, LivePosition } from './agent-on-road.ts';

export interface ArrivalWatchOptions {
  /** Of the engine: never rejects. */
  readonly ask: (organizationId: number, command: NoteArrival | NoteEta) => Promise<Answer>;
  readonly clock: Clock;
  readonly log: Log;
  /** The straight line by default. */
  readonly travel?: TravelTime | undefined;
}

/** An agent that has moved, and where it is now. An agent is the same object from tick to tick. */
export interface MovedAgent {
  readonly position: LivePosition;
  readonly agent: AgentOnRoad;
}

export interface ArrivalWatch {
  /**
   * Looks at agents of one organization that have moved since the last tick: every one, some, or none. `nowMs`: wall
   * clock. It only asks; the results are in the organization's log. It repeats failed attempts, even for agents that
   * stand still.
   */
  onTick(organizationId: number, moved: readonly MovedAgent[], nowMs: number, services: ServiceTimes): void;
}

/**
 * Watches agents approach the places of their tasks, and sends commands to their actors. Its memory only steers it: the
 * actors judge again, and their records make an arrival single, also after a crash or beside another process.
 */
export function createArrivalWatch(options: ArrivalWatchOptions): ArrivalWatch {
  return new Watch(options);
}

/** The facts about one task while one agent has it. */
interface Watched {
  readonly organizationId: number;
  readonly agentId: number;
  readonly taskId: number;
  readonly assignedAt: string | null;
  /** The place that it leads to. */
  readonly place: Place;
  arrival: Arrival;
  /** The ETA as the roster has it, and as it was last told. */
  recordedEta: string | null;
  toldEtaMs: number | null;
  isAsking: boolean;
}

/** An arrival that its actor has not taken yet. */
interface Untold {
  readonly nextAttemptAt: number;
  readonly givenUpAt: number;
}

type Destination = OpenTask & { readonly latitude: number; readonly longitude: number };

const SYSTEM: Caller = { type: 'system', id: null, channelId: 0, role: 'system', agentId: null };

class Watch implements ArrivalWatch {
  readonly #options: ArrivalWatchOptions;
  /** By task. They are forgotten with their agents. */
  readonly #watched = new WeakMap<AgentOnRoad, Map<number, Watched>>();
  /** When the times of an agent are predicted again; monotonic, as all `…At` here but those of records. */
  readonly #nextEtaAts = new WeakMap<AgentOnRoad, number>();
  /** As long as the roster has the task unchanged. */
  readonly #routeTasks = new WeakMap<OpenTask, RouteTask>();
  /** In the order of their next attempts. Their agents may stand still, and send nothing that would bring them up again. */
  readonly #untold = new Map<Watched, Untold>();
  #asking = 0;

  constructor(options: ArrivalWatchOptions) {
    this.#options = options;
  }

  onTick(organizationId: number, moved: readonly MovedAgent[], nowMs: number, services: ServiceTimes): void {
    const now = this.#options.clock.monotonic();
    this.#tellAgain(now);
    for (const one of moved) {
      const { agent, position } = one;
      if (agent.openTasks.size === 0) continue;
      if (!isPrecise(position) || nowMs - position.recordedAtMs > LIMITS.positionStaleMs) continue;
      for (const task of agent.openTasks.values()) {
        if (!isAwaited(task) || !hasPlace(task)) continue;
        const watched = this.#watchedOf(organizationId, agent, task);
        if (watched.arrival.kind !== 'arrived') this.#seeArrival(watched, task, position, now);
      }
      this.#expect(organizationId, one, services, now, nowMs);
    }
  }

  #seeArrival(watched: Watched, task: Destination, position: LivePosition, now: number): void {
    const arrival = approach(watched.arrival, task, position);
    const hasArrived = arrival.kind === 'arrived';
    // Found again with the next point, when there is room.
    if (hasArrived && this.#untold.size >= LIMITS.untoldArrivals) return;
    watched.arrival = arrival;
    if (hasArrived) this.#tellArrival(watched, now, now + LIMITS.arrivalPatienceMs);
  }

  /** Sends new ETAs of the agent's tasks if it is time, and worth it. A failure is worked out again with the next point. */
  #expect(organizationId: number, { position, agent }: MovedAgent, services: ServiceTimes, now: number, nowMs: number) {
    if (now < (this.#nextEtaAts.get(agent) ?? Number.NEGATIVE_INFINITY)) return;
    const { latitude, longitude } = position;
    const start = { place: { latitude, longitude }, at: nowMs, vehicleType: agent.vehicleType };
    const tasks = [...agent.openTasks.values()].map((task) => this.#routeTaskOf(task));
    const wait = () => this.#nextEtaAts.set(agent, now + LIMITS.etaIntervalMs);
    const { travel = straightTravel } = this.#options;
    let hasNews = false;
    for (const [taskId, { etaAt }] of predictedTimes(start, tasks, services, travel)) {
      const task = agent.openTasks.get(taskId)!;
      if (!isExpected(task) || !hasPlace(task)) continue;
      const watched = this.#watchedOf(organizationId, agent, task);
      const etaMs = toSecond(etaAt);
      if (watched.arrival.kind === 'arrived' || !isMaterial(watched.toldEtaMs, etaMs)) continue;
      hasNews = true;
      if (!this.#mayAsk(watched)) continue;
      const { agentId } = agent;
      this.#tell(watched, { kind: 'note-eta', caller: SYSTEM, taskId, agentId, etaAt: isoTime(etaMs) }, () => {
        watched.toldEtaMs = etaMs;
        wait();
      });
    }
    if (!hasNews) wait();
  }

  #routeTaskOf(task: OpenTask): RouteTask {
    const known = this.#routeTasks.get(task);
    if (known) return known;
    const made = routeTaskOf(task);
    this.#routeTasks.set(task, made);
    return made;
  }

  #tellArrival(watched: Watched, now: number, givenUpAt: number): void {
    const { arrival, taskId, agentId } = watched;
    this.#untold.delete(watched);
    if (arrival.kind !== 'arrived') return;
    this.#untold.set(watched, { nextAttemptAt: now + LIMITS.arrivalRetryMs, givenUpAt });
    if (!this.#mayAsk(watched)) return;
    const { sinceMs, latitude, longitude } = arrival;
    const at = isoTime(sinceMs);
    this.#tell(watched, { kind: 'note-arrival', caller: SYSTEM, taskId, agentId, at, latitude, longitude }, () => {
      this.#untold.delete(watched);
    });
  }

  #tellAgain(now: number): void {
    for (const [watched, { nextAttemptAt, givenUpAt }] of this.#untold) {
      if (nextAttemptAt > now || this.#asking >= LIMITS.arrivalCommands) return;
      if (givenUpAt <= now) this.#giveUp(watched);
      else this.#tellArrival(watched, now, givenUpAt);
    }
  }

  /** An agent that is still there arrives with its next point. */
  #giveUp(watched: Watched): void {
    this.#untold.delete(watched);
    watched.arrival = AWAY;
    const { organizationId, taskId } = watched;
    this.#options.log.warn({ organizationId, taskId }, 'an arrival could not be sent to its actor');
  }

  #mayAsk(watched: Watched): boolean {
    return !watched.isAsking && this.#asking < LIMITS.arrivalCommands;
  }

  #tell(watched: Watched, command: NoteArrival | NoteEta, onSettled: () => void): void {
    watched.isAsking = true;
    this.#asking += 1;
    void this.#options.ask(watched.organizationId, command).then((answer) => {
      watched.isAsking = false;
      this.#asking -= 1;
      if (this.#isSettled(watched, answer)) onSettled();
    });
  }

  /** Whether asking again is useless: it was accepted, or refused for good. */
  #isSettled({ organizationId, taskId }: Watched, answer: Answer): boolean {
    if (answer.ok) return true;
    const { code } = answer.refusal;
    if (ERRORS[code].status === 500) {
      this.#options.log.error({ organizationId, taskId, code }, 'an arrival or ETA could not be noted');
    }
    return ERRORS[code].status !== 503;
  }

  #watchedOf(organizationId: number, agent: AgentOnRoad, task: Destination): Watched {
    const tasks = this.#tasksOf(agent);
    const known = tasks.get(task.taskId);
    if (known && known.assignedAt === task.assignedAt && isSamePlace(known.place, task)) {
      if (known.recordedEta !== task.etaAt) {
        known.recordedEta = task.etaAt;
        known.toldEtaMs = parsedOrNull(task.etaAt);
      }
      return known;
    }
    // A new one makes the others go that the agent no longer has, so there are never more than it once had together.
    for (const [taskId, one] of tasks) {
      if (agent.openTasks.has(taskId) && taskId !== task.taskId) continue;
      tasks.delete(taskId);
      this.#untold.delete(one);
    }
    const watched = watch(organizationId, agent.agentId, task);
    tasks.set(task.taskId, watched);
    return watched;
  }

  #tasksOf(agent: AgentOnRoad): Map<number, Watched> {
    const known = this.#watched.get(agent);
    if (known) return known;
    const tasks = new Map<number, Watched>();
    this.#watched.set(agent, tasks);
    return tasks;
  }
}

function isSamePlace(one: Place, other: Place): boolean {
  return one.latitude === other.latitude && one.longitude === other.longitude;
}

function watch(
  organizationId: number,
  agentId: number,
  { taskId, assignedAt, latitude, longitude, etaAt }: Destination,
): Watched {
  return {
    organizationId,
    agentId,
    taskId,
    assignedAt,
    place: { latitude, longitude },
    arrival: AWAY,
    recordedEta: etaAt,
    toldEtaMs: parsedOrNull(etaAt),
    isAsking: false,
  };
}

function hasPlace(task: OpenTask): task is Destination {
  return task.latitude !== null && task.longitude !== null;
}

function parsedOrNull(time: string | null): number | null {
  return time === null ? null : Date.parse(time);
}

/** Finer would claim more than anybody knows. */
function toSecond(ms: number): number {
  return Math.round(ms / 1_000) * 1_000;
}
