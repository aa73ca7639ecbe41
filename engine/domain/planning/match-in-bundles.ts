import type { RoundView } from '../assignment/round-view.ts';
import { startOf, weightOf } from './bundle.ts';
import { hasTaker, type LotMaker } from './lot-maker.ts';
import { type Lot, type Matching, matchLots, reducedCost } from './match-lots.ts';

/** Each lot is tried with so many others from its place whose way leads in much the same direction. */
const NEIGHBOURS = 4;
/** Above so many pairs of lot and agent there is no time to match twice. */
const PAIRS_MATCHED_TWICE = 30_000;
/** The saving that makes a join worth while, in milliseconds. */
const WORTHWHILE = 1;

/** Two lots, by their numbers, that could travel together; how, is worked out again for the few that will. */
interface Join {
  readonly saves: number;
  readonly one: number;
  readonly other: number;
}

/**
 * Matches orders to agents, and lets orders from one pickup travel together where that makes the whole cheaper. The
 * worth of an agent in the matching is the saving of one trip less: much when orders outnumber agents, and nothing when
 * agents stand idle. So bundles grow in a rush by themselves.
 */
export function matchInBundles(singles: readonly Lot[], view: RoundView, maker: LotMaker): Matching {
  const { agents, settings } = view;
  const pairs = singles.reduce((sum, { costs }) => sum + costs.length, 0);
  if (pairs > PAIRS_MATCHED_TWICE) return matchLots(gather(singles, view, maker), agents.length);
  const alone = matchLots(singles, agents.length);
  const joins = worthwhileJoins(alone, settings.maxBundle, maker);
  if (joins.length === 0) return alone;
  const together = matchLots(applied(singles, joins, joins.length, maker), agents.length);
  return together.cost < alone.cost ? together : alone;
}

/**
 * Joins orders when there are too many to match again and again: while they outnumber the agents, it joins those that
 * are delayed least by it.
 */
function gather(singles: readonly Lot[], { agents, settings }: RoundView, maker: LotMaker): readonly Lot[] {
  let lots = singles;
  for (let size = 2; size <= settings.maxBundle && lots.length > agents.length; size += 1) {
    const joins = joinsOf(lots, size, (one, other) => -maker.delayOnRoute(maker.route(one, other), one, other));
    lots = applied(lots, joins, lots.length - agents.length, maker);
  }
  return lots;
}

/** Those of the joins that the matching as it is would gain from, by what the usual vehicle takes. */
function worthwhileJoins({ lots, worthOf }: Matching, maxBundle: number, maker: LotMaker): Join[] {
  const paid = new Map(lots.map((lot) => [lot, reducedCost(lot, worthOf)]));
  return joinsOf(lots, maxBundle, (one, other) => {
    const left = paid.get(one)! + paid.get(other)! - maker.leastFetching(one, other, worthOf) - WORTHWHILE;
    const urgency = (weightOf(one) + weightOf(other)) / (one.orders.length + other.orders.length);
    // No detour is quicker than the straight way.
    if (left < urgency * (one.leastOffsetSumMs + other.leastOffsetSumMs)) return undefined;
    const route = maker.route(one, other);
    const most = left - urgency * route.offsetSumMs - route.priceMs;
    if (most < 0) return undefined;
    if (!one.isTimed && !other.isTimed) return most;
    const saves = paid.get(one)! + paid.get(other)! - maker.leastTogether(route, one, other, worthOf) - WORTHWHILE;
    return saves >= 0 ? saves : undefined;
  });
}

/** The best of the joins, `most` at most, without those of lots that are gone by then. */
function applied(lots: readonly Lot[], joins: readonly Join[], most: number, maker: LotMaker): Lot[] {
  const gone = new Uint8Array(lots.length);
  const made: Lot[] = [];
  for (const { one, other } of joins.toSorted(bestFirst)) {
    if (made.length === most) break;
    if (gone[one] === 1 || gone[other] === 1) continue;
    const lot = maker.joined(lots[one]!, lots[other]!);
    if (!hasTaker(lot)) continue;
    gone[one] = 1;
    gone[other] = 1;
    made.push(lot);
  }
  return [...lots.filter((_, number) => gone[number] === 0), ...made];
}

function bestFirst(one: Join, other: Join): number {
  if (one.saves !== other.saves) return one.saves > other.saves ? -1 : 1;
  return one.one - other.one || one.other - other.other;
}

/** The saving of travelling together; undefined where it is not worth while. */
type Judge = (one: Lot, other: Lot) => number | undefined;

/** The joins of lots from one place that lead into much the same direction and are not too much together, as `judge` has it. */
function joinsOf(lots: readonly Lot[], maxBundle: number, judge: Judge): Join[] {
  const bearings = Float64Array.from(lots, bearingOf);
  const joins: Join[] = [];
  for (const group of groupsOf(lots)) {
    const size = group.length;
    group.sort((a, b) => bearings[a]! - bearings[b]! || a - b);
    const steps = Math.min(NEIGHBOURS, Math.floor(size / 2));
    for (let at = 0; at < size; at += 1) {
      for (let step = 1; step <= steps; step += 1) {
        // Half way round, each pair would come twice.
        if (2 * step === size && at >= step) continue;
        const [one, other] = [group[at]!, group[(at + step) % size]!];
        if (lots[one]!.orders.length + lots[other]!.orders.length > maxBundle) continue;
        const saves = judge(lots[one]!, lots[other]!);
        if (saves !== undefined) joins.push({ saves, one, other });
      }
    }
  }
  return joins;
}

/** The numbers of those that are fetched at one place. */
function groupsOf(lots: readonly Lot[]): Iterable<number[]> {
  const groups = new Map<string, number[]>();
  for (const [number, { orders }] of lots.entries()) {
    const { pickupKey } = orders[0]!;
    if (pickupKey === null) continue;
    const group = groups.get(pickupKey);
    if (group) group.push(number);
    else groups.set(pickupKey, [number]);
  }
  return groups.values();
}

function bearingOf({ orders }: Lot): number {
  const [first] = orders;
  const from = startOf(first!);
  const to = first!.dropoff;
  return from && to ? Math.atan2(to.latitude - from.latitude, to.longitude - from.longitude) : 0;
}
