import { isOnBreak } from '../assignment/eligibility.ts';
import type {
  OpenOrder,
  PlannedOffer,
  PlannedStop,
  RoundPlan,
  RoundView,
  TravelTime,
  Unplanned,
} from '../assignment/round-view.ts';
import type { Beginning } from './bound-agents.ts';
import { type Bundle, startOf } from './bundle.ts';
import { bring, dropoffsOf } from './delivery.ts';
import { explainer, type Meant } from './explain-unplanned.ts';
import type { Itineraries } from './itineraries.ts';
import { lookAhead } from './look-ahead.ts';
import { LotMaker } from './lot-maker.ts';
import { matchInBundles } from './match-in-bundles.ts';

/**
 * The offers of a round, of least total cost, where the cost of an order is the time until it is there. Each agent gets
 * one offer at most, agents that are soon free count, and an order that loses nothing by waiting for the next round is
 * held, since more will be known then. The same view gives the same plan.
 */
export function planRound(view: RoundView, travel: TravelTime): RoundPlan {
  const maker = new LotMaker(view, travel);
  const singles = maker.singles();
  const itineraries = lookAhead(matchInBundles(singles, view, maker), singles, view, maker);
  const offers: PlannedOffer[] = [];
  const unplanned: Unplanned[] = [];
  const explain = explainer(view, singles, maker);
  const held = new Map<OpenOrder, Meant>();
  for (const agent of view.agents.keys()) {
    const [first, ...later] = itineraries.of(agent);
    if (!first) continue;
    const beginning = beginningOf(agent, itineraries, view, maker);
    const reason = reasonToHold(first, agent, beginning, view, maker);
    if (reason) {
      for (const order of first.orders) held.set(order, { agent, reason });
    } else offers.push(offerOf(first, agent, beginning, view, maker));
    for (const { orders } of later) for (const order of orders) held.set(order, { agent, reason: 'busy' });
  }
  for (const single of singles) {
    const order = single.orders[0]!;
    const meant = held.get(order);
    if (meant || itineraries.agentFor(order) === undefined) unplanned.push(explain(order, single, meant));
  }
  return { offers, unplanned };
}

/** How the agent begins the first of its trips. */
function beginningOf(agent: number, itineraries: Itineraries, { agents, now }: RoundView, maker: LotMaker): Beginning {
  const trips = itineraries.of(agent);
  if (maker.bound.isBound(agent)) return itineraries.begin(agent, trips);
  const { distanceM, reachAt } = maker.map.candidate(agent, startOf(trips[0]!.orders[0]!));
  return { cost: itineraries.costOf(agent), setOutAt: Math.max(now, agents[agent]!.freeAt), distanceM, reachAt };
}

function reasonToHold(
  bundle: Bundle,
  agent: number,
  beginning: Beginning,
  view: RoundView,
  maker: LotMaker,
): Meant['reason'] | undefined {
  const who = view.agents[agent]!;
  if (isOnBreak(who, view.now)) return 'on_break';
  if (!isHeld(bundle, agent, beginning, view, maker)) return undefined;
  return who.freeAt > view.now ? 'busy' : 'not_ready';
}

/**
 * Asked in the next round, the agent would serve nothing later, nor be free later. A scheduled task holds the agent's
 * time: it cannot wait.
 */
function isHeld(
  bundle: Bundle,
  agent: number,
  { setOutAt, reachAt }: Beginning,
  { agents, settings, now }: RoundView,
  maker: LotMaker,
): boolean {
  if (bundle.demand.slot || bundle.orders.some((order) => isTiredOfWaiting(order, settings.maxHoldMs, now)))
    return false;
  const [fetchAt, laterAt] = [
    maker.fetchAt(bundle, reachAt),
    maker.fetchAt(bundle, reachAt + settings.nextRoundAt - setOutAt),
  ];
  if (laterAt <= fetchAt) return true;
  if (!bundle.isTimed) return false;
  const delivery = maker.delivery(bundle, agents[agent]!);
  const [freeAt, laterFreeAt] = [new Float64Array(1), new Float64Array(1)];
  const cost = bring(bundle, delivery, fetchAt, now, settings, freeAt);
  return bring(bundle, delivery, laterAt, now, settings, laterFreeAt) <= cost && laterFreeAt[0]! <= freeAt[0]!;
}

/** Counted from when it could have been served: nobody is late for what is not ready, nor for a window that is closed. */
function isTiredOfWaiting(
  { searchingSince, readyAt, windowStart }: OpenOrder,
  maxHoldMs: number | null,
  now: number,
): boolean {
  return maxHoldMs !== null && now - Math.max(searchingSince, readyAt ?? 0, windowStart ?? 0) >= maxHoldMs;
}

function offerOf(
  bundle: Bundle,
  agent: number,
  { distanceM, reachAt }: Beginning,
  { agents, now, settings }: RoundView,
  maker: LotMaker,
): PlannedOffer {
  const who = agents[agent]!;
  const { orders } = bundle;
  const taskIds = orders.map(({ taskId }) => taskId);
  const fetchAt = maker.fetchAt(bundle, reachAt);
  const dropoffs = dropoffsOf(bundle, maker.delivery(bundle, who), fetchAt, now, settings);
  const etaMs = dropoffs.map(({ arriveMs, waitMs }) => arriveMs + waitMs);
  const score = etaMs.reduce((sum, ms) => sum + ms, 0);
  const waitMs = fetchAt - maker.fetchAt({ ...bundle, readyAt: Number.NEGATIVE_INFINITY }, reachAt);
  const pickup: PlannedStop = { kind: 'pickup', taskIds, arriveMs: reachAt - now, waitMs, lateMs: 0 };
  const stops = orders[0]!.pickup ? [pickup, ...dropoffs] : dropoffs;
  return { agentId: who.agentId, taskIds, score, distanceM, etaMs, stops };
}
