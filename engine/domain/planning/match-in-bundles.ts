import { startOf } from './bundle.ts';
import { hasTaker, type LotMaker } from './lot-maker.ts';
import { type Lot, type Matching, matchLots, reducedCost } from './match-lots.ts';
import type { RoundView } from './round-view.ts';

/** Of lots from one place, each is tried with so many whose way leads in much the same direction. */
const NEIGHBOURS = 4;
/** Above so many pairs of lot and agent there is no time to match twice. */
const PAIRS_MATCHED_TWICE = 30_000;
/** What a join has to save, in milliseconds, to be worth making. */
const WORTHWHILE = 1;

interface Join {
  readonly saves: number;
  readonly of: readonly [number, number];
  readonly into: () => Lot;
}

/**
 * Matches orders to agents, and lets orders from one pickup travel together where that makes the whole cheaper. What an
 * agent is worth in the matching tells what a trip less saves: much when orders outnumber agents, and nothing when agents
 * stand idle. So bundles grow in a rush by themselves.
 */
export function matchInBundles(singles: readonly Lot[], view: RoundView, maker: LotMaker): Matching {
  const { agents, settings } = view;
  const pairs = singles.reduce((sum, { costs }) => sum + costs.length, 0);
  if (pairs > PAIRS_MATCHED_TWICE) return matchLots(gather(singles, view, maker), agents.length);
  const alone = matchLots(singles, agents.length);
  const joins = joinsOf(alone, settings.maxBundle, maker);
  if (joins.length === 0) return alone;
  const together = matchLots(applied(singles, joins, joins.length), agents.length);
  return together.cost < alone.cost ? together : alone;
}

/**
 * Of more orders than can be matched again and again: while they outnumber the agents, those are joined that it delays
 * least.
 */
function gather(singles: readonly Lot[], { agents, settings }: RoundView, maker: LotMaker): readonly Lot[] {
  let lots = singles;
  for (let size = 2; size <= settings.maxBundle && lots.length > agents.length; size += 1) {
    const joins: Join[] = [];
    for (const of of neighbours(lots, size)) {
      const [one, other] = [lots[of[0]]!, lots[of[1]]!];
      joins.push({ saves: -maker.delayOfJoining(one, other), of, into: () => maker.joined(one, other) });
    }
    lots = applied(lots, joins, lots.length - agents.length);
  }
  return lots;
}

/** The best of the joins, `most` at most, without those of lots that are gone by then. */
function applied(lots: readonly Lot[], joins: readonly Join[], most: number): Lot[] {
  const gone = new Set<number>();
  const made: Lot[] = [];
  for (const { of, into } of joins.toSorted(bestFirst)) {
    if (made.length === most) break;
    if (of.some((number) => gone.has(number))) continue;
    const lot = into();
    if (!hasTaker(lot)) continue;
    for (const number of of) gone.add(number);
    made.push(lot);
  }
  return [...lots.filter((_, number) => !gone.has(number)), ...made];
}

function bestFirst(one: Join, other: Join): number {
  return other.saves - one.saves || one.of[0] - other.of[0] || one.of[1] - other.of[1];
}

function joinsOf({ lots, worthOf }: Matching, maxBundle: number, maker: LotMaker): Join[] {
  const paid = lots.map((lot) => reducedCost(lot, worthOf));
  const joins: Join[] = [];
  for (const of of neighbours(lots, maxBundle)) {
    const [one, other] = [lots[of[0]]!, lots[of[1]]!];
    const had = paid[of[0]]! + paid[of[1]]! - WORTHWHILE;
    if (maker.leastJoined(one, other, worthOf) > had) continue;
    const joined = maker.joined(one, other);
    const saves = had - reducedCost(joined, worthOf);
    if (saves >= 0) joins.push({ saves, of, into: () => joined });
  }
  return joins;
}

/** Pairs of lots from one place that lead into much the same direction and are not too much together. */
function* neighbours(lots: readonly Lot[], maxBundle: number): Generator<readonly [number, number]> {
  const groups = new Map<string, number[]>();
  for (const [number, { orders }] of lots.entries()) {
    const { pickupKey } = orders[0]!;
    if (pickupKey === null) continue;
    const group = groups.get(pickupKey);
    if (group) group.push(number);
    else groups.set(pickupKey, [number]);
  }
  for (const group of groups.values()) {
    const size = group.length;
    const bearings = new Map(group.map((number) => [number, bearingOf(lots[number]!)]));
    group.sort((a, b) => bearings.get(a)! - bearings.get(b)! || a - b);
    const steps = Math.min(NEIGHBOURS, Math.floor(size / 2));
    for (let at = 0; at < size; at += 1) {
      for (let step = 1; step <= steps; step += 1) {
        // Half way round, each pair would come twice.
        if (2 * step === size && at >= step) continue;
        const [one, other] = [group[at]!, group[(at + step) % size]!];
        if (lots[one]!.orders.length + lots[other]!.orders.length <= maxBundle) yield [one, other];
      }
    }
  }
}

function bearingOf({ orders }: Lot): number {
  const [first] = orders;
  const from = startOf(first!);
  const to = first!.dropoff;
  return from && to ? Math.atan2(to.latitude - from.latitude, to.longitude - from.longitude) : 0;
}
