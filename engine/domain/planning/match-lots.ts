import type { Bundle } from './bundle.ts';
import type { Candidates } from './candidates.ts';
import { assignSparse, type SparseCosts } from './sparse-assignment.ts';

/** Pairs looked at in one matching, twice as many as in the hardest rounds of 2,000 by 5,000. */
const LOOKS = 10_000_000;

/** A bundle with those who may take it, and what that costs. */
export interface Lot extends Bundle {
  readonly candidates: Candidates;
  /** For each of the candidates; infinite for one that may not take it. */
  readonly costs: readonly number[];
  /** The least that bringing its orders takes from the moment at which they are fetched, summed up. */
  readonly leastOffsetSumMs: number;
  /** The cost of leaving it out of this round. */
  readonly price: number;
}

export interface Matching {
  readonly lots: readonly Lot[];
  /** Which of its candidates each lot goes to; -1 when it is left out. */
  readonly chosen: readonly number[];
  /** The saving by one more of each agent or, in a rush, the loss by one less: as in `Assignment`. */
  readonly worthOf: Float64Array;
  readonly cost: number;
}

/** A lower bound for the cost of a lot when each agent costs its worth in addition. */
export function reducedCost({ candidates, costs, price }: Lot, worthOf: Float64Array): number {
  let least = price;
  for (let at = 0; at < costs.length; at += 1) {
    const cost = costs[at]! + worthOf[candidates.agents[at]!]!;
    if (cost < least) least = cost;
  }
  return least;
}

/** Lots to agents, at the least total cost. */
export function matchLots(lots: readonly Lot[], agents: number): Matching {
  const { columnOf, worthOf, cost } = assignSparse(costsOf(lots, agents), LOOKS);
  const chosen = lots.map(({ candidates }, number) => {
    const agent = columnOf[number]!;
    return agent < 0 ? -1 : candidates.agents.indexOf(agent);
  });
  return { lots, chosen, worthOf, cost };
}

/** The costs that count: what is cheaper than leaving the lot out. */
function costsOf(lots: readonly Lot[], agents: number): SparseCosts {
  const pairs = lots.reduce((sum, { costs }) => sum + costs.length, 0);
  const starts = new Int32Array(lots.length + 1);
  const [targets, costs] = [new Int32Array(pairs), new Float64Array(pairs)];
  const prices = new Float64Array(lots.length);
  let end = 0;
  for (let number = 0; number < lots.length; number += 1) {
    const lot = lots[number]!;
    prices[number] = lot.price;
    for (let at = 0; at < lot.costs.length; at += 1) {
      if (lot.costs[at]! >= lot.price) continue;
      targets[end] = lot.candidates.agents[at]!;
      costs[end] = lot.costs[at]!;
      end += 1;
    }
    starts[number + 1] = end;
  }
  return { columns: agents, starts, targets: targets.subarray(0, end), costs: costs.subarray(0, end), prices };
}
