import { LIMITS } from '../../schema/limits.ts';
import { nearnessOf } from './place-cell.ts';
import type { Trips } from './wanted-trips.ts';

/** Cells between which one table is asked for: each of `from` with each of `to`. */
export interface TripBlock {
  readonly from: readonly number[];
  readonly to: readonly number[];
}

/**
 * Blocks that have all trips in them, LIMITS.routingBlockPlaces on either side at most. Ends that lie near each other
 * come together, since what is near to one is mostly near to the others: so there are few blocks, and few trips in
 * them that nobody wants.
 */
export function blocksOf(trips: Trips): TripBlock[] {
  const startsOf = new Map<number, number[]>();
  for (const [start, ends] of trips) {
    for (const end of ends) {
      const starts = startsOf.get(end);
      if (starts) starts.push(start);
      else startsOf.set(end, [start]);
    }
  }
  return chunks(byNearness(startsOf.keys())).flatMap((to) => {
    const from = new Set(to.flatMap((end) => startsOf.get(end)!));
    return chunks(byNearness(from)).map((some) => ({ from: some, to }));
  });
}

/** Two blocks with the same trips; undefined for a single one. */
export function halved({ from, to }: TripBlock): [TripBlock, TripBlock] | undefined {
  if (from.length === 1 && to.length === 1) return undefined;
  if (from.length >= to.length) {
    const middle = Math.ceil(from.length / 2);
    return [
      { from: from.slice(0, middle), to },
      { from: from.slice(middle), to },
    ];
  }
  const middle = Math.ceil(to.length / 2);
  return [
    { from, to: to.slice(0, middle) },
    { from, to: to.slice(middle) },
  ];
}

function byNearness(cells: Iterable<number>): number[] {
  return [...cells]
    .map((cell) => ({ cell, nearness: nearnessOf(cell) }))
    .sort((a, b) => a.nearness - b.nearness)
    .map(({ cell }) => cell);
}

function chunks(cells: readonly number[]): number[][] {
  const size = LIMITS.routingBlockPlaces;
  return Array.from({ length: Math.ceil(cells.length / size) }, (_, at) => cells.slice(at * size, (at + 1) * size));
}
