import { LIMITS } from '../../../schema/limits.ts';
import { refusalOf } from '../assignment/eligibility.ts';
import type { OpenOrder, PassedOver, RoundView, Unplanned } from '../assignment/round-view.ts';
import { bundleOf, startOf } from './bundle.ts';
import { hasTaker, type LotMaker } from './lot-maker.ts';
import type { Lot } from './match-lots.ts';
import { PlaceIndex } from './place-index.ts';

/** Agents judged in a round for orders that nobody could take. */
const JUDGED = 200_000;
/** Held orders of a round whose other candidates are judged: in a rush there are thousands, and each is asked for soon. */
const HELD_JUDGED = 1_000;
const CHOSEN: PassedOver = 'chosen_for_another';

/** The agent that a held order is meant for, by its place in the view, and why it is not asked now. */
export interface Meant {
  readonly agent: number;
  readonly reason: 'busy' | 'not_ready' | 'on_break';
}

/**
 * Says of orders that nobody is asked for why not. The nearest agents of the view are listed one by one, whether or not
 * they could ever take it. Counted is every agent where nobody could take it, or the nearest where there are many such
 * orders; otherwise those who are listed, and who were candidates.
 */
export function explainer(
  view: RoundView,
  singles: readonly Lot[],
  maker: LotMaker,
): (order: OpenOrder, lot: Lot, meant?: Meant) => Unplanned {
  const { agents, settings, now } = view;
  const everybody = agents.map((_, agent) => agent);
  const withoutTaker = singles.reduce((sum, lot) => sum + (hasTaker(lot) ? 0 : 1), 0);
  const judgedOfEach = Math.max(LIMITS.passedOverShown, Math.floor(JUDGED / withoutTaker));
  let index: PlaceIndex | undefined;
  let heldLeft = HELD_JUDGED;

  return (order, lot, meant) => {
    const { taskId } = order;
    const bundle = bundleOf([order], now);
    const place = startOf(order);
    const shown = (agent: number) => {
      const candidate = maker.map.candidate(agent, place);
      const reason = agent === meant?.agent ? meant.reason : (maker.refusalOfCandidate(bundle, candidate) ?? CHOSEN);
      return { agentId: agents[agent]!.agentId, reason, distanceM: candidate.distanceM };
    };
    // Without a way where that is not needed: there are many of them.
    const reasonOf = (agent: number) => refusalOf(bundle.demand, agents[agent]!, settings, now) ?? shown(agent).reason;
    if (meant) {
      heldLeft -= 1;
      if (heldLeft < 0) return { taskId, why: 'held', counts: { [meant.reason]: 1 }, nearest: [shown(meant.agent)] };
    }
    index ??= new PlaceIndex(agents, everybody);
    const near = index.nearest(place, LIMITS.passedOverShown);
    if (meant && !near.includes(meant.agent)) near.splice(LIMITS.passedOverShown - 1, 1, meant.agent);
    const nearest = near.map(shown);
    if (meant) return { taskId, why: 'held', counts: countsOf(nearest.map(({ reason }) => reason)), nearest };
    let counted: Iterable<number> = new Set([...lot.candidates.agents, ...near]);
    if (!hasTaker(lot)) counted = judgedOfEach < agents.length ? index.nearest(place, judgedOfEach) : everybody;
    return { taskId, why: 'nobody', counts: countsOf(Array.from(counted, reasonOf)), nearest };
  };
}

function countsOf(reasons: readonly PassedOver[]): Unplanned['counts'] {
  const counts: Partial<Record<PassedOver, number>> = {};
  for (const reason of reasons) counts[reason] = (counts[reason] ?? 0) + 1;
  return counts;
}
