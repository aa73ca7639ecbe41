import { LIMITS } from '../../../schema/limits.ts';
import type { StopPlace } from '../../../schema/tasks/task.ts';
import { placeAt } from '../../domain/stops/route-task.ts';
import { type Arrival, AWAY, approach, awaitedAt, type Place } from '../../domain/travel/arrival.ts';
import { isoTime } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log.ts';
import type { OpenTask } from '../../store/positions/roster-store.ts';
import type { AgentOnRoad } from '../agent-on-road.ts';
import { type NoteSender, SYSTEM } from './note-sender.ts';

/** The way of one agent to one place of a task. */
interface Approach {
  readonly organizationId: number;
  readonly agentId: number;
  readonly taskId: number;
  readonly assignedAt: string | null;
  readonly stop: StopPlace;
  readonly place: Place;
  arrival: Arrival;
  isAsking: boolean;
}

/** An arrival that its actor has not taken yet. */
interface Untold {
  readonly nextAttemptAt: number;
  readonly givenUpAt: number;
}

/** Sees agents arrive. Times are monotonic, but those of points. */
export class ArrivalWatch {
  readonly #sender: NoteSender;
  readonly #log: Log;
  /** By task, where it leads next. They are forgotten with their agents. */
  readonly #approaches = new WeakMap<AgentOnRoad, Map<number, Approach>>();
  /** In the order of their next attempts. Their agents may stand still, and send nothing that would bring them up again. */
  readonly #untold = new Map<Approach, Untold>();

  constructor(sender: NoteSender, log: Log) {
    this.#sender = sender;
    this.#log = log;
  }

  /** An agent that has moved, to where a point says precisely. */
  see(organizationId: number, agent: AgentOnRoad, now: number): void {
    for (const task of agent.openTasks.values()) {
      const stop = awaitedAt(task);
      const place = stop && placeOf(task, stop);
      if (!place) continue;
      const known = this.#approachOf(organizationId, agent, task, stop, place);
      if (known.arrival.kind === 'arrived') continue;
      const arrival = approach(known.arrival, known.place, agent);
      const hasArrived = arrival.kind === 'arrived';
      // Found again with the next point, when there is room.
      if (hasArrived && this.#untold.size >= LIMITS.untoldArrivals) continue;
      known.arrival = arrival;
      if (hasArrived) this.#tell(known, now, now + LIMITS.arrivalPatienceMs);
    }
  }

  /** Whether the agent has come to where the task is delivered: its record may not say so yet. */
  hasCome(agent: AgentOnRoad, taskId: number): boolean {
    const known = this.#approaches.get(agent)?.get(taskId);
    return known?.stop === 'dropoff' && known.arrival.kind === 'arrived';
  }

  /** Repeats failed attempts, even for agents that stand still. */
  tellAgain(now: number): void {
    for (const [one, { nextAttemptAt, givenUpAt }] of this.#untold) {
      if (nextAttemptAt > now || !this.#sender.hasRoom) return;
      if (givenUpAt <= now) this.#giveUp(one);
      else this.#tell(one, now, givenUpAt);
    }
  }

  #tell(one: Approach, now: number, givenUpAt: number): void {
    const { arrival, organizationId, taskId, agentId, stop } = one;
    this.#untold.delete(one);
    if (arrival.kind !== 'arrived') return;
    this.#untold.set(one, { nextAttemptAt: now + LIMITS.arrivalRetryMs, givenUpAt });
    if (one.isAsking || !this.#sender.hasRoom) return;
    const { sinceMs, latitude, longitude } = arrival;
    const at = isoTime(sinceMs);
    one.isAsking = true;
    this.#sender.send(
      organizationId,
      { kind: 'note-arrival', caller: SYSTEM, taskId, agentId, place: stop, at, latitude, longitude },
      (isSettled) => {
        one.isAsking = false;
        if (isSettled) this.#untold.delete(one);
      },
    );
  }

  /** An agent that is still there arrives with its next point. */
  #giveUp(one: Approach): void {
    this.#untold.delete(one);
    one.arrival = AWAY;
    const { organizationId, taskId } = one;
    this.#log.warn({ organizationId, taskId }, 'an arrival could not be sent to its actor');
  }

  #approachOf(
    organizationId: number,
    agent: AgentOnRoad,
    { taskId, assignedAt }: OpenTask,
    stop: StopPlace,
    place: Place,
  ): Approach {
    const approaches = this.#approachesOf(agent);
    const known = approaches.get(taskId);
    const isSame = known?.assignedAt === assignedAt && known.stop === stop && isSamePlace(known.place, place);
    if (isSame) return known;
    // A new one makes the others go that the agent no longer has, so there are never more than it once had together.
    for (const [other, one] of approaches) {
      if (agent.openTasks.has(other) && taskId !== other) continue;
      approaches.delete(other);
      this.#untold.delete(one);
    }
    const { agentId } = agent;
    const made = { organizationId, agentId, taskId, assignedAt, stop, place, arrival: AWAY, isAsking: false };
    approaches.set(taskId, made);
    return made;
  }

  #approachesOf(agent: AgentOnRoad): Map<number, Approach> {
    const known = this.#approaches.get(agent);
    if (known) return known;
    const approaches = new Map<number, Approach>();
    this.#approaches.set(agent, approaches);
    return approaches;
  }
}

function placeOf(task: OpenTask, stop: StopPlace): Place | null {
  return stop === 'pickup'
    ? placeAt(task.pickupLatitude, task.pickupLongitude)
    : placeAt(task.latitude, task.longitude);
}

function isSamePlace(one: Place, other: Place): boolean {
  return one.latitude === other.latitude && one.longitude === other.longitude;
}
