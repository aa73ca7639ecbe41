import type { Place, Stop, TravelTime } from '../assignment/round-view.ts';
import { LATE_WEIGHT, latePrice } from './lateness.ts';

/** An agent that sets out. */
export interface Start {
  readonly place: Place;
  readonly at: number;
  readonly vehicleType: string | null;
}

/**
 * An agent's stops in their order with the times of each, and how far each may be put off. The cost of a schedule is the
 * sum of the times until each customer is served, with the price of what is late.
 *
 * Forward time slack: Savelsbergh, "The vehicle routing problem with time windows: minimizing route duration", ORSA
 * Journal on Computing 4 (1992), here with windows whose end has a price; see also Kindervater and Savelsbergh, "Vehicle
 * routing: handling edge exchanges" (1997).
 */
export class Schedule<S extends Stop = Stop> {
  readonly stops: readonly S[];
  readonly start: Start;
  readonly arriveAts: Float64Array;
  readonly beginAts: Float64Array;
  readonly leaveAts: Float64Array;
  /** By how much the beginning of a stop may move back before it or a later one, on time until then, is late. */
  readonly slacks: Float64Array;
  /** How long the agent waits at later stops, all in all. */
  private readonly waitsAfter: Float64Array;
  /** The cost of moving this stop and all later ones back by a moment. */
  private readonly slopes: Float64Array;
  private readonly travel: TravelTime;
  readonly cost: number;

  constructor(start: Start, stops: readonly S[], travel: TravelTime) {
    this.stops = stops;
    this.start = start;
    this.travel = travel;
    const count = stops.length;
    this.arriveAts = new Float64Array(count);
    this.beginAts = new Float64Array(count);
    this.leaveAts = new Float64Array(count);
    this.slacks = new Float64Array(count);
    this.waitsAfter = new Float64Array(count);
    this.slopes = new Float64Array(count);
    let place = start.place;
    let at = start.at;
    let cost = 0;
    for (let index = 0; index < count; index += 1) {
      const stop = stops[index]!;
      this.arriveAts[index] = at + this.wayMs(place, stop.place);
      this.beginAts[index] = Math.max(this.arriveAts[index]!, stop.earliest);
      at = this.beginAts[index]! + stop.serviceMs;
      this.leaveAts[index] = at;
      place = stop.place ?? place;
      cost += this.costOf(stop, this.beginAts[index]!);
    }
    this.cost = cost;
    this.lookBack();
  }

  /** Where the agent is after so many stops, and when it leaves there. */
  placeAfter(stops: number): Place {
    for (let index = stops - 1; index >= 0; index -= 1) {
      const { place } = this.stops[index]!;
      if (place) return place;
    }
    return this.start.place;
  }

  leaveAfter(stops: number): number {
    return stops === 0 ? this.start.at : this.leaveAts[stops - 1]!;
  }

  /** Whether the agent has to wait at this stop. */
  waitsAt(index: number): boolean {
    return this.beginAts[index]! > this.arriveAts[index]!;
  }

  /** The cost of doing these stops, one after the other, before the one at `index`, or after the last. */
  costOfInsertion(index: number, inserted: readonly Stop[]): number {
    let place = this.placeAfter(index);
    let at = this.leaveAfter(index);
    let cost = 0;
    for (const stop of inserted) {
      at = Math.max(at + this.wayMs(place, stop.place), stop.earliest);
      cost += this.costOf(stop, at);
      at += stop.serviceMs;
      place = stop.place ?? place;
    }
    return cost + this.costOfComing(index, place, at);
  }

  /** The cost, for the stop at `index` and those after it, of coming there from another place at another time. */
  costOfComing(index: number, place: Place, at: number): number {
    let cost = 0;
    let leaveAt = at;
    for (let next = index; next < this.stops.length; next += 1) {
      const stop = this.stops[next]!;
      if (stop.place) return cost + this.costOfArriving(next, leaveAt + this.wayMs(place, stop.place));
      // Nowhere in particular: the way to the stop behind it begins at the new place, too.
      const beginAt = Math.max(leaveAt, stop.earliest);
      cost += this.costOf(stop, beginAt) - this.costOf(stop, this.beginAts[next]!);
      leaveAt = beginAt + stop.serviceMs;
    }
    return cost;
  }

  /**
   * The cost, for this stop and those after it, of an arrival at another time: at once where nobody waits any more and
   * nothing comes to be late, else stop by stop until a wait takes it up.
   */
  private costOfArriving(index: number, arriveAt: number): number {
    let cost = 0;
    let at = arriveAt;
    for (let place = index; place < this.stops.length; place += 1) {
      const stop = this.stops[place]!;
      const shift = Math.max(at, stop.earliest) - this.beginAts[place]!;
      if (shift === 0) return cost;
      if (shift > 0 && this.waitsAfter[place] === 0 && shift <= this.slacks[place]!)
        return cost + shift * this.slopes[place]!;
      const beginAt = this.beginAts[place]! + shift;
      cost += this.costOf(stop, beginAt) - this.costOf(stop, this.beginAts[place]!);
      if (place + 1 < this.stops.length) at = this.arriveAts[place + 1]! + shift;
    }
    return cost;
  }

  private lookBack(): void {
    let slack = Number.POSITIVE_INFINITY;
    let [waits, slope] = [0, 0];
    for (let index = this.stops.length - 1; index >= 0; index -= 1) {
      const { dueAt, weight } = this.stops[index]!;
      const beginAt = this.beginAts[index]!;
      // A late stop has its price by the minute already, and no edge to fall from.
      const own = dueAt === null || beginAt > dueAt ? Number.POSITIVE_INFINITY : dueAt - beginAt;
      slack = Math.min(own, slack);
      slope += weight + (dueAt !== null && beginAt > dueAt ? LATE_WEIGHT : 0);
      this.slacks[index] = slack;
      this.slopes[index] = slope;
      this.waitsAfter[index] = waits;
      const wait = beginAt - this.arriveAts[index]!;
      slack += wait;
      waits += wait;
    }
  }

  private costOf({ weight, dueAt }: Stop, beginAt: number): number {
    return weight * (beginAt - this.start.at) + latePrice(beginAt, dueAt, this.start.at);
  }

  private wayMs(from: Place, to: Place | null): number {
    return to && to !== from ? this.travel(from, to, this.start.vehicleType).ms : 0;
  }
}
