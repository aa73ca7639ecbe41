import { LIMITS } from '../../../schema/limits.ts';
import type { TravelTime } from '../../domain/assignment/round-view.ts';
import type { RouteTask, ServiceTimes } from '../../domain/stops/open-stops.ts';
import { type PredictedTimes, predictedTimes } from '../../domain/stops/predicted-times.ts';
import { restsOf } from '../../domain/stops/rests.ts';
import { routeTaskOf } from '../../domain/stops/route-task.ts';
import type { Start } from '../../domain/stops/schedule.ts';
import { isExpected } from '../../domain/travel/arrival.ts';
import { type Etas, hasNews } from '../../domain/travel/eta.ts';
import type { WaySource } from '../../domain/travel/known-ways.ts';
import { isoTime } from '../../runtime/clock.ts';
import type { OpenTask } from '../../store/positions/roster-store.ts';
import type { AgentOnRoad } from '../agent-on-road.ts';
import type { ArrivalWatch } from './arrival-watch.ts';
import { type NoteSender, SYSTEM } from './note-sender.ts';

/** The ETAs of one task as the roster has them, and as they were sent last. */
interface Told {
  readonly assignedAt: string | null;
  recorded: OpenTask;
  etas: Etas;
  /** By the last prediction. */
  stopsBefore: number;
  isAsking: boolean;
}

/** The organization of agents, and the set that they go back to when their ETAs could not be sent. */
interface Fleet {
  readonly organizationId: number;
  readonly services: ServiceTimes;
  readonly replanned: Set<AgentOnRoad>;
}

interface Sighting {
  readonly agent: AgentOnRoad;
  readonly start: Start;
}

export interface EtaWatchOptions {
  readonly sender: NoteSender;
  readonly arrivals: Pick<ArrivalWatch, 'hasCome'>;
  readonly travel: WaySource;
}

/** Predicts when agents come to the places of their tasks, and sends what has moved by what matters. */
export class EtaWatch {
  readonly #options: EtaWatchOptions;
  /** By task. They are forgotten with their agents. */
  readonly #told = new WeakMap<AgentOnRoad, Map<number, Told>>();
  /** When the times of an agent that moves are predicted again; monotonic. */
  readonly #nextAts = new WeakMap<AgentOnRoad, number>();
  /** As long as the roster has the task unchanged. */
  readonly #routeTasks = new WeakMap<OpenTask, RouteTask>();

  constructor(options: EtaWatchOptions) {
    this.#options = options;
  }

  /** Whether an agent that moves has had its time since the last prediction. */
  isDue(agent: AgentOnRoad, now: number): boolean {
    return now >= (this.#nextAts.get(agent) ?? Number.NEGATIVE_INFINITY);
  }

  /**
   * Predicts over the ways that are known. Where some are missing, only tasks without an ETA get one now; the others
   * keep theirs until the ways are learnt, or are not to be had: two rules in turn would move every ETA to and fro.
   * Agents for whose ETAs there is no room come back at the next tick, not predicted yet.
   */
  expect(fleet: Fleet, agents: readonly AgentOnRoad[], now: number, nowMs: number): void {
    const { travel, sender } = this.#options;
    const known = travel.ways();
    const unsure: Sighting[] = [];
    for (const agent of agents) {
      if (!sender.hasRoom) {
        fleet.replanned.add(agent);
        continue;
      }
      this.#nextAts.set(agent, now + LIMITS.etaIntervalMs);
      const { latitude, longitude, vehicleType } = agent;
      const rests = restsOf(agent.shifts, agent.onDuty, nowMs);
      const sighting = { agent, start: { place: { latitude, longitude }, at: nowMs, vehicleType, rests } };
      const { missing } = known;
      const times = this.#predict(fleet, sighting, known.travel);
      const isSure = known.missing === missing;
      if (!isSure) unsure.push(sighting);
      this.#tell(fleet, agent, times, isSure);
    }
    if (unsure.length > 0) void known.learn(LIMITS.routingTimeoutMs).then(() => this.#tellLearnt(fleet, unsure));
  }

  /** The stops of others before that task, by the last prediction; undefined before the first one. */
  stopsBefore(agent: AgentOnRoad, taskId: number): number | undefined {
    const task = agent.openTasks.get(taskId);
    const told = this.#told.get(agent)?.get(taskId);
    return task && told?.assignedAt === task.assignedAt ? told.stopsBefore : undefined;
  }

  #tellLearnt(fleet: Fleet, unsure: readonly Sighting[]): void {
    const { travel } = this.#options.travel.ways();
    for (const one of unsure) this.#tell(fleet, one.agent, this.#predict(fleet, one, travel), true);
  }

  #predict({ services }: Fleet, { agent, start }: Sighting, travel: TravelTime): ReadonlyMap<number, PredictedTimes> {
    const tasks = [...agent.openTasks.values()].map((task) => this.#routeTaskOf(task));
    return predictedTimes(start, tasks, services, travel);
  }

  #tell(fleet: Fleet, agent: AgentOnRoad, times: ReadonlyMap<number, PredictedTimes>, isSure: boolean): void {
    for (const [taskId, predicted] of times) {
      const task = agent.openTasks.get(taskId)!;
      if (!isExpected(task) || this.#options.arrivals.hasCome(agent, taskId)) continue;
      const told = this.#toldOf(agent, task);
      told.stopsBefore = predicted.stopsBefore;
      const etas = etasOf(task, predicted);
      if (hasNews(told.etas, etas) && (isSure || isNever(told.etas))) this.#send(fleet, agent, task, etas);
    }
  }

  #send({ organizationId, replanned }: Fleet, agent: AgentOnRoad, task: OpenTask, etas: Etas): void {
    const { sender } = this.#options;
    const told = this.#toldOf(agent, task);
    const { agentId } = agent;
    const { taskId } = task;
    // Found again at the next tick, when there is room.
    if (told.isAsking || !sender.hasRoom) return void replanned.add(agent);
    told.isAsking = true;
    sender.send(organizationId, { kind: 'note-eta', caller: SYSTEM, taskId, agentId, ...etas }, (isSettled) => {
      told.isAsking = false;
      if (isSettled) told.etas = etas;
      else replanned.add(agent);
    });
  }

  #routeTaskOf(task: OpenTask): RouteTask {
    const known = this.#routeTasks.get(task);
    if (known) return known;
    const made = routeTaskOf(task);
    this.#routeTasks.set(task, made);
    return made;
  }

  #toldOf(agent: AgentOnRoad, task: OpenTask): Told {
    const all = this.#told.get(agent) ?? new Map<number, Told>();
    this.#told.set(agent, all);
    const { taskId, assignedAt, etaAt, pickupEtaAt } = task;
    const known = all.get(taskId);
    if (known?.assignedAt === assignedAt) {
      const { recorded } = known;
      if (recorded.etaAt !== etaAt || recorded.pickupEtaAt !== pickupEtaAt) known.etas = { etaAt, pickupEtaAt };
      known.recorded = task;
      return known;
    }
    for (const other of all.keys()) if (!agent.openTasks.has(other)) all.delete(other);
    const made = { assignedAt, recorded: task, etas: { etaAt, pickupEtaAt }, stopsBefore: 0, isAsking: false };
    all.set(taskId, made);
    return made;
  }
}

function isNever({ etaAt, pickupEtaAt }: Etas): boolean {
  return etaAt === null && pickupEtaAt === null;
}

function etasOf({ latitude, longitude }: OpenTask, { etaAt, pickupEtaAt }: PredictedTimes): Etas {
  const hasPlace = latitude !== null && longitude !== null;
  return { etaAt: hasPlace ? toSecond(etaAt) : null, pickupEtaAt: pickupEtaAt === null ? null : toSecond(pickupEtaAt) };
}

/** Finer would claim more than anybody knows. */
function toSecond(ms: number): string {
  return isoTime(Math.round(ms / 1_000) * 1_000);
}
