import type { OpenOrder, RoundView } from '../assignment/round-view.ts';
import { type Bundle, bundleOf } from './bundle.ts';
import { Itineraries, type Trips } from './itineraries.ts';
import type { LotMaker } from './lot-maker.ts';
import type { Lot, Matching } from './match-lots.ts';

/** How often every order and every trip is looked at again, unless nothing moves before. */
const PASSES = 4;
/** The agents tried for an order: its soonest candidates, and those that fetch there anyway. */
const SOONEST_TRIED = 12;
const VISITORS_TRIED = 12;
/** Itineraries that are worked out in a round, which bounds what it takes. */
const EVALUATIONS = 6_000;
/** The saving that makes a move worth while, in milliseconds. */
const WORTHWHILE = 1;

/**
 * The matching gives each agent one trip; in a rush it does several, and what is best to do first depends on what comes
 * then. So each agent's trip becomes the first of its itinerary, orders left out are put where they delay least, and
 * orders and trips change hands and places as long as that makes the whole cheaper.
 */
export function lookAhead(matching: Matching, singles: readonly Lot[], view: RoundView, maker: LotMaker): Itineraries {
  const itineraries = new Itineraries(matching, view, maker, EVALUATIONS);
  const movable = singles.filter(({ demand }) => !demand.slot).sort(soonestReady);
  const search = new Search(itineraries, movable, view, maker);
  for (let pass = 0; pass < PASSES && search.pass(); pass += 1);
  return itineraries;
}

function soonestReady({ orders: [one], readyAt }: Lot, { orders: [other], readyAt: otherReadyAt }: Lot): number {
  return readyAt === otherReadyAt ? one!.taskId - other!.taskId : readyAt - otherReadyAt;
}

interface Move {
  readonly agent: number;
  readonly trips: Trips;
  readonly cost: number;
}

class Search {
  private readonly itineraries: Itineraries;
  private readonly singles: readonly Lot[];
  private readonly singleOf: ReadonlyMap<OpenOrder, Lot>;
  private readonly view: RoundView;
  private readonly maker: LotMaker;
  /** The agents tried for an order, with its least extra cost for each of them. */
  private readonly tried: number[] = [];
  private readonly addsAtLeast: number[] = [];
  /** An itinerary that is tried; copied only if it is the best so far. */
  private readonly trial: Bundle[] = [];

  constructor(itineraries: Itineraries, singles: readonly Lot[], view: RoundView, maker: LotMaker) {
    this.itineraries = itineraries;
    this.singles = singles;
    this.singleOf = new Map(singles.map((lot) => [lot.orders[0]!, lot]));
    this.view = view;
    this.maker = maker;
  }

  /** Whether anything has moved. */
  pass(): boolean {
    let hasMoved = false;
    for (const single of this.singles) {
      if (this.itineraries.isSpent) return false;
      if (this.replace(single)) hasMoved = true;
    }
    for (let agent = 0; agent < this.view.agents.length; agent += 1) {
      if (this.itineraries.isSpent) return false;
      if (this.exchangeWithOthers(agent)) hasMoved = true;
    }
    return hasMoved;
  }

  /** Takes an order out and puts it where it delays least. */
  private replace(single: Lot): boolean {
    const { itineraries } = this;
    const [order] = single.orders;
    const agent = itineraries.agentFor(order!);
    if (agent === undefined) {
      const move = this.bestPlace(single, Number.POSITIVE_INFINITY);
      if (move) itineraries.set(move.agent, move.trips, move.cost);
      return move !== undefined;
    }
    const [trips, cost] = [itineraries.of(agent), itineraries.costOf(agent)];
    const rest = without(trips, order!, this.view.now);
    const restCost = itineraries.evaluate(agent, rest);
    itineraries.set(agent, rest, restCost);
    const move = this.bestPlace(single, cost - restCost - WORTHWHILE) ?? { agent, trips, cost };
    itineraries.set(move.agent, move.trips, move.cost);
    return move.trips !== trips;
  }

  /** Where the order adds less than `limit`. */
  private bestPlace(single: Lot, limit: number): Move | undefined {
    const { tried, addsAtLeast } = this;
    this.chooseWhomToTry(single);
    let best: Move | undefined;
    let least = limit;
    for (let at = 0; at < tried.length; at += 1) {
      const move = addsAtLeast[at]! < least ? this.bestOf(tried[at]!, single, least) : undefined;
      if (!move) continue;
      best = move;
      least = move.cost - this.itineraries.costOf(move.agent);
    }
    return best;
  }

  /** The soonest agents and those that go there anyway, each with the least extra cost of the order. */
  private chooseWhomToTry({ orders, candidates, costs }: Lot): void {
    const { tried, addsAtLeast } = this;
    let count = 0;
    for (let at = 0; at < costs.length && count < SOONEST_TRIED; at += 1) {
      if (costs[at] === Number.POSITIVE_INFINITY) continue;
      tried[count] = candidates.agents[at]!;
      // Nobody can bring it sooner beside other orders than alone.
      addsAtLeast[count] = costs[at]!;
      count += 1;
    }
    tried.length = count;
    addsAtLeast.length = count;
    const visitors = this.itineraries.visitorsOf(orders[0]!);
    if (!visitors) return;
    const most = tried.length + VISITORS_TRIED;
    for (const agent of visitors) {
      if (tried.includes(agent)) continue;
      if (tried.length === most) return;
      tried.push(agent);
      addsAtLeast.push(0);
    }
  }

  /** Where among its trips the order adds less than `limit`. */
  private bestOf(agent: number, single: Lot, limit: number): Move | undefined {
    const { itineraries, trial } = this;
    const trips = itineraries.of(agent);
    if (isFixed(trips)) return undefined;
    let best: Trips | undefined;
    let least = itineraries.costOf(agent) + limit;
    for (let way = 0; way <= 2 * trips.length; way += 1) {
      if (!this.takeAlong(single, trips, way)) continue;
      const cost = itineraries.evaluate(agent, trial, least);
      if (cost >= least) continue;
      least = cost;
      best = trial.slice();
    }
    return best && { agent, trips: best, cost: least };
  }

  /** Writes to `trial` how the trips look with the order: on one of them, or before one, or after the last. */
  private takeAlong(single: Lot, trips: Trips, way: number): boolean {
    const { trial } = this;
    const isOnTrip = way < trips.length;
    const place = isOnTrip ? way : way - trips.length;
    if (isOnTrip && !this.mayTravelTogether(trips[place]!, single)) return false;
    for (let at = 0; at < place; at += 1) trial[at] = trips[at]!;
    trial[place] = isOnTrip ? bundleOf(this.maker.route(trips[place]!, single).orders, this.view.now) : single;
    const longer = isOnTrip ? 0 : 1;
    for (let at = place + 1 - longer; at < trips.length; at += 1) trial[at + longer] = trips[at]!;
    // Never emptied: an array without elements gives its room back, and takes new the next time.
    trial.length = trips.length + longer;
    return true;
  }

  private mayTravelTogether({ orders }: Bundle, single: Lot): boolean {
    const { pickupKey } = single.orders[0]!;
    return pickupKey !== null && orders[0]!.pickupKey === pickupKey && orders.length < this.view.settings.maxBundle;
  }

  /** With each of those who may take one of its trips: all that comes after some trip, or a single trip. */
  private exchangeWithOthers(agent: number): boolean {
    let hasMoved = false;
    const others = new Set<number>();
    for (const { orders } of this.itineraries.of(agent)) {
      for (const candidate of this.singleOf.get(orders[0]!)?.candidates.agents ?? []) others.add(candidate);
    }
    others.delete(agent);
    for (const other of others) {
      if (this.itineraries.isSpent) break;
      if (this.exchange(agent, other)) hasMoved = true;
    }
    return hasMoved;
  }

  private exchange(one: number, other: number): boolean {
    const { itineraries } = this;
    const [ours, theirs] = [itineraries.of(one), itineraries.of(other)];
    // Ours are not: nobody is asked to exchange for what is scheduled.
    if (isFixed(theirs)) return false;
    const had = itineraries.costOf(one) + itineraries.costOf(other) - WORTHWHILE;
    for (let mine = 0; mine <= ours.length; mine += 1) {
      for (let its = 0; its <= theirs.length; its += 1) {
        if (mine === ours.length && its === theirs.length) continue;
        if (this.exchangeFrom(one, mine, other, its, endsExchanged, had)) return true;
        const isLast = mine === ours.length - 1 && its === theirs.length - 1;
        // The last of both are the ends of both.
        if (mine === ours.length || its === theirs.length || isLast) continue;
        if (this.exchangeFrom(one, mine, other, its, tripsExchanged, had)) return true;
      }
    }
    return false;
  }

  /** If both together cost less than `had` then. */
  private exchangeFrom(one: number, mine: number, other: number, its: number, exchanged: Exchanged, had: number) {
    const { itineraries } = this;
    const [ours, theirs] = [itineraries.of(one), itineraries.of(other)];
    const trips = exchanged(ours, mine, theirs, its);
    const cost = itineraries.evaluate(one, trips, had);
    if (cost >= had) return false;
    const otherTrips = exchanged(theirs, its, ours, mine);
    const otherCost = itineraries.evaluate(other, otherTrips, had - cost);
    if (cost + otherCost >= had) return false;
    itineraries.set(one, trips, cost);
    itineraries.set(other, otherTrips, otherCost);
    return true;
  }
}

/** The rest of `ours`, and the new `theirs`, when the parts from these places on are exchanged. */
type Exchanged = (ours: Trips, mine: number, theirs: Trips, its: number) => Trips;

const endsExchanged: Exchanged = (ours, mine, theirs, its) => {
  const trips = new Array<Bundle>(mine + theirs.length - its);
  for (let at = 0; at < mine; at += 1) trips[at] = ours[at]!;
  for (let at = its; at < theirs.length; at += 1) trips[mine + at - its] = theirs[at]!;
  return trips;
};

const tripsExchanged: Exchanged = (ours, mine, theirs, its) => ours.with(mine, theirs[its]!);

/** A scheduled task is done in its time, in every plan. */
function isFixed(trips: Trips): boolean {
  for (const { demand } of trips) if (demand.slot !== null) return true;
  return false;
}

function without(trips: Trips, order: OpenOrder, now: number): Trips {
  return trips.flatMap((trip): Bundle[] => {
    if (!trip.orders.includes(order)) return [trip];
    const rest = trip.orders.filter((other) => other !== order);
    return rest.length === 0 ? [] : [bundleOf(rest, now)];
  });
}
