import { LIMITS } from '../../../schema/limits.ts';
import type { RouteTask, ServiceTimes } from '../../domain/stops/open-stops.ts';
import { type PredictedTimes, predictedTimes } from '../../domain/stops/predicted-times.ts';
import { routeTaskOf } from '../../domain/stops/route-task.ts';
import { isExpected } from '../../domain/travel/arrival.ts';
import { type Etas, hasNews } from '../../domain/travel/eta.ts';
import { straightTravel } from '../../domain/travel/straight-travel.ts';
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
  isAsking: boolean;
}

/** An agent whose times are predicted, and the set that it goes back to when they could not be sent. */
interface Expected {
  readonly organizationId: number;
  readonly services: ServiceTimes;
  readonly agent: AgentOnRoad;
  readonly replanned: Set<AgentOnRoad>;
}

/** Predicts when agents come to the places of their tasks, and sends what has moved by what matters. */
export class EtaWatch {
  readonly #sender: NoteSender;
  readonly #arrivals: Pick<ArrivalWatch, 'hasCome'>;
  /** By task. They are forgotten with their agents. */
  readonly #told = new WeakMap<AgentOnRoad, Map<number, Told>>();
  /** When the times of an agent that moves are predicted again; monotonic. */
  readonly #nextAts = new WeakMap<AgentOnRoad, number>();
  /** As long as the roster has the task unchanged. */
  readonly #routeTasks = new WeakMap<OpenTask, RouteTask>();

  constructor(sender: NoteSender, arrivals: Pick<ArrivalWatch, 'hasCome'>) {
    this.#sender = sender;
    this.#arrivals = arrivals;
  }

  /** Whether an agent that moves has had its time since the last prediction. */
  isDue(agent: AgentOnRoad, now: number): boolean {
    return now >= (this.#nextAts.get(agent) ?? Number.NEGATIVE_INFINITY);
  }

  expect(expected: Expected, now: number, nowMs: number): void {
    const { agent, services } = expected;
    this.#nextAts.set(agent, now + LIMITS.etaIntervalMs);
    const { latitude, longitude, vehicleType } = agent;
    const start = { place: { latitude, longitude }, at: nowMs, vehicleType };
    const tasks = [...agent.openTasks.values()].map((task) => this.#routeTaskOf(task));
    for (const [taskId, times] of predictedTimes(start, tasks, services, straightTravel)) {
      const task = agent.openTasks.get(taskId)!;
      if (isExpected(task) && !this.#arrivals.hasCome(agent, taskId)) this.#tell(expected, task, etasOf(task, times));
    }
  }

  #tell({ organizationId, agent, replanned }: Expected, task: OpenTask, etas: Etas): void {
    const told = this.#toldOf(agent, task);
    if (!hasNews(told.etas, etas)) return;
    const { agentId } = agent;
    const { taskId } = task;
    // Found again at the next tick, when there is room.
    if (told.isAsking || !this.#sender.hasRoom) return void replanned.add(agent);
    told.isAsking = true;
    this.#sender.send(organizationId, { kind: 'note-eta', caller: SYSTEM, taskId, agentId, ...etas }, (isSettled) => {
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
    const made = { assignedAt, recorded: task, etas: { etaAt, pickupEtaAt }, isAsking: false };
    all.set(taskId, made);
    return made;
  }
}

function etasOf({ latitude, longitude }: OpenTask, { etaAt, pickupEtaAt }: PredictedTimes): Etas {
  const hasPlace = latitude !== null && longitude !== null;
  return { etaAt: hasPlace ? toSecond(etaAt) : null, pickupEtaAt: pickupEtaAt === null ? null : toSecond(pickupEtaAt) };
}

/** Finer would claim more than anybody knows. */
function toSecond(ms: number): string {
  return isoTime(Math.round(ms / 1_000) * 1_000);
}
