import type { Bundle } from './bundle.ts';
import type { Candidate } from './candidates.ts';
import { assignSparse, CostRows, type SparseCosts } from './sparse-assignment.ts';

/** A bundle with those who may take it, and what that costs. */
export interface Lot extends Bundle {
  readonly candidates: readonly Candidate[];
  /** For each of the candidates; infinite for one that may not take it. */
  readonly costs: Float64Array;
  /** The least that bringing its orders takes from the moment at which they are fetched, summed up. */
  readonly leastOffsetSumMs: number;
  /** What it costs to leave it out of this round. */
  readonly price: number;
}

export interface Matching {
  readonly lots: readonly Lot[];
  /** Which of its candidates each lot goes to; -1 when it is left out. */
  readonly chosen: readonly number[];
  /** What one more of each agent would save. */
  readonly worthOf: Float64Array;
  readonly cost: number;
}

/** What a lot costs at least when each agent costs its worth in addition. */
export function reducedCost({ candidates, costs, price }: Lot, worthOf: Float64Array): number {
  let least = price;
  for (let at = 0; at < costs.length; at += 1) {
    const cost = costs[at]! + worthOf[candidates[at]!.agent]!;
    if (cost < least) least = cost;
  }
  return least;
}

/** Lots to agents, at the least total cost. */
export function matchLots(lots: readonly Lot[], agents: number): Matching {
  // Rows are taken in one by one: of the scarcer kind there are fewer of them, and fewer that have to make room.
  return lots.length <= agents ? matchByLot(lots, agents) : matchByAgent(lots, agents);
}

function matchByLot(lots: readonly Lot[], agents: number): Matching {
  const rows = new CostRows(agents);
  for (const { candidates, costs, price } of lots) {
    rows.addRow(price);
    for (let at = 0; at < costs.length; at += 1) {
      if (costs[at]! < price) rows.add(candidates[at]!.agent, costs[at]!);
    }
  }
  const { columnOf, worthOf, cost } = assignSparse(rows);
  return { lots, chosen: chosenOf(lots, columnOf), worthOf, cost };
}

function matchByAgent(lots: readonly Lot[], agents: number): Matching {
  const saved = savedByAgent(lots, agents);
  const { columnOf, worthOf, cost } = assignSparse(saved);
  const agentOf = new Int32Array(lots.length).fill(-1);
  const worthOfAgent = new Float64Array(agents);
  for (let agent = 0; agent < agents; agent += 1) {
    if (columnOf[agent]! >= 0) agentOf[columnOf[agent]!] = agent;
    for (let at = saved.starts[agent]!; at < saved.starts[agent + 1]!; at += 1) {
      const worth = -(saved.costs[at]! + worthOf[saved.targets[at]!]!);
      if (worth > worthOfAgent[agent]!) worthOfAgent[agent] = worth;
    }
  }
  const leftOut = lots.reduce((sum, { price }) => sum + price, 0);
  return { lots, chosen: chosenOf(lots, agentOf), worthOf: worthOfAgent, cost: leftOut + cost };
}

/** With agents as rows and lots as columns; what an agent saves by not leaving a lot out is below zero. */
function savedByAgent(lots: readonly Lot[], agents: number): SparseCosts {
  const starts = new Int32Array(agents + 1);
  const each = (visit: (agent: number, lot: number, saved: number) => void) => {
    for (const [number, { candidates, costs, price }] of lots.entries()) {
      for (let at = 0; at < costs.length; at += 1) {
        if (costs[at]! < price) visit(candidates[at]!.agent, number, costs[at]! - price);
      }
    }
  };
  each((agent) => {
    starts[agent + 1]! += 1;
  });
  for (let agent = 0; agent < agents; agent += 1) starts[agent + 1]! += starts[agent]!;
  const [targets, costs] = [new Int32Array(starts[agents]!), new Float64Array(starts[agents]!)];
  const next = starts.slice();
  each((agent, lot, saved) => {
    const at = next[agent]!;
    next[agent] = at + 1;
    targets[at] = lot;
    costs[at] = saved;
  });
  return { columns: lots.length, starts, targets, costs, prices: new Float64Array(agents) };
}

function chosenOf(lots: readonly Lot[], agentOf: Int32Array): number[] {
  return lots.map(({ candidates }, number) => candidates.findIndex(({ agent }) => agent === agentOf[number]));
}
