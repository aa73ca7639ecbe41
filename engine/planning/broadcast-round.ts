import { LIMITS } from '../../schema/limits.ts';
import { breakWithin, type Demand, isOnBreak, refusalOf, refusalOfWay } from '../domain/assignment/eligibility.ts';
import type {
  FreeAgent,
  OpenOrder,
  PassedOver,
  PlannedOffer,
  PlannedStop,
  RoundPlan,
  RoundView,
  TravelTime,
  Trip,
  Unplanned,
} from '../domain/assignment/round-view.ts';
import { earliestOf } from '../domain/planning/bundle.ts';

interface Candidate {
  readonly agent: FreeAgent;
  readonly trip: Trip;
  /** Until it is there: the cost by which candidates are chosen. */
  readonly ms: number;
}

interface Refused {
  readonly agentId: number;
  readonly reason: PassedOver;
  readonly distanceM: number;
}

/** The first few by an order, of however many. */
class Shortlist<T> {
  readonly items: T[] = [];
  readonly #size: number;
  readonly #compare: (a: T, b: T) => number;

  constructor(size: number, compare: (a: T, b: T) => number) {
    this.#size = size;
    this.#compare = compare;
  }

  add(item: T): void {
    const { items } = this;
    if (items.length === this.#size && this.#compare(item, items.at(-1)!) >= 0) return;
    let at = items.length;
    while (at > 0 && this.#compare(item, items[at - 1]!) < 0) at -= 1;
    items.splice(at, 0, item);
    if (items.length > this.#size) items.pop();
  }
}

/**
 * A round that asks many agents for each order: the soonest ones, the preferred one before them. An order that is ready
 * later is held until one of them would serve it later by waiting for the next round; orders beyond the bound of a round
 * wait for that too. An agent may be asked for several orders; its answer is judged by its load at that time.
 */
export function broadcastRound(
  view: RoundView,
  travel: TravelTime,
  atOnce: number = LIMITS.broadcastAgents,
): RoundPlan {
  const offers: PlannedOffer[] = [];
  const unplanned: Unplanned[] = [];
  for (const order of view.orders) {
    if (offers.length >= LIMITS.broadcastOffers) {
      unplanned.push({ taskId: order.taskId, why: 'held', counts: {}, nearest: [] });
      continue;
    }
    const { asked, notAsked } = examine(order, view, travel, atOnce);
    for (const candidate of asked) offers.push(offerOf(order, candidate, view, travel));
    if (notAsked) unplanned.push(notAsked);
  }
  return { offers, unplanned };
}

interface Examined {
  readonly asked: readonly Candidate[];
  /** Where nobody is asked. */
  readonly notAsked?: Unplanned;
}

function examine(order: OpenOrder, { agents, settings, now }: RoundView, travel: TravelTime, atOnce: number): Examined {
  const { taskId, preferredAgentId } = order;
  const isPreferred = ({ agent }: Candidate) => Number(agent.agentId === preferredAgentId);
  const candidates = new Shortlist<Candidate>(
    atOnce,
    (a, b) => isPreferred(b) - isPreferred(a) || a.ms - b.ms || a.agent.agentId - b.agent.agentId,
  );
  const nearest = new Shortlist<Refused>(LIMITS.passedOverShown, (a, b) => a.distanceM - b.distanceM);
  const counts: Partial<Record<PassedOver, number>> = {};
  const demand: Demand = { ...order, tasks: 1 };
  const start = order.pickup ?? order.dropoff;
  for (const agent of agents) {
    const trip = start ? travel(agent.place, start, agent.vehicleType) : { distanceM: 0, ms: 0 };
    const ms = Math.max(agent.freeAt - now, 0) + trip.ms;
    const candidate = { agent, trip, ms };
    const reason =
      refusalOf(demand, agent, settings, now) ??
      refusalOfWay(agent, settings, trip.distanceM, Math.max(now + ms, earliestOf(order.slot, order.readyAt))) ??
      refusalOfShift(order, candidate, { settings, now }, travel);
    if (!reason) candidates.add(candidate);
    else {
      counts[reason] = (counts[reason] ?? 0) + 1;
      nearest.add({ agentId: agent.agentId, reason, distanceM: trip.distanceM });
    }
  }
  const asked = candidates.items;
  if (asked.length === 0) return { asked, notAsked: { taskId, why: 'nobody', counts, nearest: nearest.items } };
  if (!isHeld(order, asked, { settings, now }, travel)) return { asked };
  for (const { agent, trip } of asked)
    nearest.add({ agentId: agent.agentId, reason: 'not_ready', distanceM: trip.distanceM });
  counts.not_ready = asked.length;
  return { asked: [], notAsked: { taskId, why: 'held', counts, nearest: nearest.items } };
}

type Setting = Pick<RoundView, 'now' | 'settings'>;

/**
 * Whether nobody would serve an order that is ready later any later when asked in the next round. A scheduled task holds
 * the agent's time: it cannot wait.
 */
function isHeld(
  order: OpenOrder,
  candidates: readonly Candidate[],
  { settings, now }: Setting,
  travel: TravelTime,
): boolean {
  const { readyAt, windowStart, slot } = order;
  const { nextRoundAt } = settings;
  if (slot || Math.max(readyAt ?? 0, windowStart ?? 0) <= nextRoundAt) return false;
  return candidates.every((candidate) => {
    const { doneAt } = timesOf(order, candidate, { settings, now }, travel);
    const later = timesOf(order, candidate, { settings, now: nextRoundAt }, travel);
    // Less than a millisecond comes of rounding.
    return later.doneAt - doneAt < 1;
  });
}

/** Whether a break would interrupt it, or the shift end before it is done and the agent at home. */
function refusalOfShift(
  order: OpenOrder,
  candidate: Candidate,
  setting: Setting,
  travel: TravelTime,
): PassedOver | undefined {
  const { shift, place, vehicleType } = candidate.agent;
  if (!shift) return undefined;
  const { now } = setting;
  const { setOutAt, doneAt } = timesOf(order, candidate, setting, travel);
  const homeMs = shift.home ? travel(order.dropoff ?? order.pickup ?? place, shift.home, vehicleType).ms : 0;
  if (doneAt + homeMs > shift.endsAt) return 'ends_before';
  return isOnBreak(candidate.agent, now) || breakWithin(shift, setOutAt, doneAt) ? 'on_break' : undefined;
}

/**
 * When it would be done. For a scheduled task the agent is asked ahead of its time, as in the other rounds, and sets out
 * after a break that would interrupt it; for others it is asked after that.
 */
function timesOf(order: OpenOrder, candidate: Candidate, setting: Setting, travel: TravelTime) {
  const { shift, freeAt } = candidate.agent;
  let setOutAt = Math.max(setting.now, freeAt);
  for (;;) {
    const times = timesFrom(setOutAt, order, candidate, setting, travel);
    const interrupting = order.slot ? breakWithin(shift, setOutAt, times.doneAt) : undefined;
    if (!interrupting) return times;
    setOutAt = interrupting.until;
  }
}

/** From now: when the agent is at the first place, when it is fetched, and when the service begins at its place. */
function timesFrom(
  setOutAt: number,
  order: OpenOrder,
  { agent, trip }: Candidate,
  { now, settings }: Setting,
  travel: TravelTime,
) {
  const { pickup, dropoff, readyAt, windowStart, slot, serviceMs } = order;
  const onWayMs = pickup && dropoff ? travel(pickup, dropoff, agent.vehicleType).ms : 0;
  const reachMs = setOutAt - now + trip.ms;
  const readyMs = Math.max(reachMs, earliestOf(slot, readyAt) - now);
  const arriveMs = pickup ? readyMs + settings.pickupServiceMs + onWayMs : reachMs;
  const beginMs = Math.max(arriveMs, readyMs, (windowStart ?? now) - now);
  const doneAt = now + beginMs + (serviceMs ?? settings.dropoffServiceMs);
  return { setOutAt, reachMs, readyMs, arriveMs, beginMs, doneAt };
}

function offerOf(order: OpenOrder, candidate: Candidate, view: RoundView, travel: TravelTime): PlannedOffer {
  const { taskId, pickup, dueAt } = order;
  const { agent, trip, ms } = candidate;
  const { now } = view;
  const { reachMs, readyMs, arriveMs, beginMs } = timesOf(order, candidate, view, travel);
  const lateMs = dueAt === null ? 0 : Math.max(0, now + beginMs - dueAt);
  const dropoffs: PlannedStop[] = [
    { kind: 'dropoff', taskIds: [taskId], arriveMs, waitMs: beginMs - arriveMs, lateMs },
  ];
  const fetched: PlannedStop = {
    kind: 'pickup',
    taskIds: [taskId],
    arriveMs: reachMs,
    waitMs: readyMs - reachMs,
    lateMs: 0,
  };
  const stops = pickup ? [fetched, ...dropoffs] : dropoffs;
  return { agentId: agent.agentId, taskIds: [taskId], score: ms, distanceM: trip.distanceM, etaMs: [beginMs], stops };
}
