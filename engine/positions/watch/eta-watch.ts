import { LIMITS } from '../../../schema/limits.ts';
import type { TravelTime } from '../../domain/assignment/round-view.ts';
import { isoOf } from '../../domain/shown-time.ts';
import type { ServiceTimes } from '../../domain/stops/open-stops.ts';
import type { SeenStart } from '../../domain/stops/plan-stops.ts';
import { type PredictedTimes, predictedTimes } from '../../domain/stops/predicted-times.ts';
import { restsOf } from '../../domain/stops/rests.ts';
import { isExpected } from '../../domain/travel/arrival.ts';
import { type Etas, hasNews } from '../../domain/travel/eta.ts';
import type { WaySource } from '../../domain/travel/known-ways.ts';
import type { OpenTask } from '../../store/positions/roster-store.ts';
import type { AgentOnRoad } from '../agent-on-road.ts';
import { type NoteSender, SYSTEM } from './note-sender.ts';
import { hasCome, type WatchedAgent, type WatchedTask } from './watched-agent.ts';

/** The organization of agents, and the set that they go back to when their ETAs could not be sent. */
interface Fleet {
  readonly organizationId: number;
  readonly services: ServiceTimes;
  readonly replanned: Set<AgentOnRoad>;
}

interface Sighting {
  readonly watched: WatchedAgent;
  readonly start: SeenStart;
}

export interface EtaWatchOptions {
  readonly sender: NoteSender;
  /** Learns an agent's present tasks. */
  readonly follow: (watched: WatchedAgent) => void;
  readonly travel: WaySource;
}

/** Predicts when agents come to the places of their tasks, and sends what has moved by what matters. */
export class EtaWatch {
  readonly #options: EtaWatchOptions;

  constructor(options: EtaWatchOptions) {
    this.#options = options;
  }

  /**
   * Predicts over the ways that are known. Where some are missing, only tasks without an ETA get one now; the others
   * keep theirs until the ways are learnt, or are not to be had: two rules in turn would move every ETA to and fro.
   * Agents for whose ETAs there is no room come back at the next tick, not predicted yet.
   */
  expect(fleet: Fleet, agents: readonly WatchedAgent[], now: number, nowMs: number): void {
    const { travel, sender } = this.#options;
    const known = travel.ways();
    const unsure: Sighting[] = [];
    for (const watched of agents) {
      const { agent } = watched;
      if (!sender.hasRoom) {
        fleet.replanned.add(agent);
        continue;
      }
      watched.nextEtaAt = now + LIMITS.etaIntervalMs;
      const sighting = { watched, start: startOf(agent, nowMs) };
      const { missing } = known;
      const times = this.#predict(fleet, sighting, known.travel);
      const isSure = known.missing === missing;
      if (!isSure) unsure.push(sighting);
      this.#tell(fleet, watched, times, isSure);
    }
    if (unsure.length > 0) void known.learn(LIMITS.routingTimeoutMs).then(() => this.#tellLearnt(fleet, unsure));
  }

  #tellLearnt(fleet: Fleet, unsure: readonly Sighting[]): void {
    const { follow, travel } = this.#options;
    const known = travel.ways();
    for (const one of unsure) {
      follow(one.watched);
      this.#tell(fleet, one.watched, this.#predict(fleet, one, known.travel), true);
    }
  }

  #predict({ services }: Fleet, { watched, start }: Sighting, travel: TravelTime): ReadonlyMap<number, PredictedTimes> {
    return predictedTimes(
      start,
      watched.tasks.map(({ route }) => route),
      services,
      travel,
    );
  }

  #tell(
    fleet: Fleet,
    { agent, tasks }: WatchedAgent,
    times: ReadonlyMap<number, PredictedTimes>,
    isSure: boolean,
  ): void {
    for (const one of tasks) {
      const { task, told } = one;
      const predicted = times.get(task.taskId);
      if (!predicted || !isExpected(task) || hasCome(one)) continue;
      told.stopsBefore = predicted.stopsBefore;
      const etas = etasOf(task, predicted);
      if (hasNews(told.etas, etas) && (isSure || isNever(told.etas))) this.#send(fleet, agent, one, etas);
    }
  }

  #send({ organizationId, replanned }: Fleet, agent: AgentOnRoad, { task, told }: WatchedTask, etas: Etas): void {
    const { sender } = this.#options;
    const { agentId } = agent;
    const { taskId } = task;
    // Found again at the next tick, when there is room.
    if (told.isAsking || !sender.hasRoom) return void replanned.add(agent);
    told.isAsking = true;
    const toldBefore = told.etas;
    sender.send(organizationId, { kind: 'note-eta', caller: SYSTEM, taskId, agentId, ...etas }, (isSettled) => {
      told.isAsking = false;
      if (!isSettled) replanned.add(agent);
      // The roster may say more by now, as that an amendment has taken them back.
      else if (told.etas === toldBefore) told.etas = etas;
    });
  }
}

function startOf(agent: AgentOnRoad, nowMs: number): SeenStart {
  const { latitude, longitude, vehicleType, recordedAtMs } = agent;
  const rests = restsOf(agent.shifts, agent.onDuty, nowMs);
  return { place: { latitude, longitude }, at: nowMs, seenAt: recordedAtMs, vehicleType, rests };
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
  return isoOf(Math.round(ms / 1_000) * 1_000);
}
