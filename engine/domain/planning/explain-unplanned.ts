import { LIMITS } from '../../../schema/limits.ts';
import { refusalOf } from '../assignment/eligibility.ts';
import type { OpenOrder, PassedOver, RoundView, Unplanned } from '../assignment/round-view.ts';
import { bundleOf, startOf } from './bundle.ts';
import { type Candidate, listed } from './candidates.ts';
import { hasTaker, type LotMaker } from './lot-maker.ts';
import type { Lot } from './match-lots.ts';
import { PlaceIndex } from './place-index.ts';

/** Agents judged in a round for orders that nobody could take. */
const JUDGED = 200_000;
const CHOSEN: PassedOver = 'chosen_for_another';

/**
 * Says of orders that nobody is asked for why not: where nobody could take it, of every agent of the view, or of the
 * nearest where there are many such orders; otherwise of those who were candidates.
 */
export function explainer(
  view: RoundView,
  singles: readonly Lot[],
  maker: LotMaker,
): (order: OpenOrder, lot: Lot) => Unplanned {
  const { agents, settings, now } = view;
  const everybody = agents.map((_, agent) => agent);
  const withoutTaker = singles.reduce((sum, lot) => sum + (hasTaker(lot) ? 0 : 1), 0);
  const judgedOfEach = Math.max(LIMITS.passedOverShown, Math.floor(JUDGED / withoutTaker));
  let index: PlaceIndex | undefined;

  const judged = (bundle: ReturnType<typeof bundleOf>, candidate: Candidate) => ({
    agentId: agents[candidate.agent]!.agentId,
    reason: maker.refusalOfCandidate(bundle, candidate) ?? CHOSEN,
    distanceM: candidate.distanceM,
  });

  return (order, lot) => {
    const { taskId } = order;
    const bundle = bundleOf([order], now);
    const place = startOf(order);
    if (hasTaker(lot)) {
      const candidates = listed(lot.candidates);
      const reasons = candidates.map((candidate) => maker.refusalOfCandidate(bundle, candidate) ?? CHOSEN);
      const nearest = candidates.toSorted(byDistance).slice(0, LIMITS.passedOverShown);
      const shown = nearest.map((candidate) => judged(bundle, candidate));
      return { taskId, why: 'nobody', counts: countsOf(reasons), nearest: shown };
    }
    const reasonOf = (agent: number) =>
      refusalOf(bundle.demand, agents[agent]!, settings, now) ??
      judged(bundle, maker.map.candidate(agent, place)).reason;
    index ??= new PlaceIndex(agents, everybody);
    const counted = judgedOfEach < agents.length ? index.nearest(place, judgedOfEach) : everybody;
    const near = index.nearest(place, LIMITS.passedOverShown);
    const nearest = near.map((agent) => judged(bundle, maker.map.candidate(agent, place)));
    return { taskId, why: 'nobody', counts: countsOf(counted.map(reasonOf)), nearest };
  };
}

function byDistance(one: Candidate, other: Candidate): number {
  if (one.distanceM === other.distanceM) return 0;
  return one.distanceM < other.distanceM ? -1 : 1;
}

function countsOf(reasons: readonly PassedOver[]): Unplanned['counts'] {
  const counts: Partial<Record<PassedOver, number>> = {};
  for (const reason of reasons) counts[reason] = (counts[reason] ?? 0) + 1;
  return counts;
}
