import type { OpenOrder, PlannedOffer, RoundPlan, RoundView, TravelTime, Unplanned } from '../assignment/round-view.ts';
import { type Bundle, startOf } from './bundle.ts';
import type { Candidate } from './candidates.ts';
import { explainer, type Meant } from './explain-unplanned.ts';
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
    const candidate = maker.map.candidate(agent, startOf(first.orders[0]!));
    if (isHeld(first, candidate, view, maker)) {
      const reason = view.agents[agent]!.freeAt > view.now ? 'busy' : 'not_ready';
      for (const order of first.orders) held.set(order, { agent, reason });
    } else offers.push(offerOf(first, candidate, view, maker));
    for (const { orders } of later) for (const order of orders) held.set(order, { agent, reason: 'busy' });
  }
  for (const single of singles) {
    const order = single.orders[0]!;
    const meant = held.get(order);
    if (meant || itineraries.agentFor(order) === undefined) unplanned.push(explain(order, single, meant));
  }
  return { offers, unplanned };
}

/** Asked in the next round, the agent would fetch it no later. A scheduled task holds the agent's time: it cannot wait. */
function isHeld(bundle: Bundle, candidate: Candidate, { agents, settings, now }: RoundView, maker: LotMaker): boolean {
  if (bundle.demand.slot || bundle.orders.some((order) => isTiredOfWaiting(order, settings.maxHoldMs, now)))
    return false;
  const { freeAt } = agents[candidate.agent]!;
  const lostMs = settings.nextRoundAt - Math.max(now, freeAt);
  const { reachAt } = candidate;
  return maker.fetchAt(bundle, reachAt + lostMs) <= maker.fetchAt(bundle, reachAt);
}

/** Counted from when it could have been fetched: nobody is late for what is not ready. */
function isTiredOfWaiting({ searchingSince, readyAt }: OpenOrder, maxHoldMs: number | null, now: number): boolean {
  return maxHoldMs !== null && now - Math.max(searchingSince, readyAt ?? 0) >= maxHoldMs;
}

function offerOf(bundle: Bundle, candidate: Candidate, { agents, now }: RoundView, maker: LotMaker): PlannedOffer {
  const agent = agents[candidate.agent]!;
  const fetchMs = maker.fetchAt(bundle, candidate.reachAt) - now;
  const offsetsMs: number[] = [];
  maker.delivery(bundle, agent, offsetsMs);
  const etaMs = offsetsMs.map((offsetMs) => fetchMs + offsetMs);
  return {
    agentId: agent.agentId,
    taskIds: bundle.orders.map(({ taskId }) => taskId),
    score: etaMs.reduce((sum, ms) => sum + ms, 0),
    distanceM: candidate.distanceM,
    etaMs,
  };
}
