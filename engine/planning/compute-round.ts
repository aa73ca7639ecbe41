import type { AssignmentMode } from '../../schema/assignment/assignment.ts';
import type { RoundPlan, RoundView } from '../domain/assignment/round-view.ts';
import { planRound } from '../domain/planning/plan-round.ts';
import { type TripTable, travelOver } from '../travel/trip-table.ts';
import { broadcastRound } from './broadcast-round.ts';

/** All that a round needs to be computed: data alone, so that another thread can do it. */
export interface RoundInput {
  readonly view: RoundView;
  readonly trips: TripTable | null;
  readonly mode: AssignmentMode;
}

export function computeRound({ view, trips, mode }: RoundInput): RoundPlan {
  const travel = travelOver(trips);
  return mode === 'broadcast' ? broadcastRound(view, travel) : planRound(view, travel);
}
