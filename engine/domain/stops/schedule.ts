import type { Place, Stop, TravelTime } from '../assignment/round-view.ts';
import { LATE_WEIGHT, latePrice } from './lateness.ts';
import { type Rests, roomBeforeRest, setOutAt } from './rests.ts';

/** An agent that sets out. */
export interface Start {
  readonly place: Place;
  readonly at: number;
  readonly vehicleType: string | null;
  readonly rests: Rests;
}

/**
 * An agent's stops in their order with the times of each, and how far each may be put off. The cost of a schedule is the
 * sum of the times until each customer is served, with the price of what is late.
 *
 * Forward time slack: Savelsbergh, "The vehicle routing problem with time windows: minimizing route duration", ORSA
 * Journal on Computing 4 (1992), here with windows whose end has a price, and with breaks, whose beginning ends the slack;
 * see also Kindervater and Savelsbergh, "Vehicle routing: handling edge exchanges" (1997).
 */
export class Schedule<S extends Stop = Stop> {
  readonly stops: readonly S[];
  readonly start: Start;
  readonly arriveAts: number[] = [];
  readonly beginAts: number[] = [];
  readonly leaveAts: number[] = [];
  readonly cost: number;
  private readonly travel: TravelTime;
  private readonly waysMs: number[] = [];
  private readonly setOutAts: number[] = [];
  private slack: Slack | undefined;

  /** The first `kept` stops are those of `known`, from the same start, with the same times. */
  constructor(start: Start, stops: readonly S[], travel: TravelTime, known?: Schedule<S>, kept = 0) {
    this.stops = stops;
    this.start = start;
    this.travel = travel;
    let place = start.place;
    let at = start.at;
    let cost = 0;
    for (let index = 0; index < stops.length; index += 1) {
      const stop = stops[index]!;
      const wayMs = index < kept ? known!.waysMs[index]! : this.wayMs(place, stop.place);
      const outAt = index < kept ? known!.setOutAts[index]! : setOutAt(start.rests, at, wayMs, stop);
      const arriveAt = outAt + wayMs;
      const beginAt = Math.max(arriveAt, stop.earliest);
      at = beginAt + stop.serviceMs;
      this.waysMs.push(wayMs);
      this.setOutAts.push(outAt);
      this.arriveAts.push(arriveAt);
      this.beginAts.push(beginAt);
      this.leaveAts.push(at);
      place = stop.place ?? place;
      cost += this.costOf(stop, beginAt);
    }
    this.cost = cost;
  }

  /** With further stops before the one at `index`, or after the last. */
  with(index: number, added: readonly S[]): Schedule<S> {
    return new Schedule(this.start, this.stops.toSpliced(index, 0, ...added), this.travel, this, index);
  }

  /** With another stop at `index`. */
  withOther(index: number, stop: S): Schedule<S> {
    return new Schedule(this.start, this.stops.with(index, stop), this.travel, this, index);
  }

  /** Where the agent is after so many stops, and when it leaves there. */
  placeAfter(stops: number): Place {
    return this.placeBefore(stops) ?? this.start.place;
  }

  /** Where it is after all stops when it comes from there. */
  endFrom(place: Place): Place {
    return this.placeBefore(this.stops.length) ?? place;
  }

  private placeBefore(stops: number): Place | undefined {
    for (let index = stops - 1; index >= 0; index -= 1) {
      const { place } = this.stops[index]!;
      if (place) return place;
    }
    return undefined;
  }

  leaveAfter(stops: number): number {
    return stops === 0 ? this.start.at : this.leaveAts[stops - 1]!;
  }

  /** How much later this stop begins than if it might begin at any time: waiting at it, or before a break and the way. */
  waitMs(index: number): number {
    const from = this.leaveAfter(index);
    const wayMs = this.waysMs[index]!;
    const atAnyTime = { earliest: Number.NEGATIVE_INFINITY, serviceMs: this.stops[index]!.serviceMs };
    // Most agents set out at once, and then would do so for the same stop without a time of its own.
    const outAt = this.setOutAts[index] === from ? from : setOutAt(this.start.rests, from, wayMs, atAnyTime);
    return this.beginAts[index]! - (outAt + wayMs);
  }

  /** By how much each stop may begin later before it or a later one comes late, or after a rest that it came before. */
  get slacks(): readonly number[] {
    return this.lookBack().slacks;
  }

  /** The cost of doing these stops, one after the other, before the one at `index`, or after the last. */
  costOfInsertion(index: number, inserted: readonly Stop[]): number {
    let place = this.placeAfter(index);
    let at = this.leaveAfter(index);
    let cost = 0;
    for (const stop of inserted) {
      at = this.beginAt(at, this.wayMs(place, stop.place), stop);
      cost += this.costOf(stop, at);
      at += stop.serviceMs;
      place = stop.place ?? place;
    }
    return cost + this.costOfComing(index, place, at);
  }

  /** The cost, for the stop at `index` and those after it, of coming there from another place at another time. */
  private costOfComing(index: number, place: Place, at: number): number {
    let cost = 0;
    let leaveAt = at;
    for (let next = index; next < this.stops.length; next += 1) {
      const stop = this.stops[next]!;
      if (stop.place) return cost + this.costOfLeaving(next, leaveAt, this.wayMs(place, stop.place));
      // Nowhere in particular: the way to the stop behind it begins at the new place, too.
      const beginAt = this.beginAt(leaveAt, 0, stop);
      cost += this.costOf(stop, beginAt) - this.costOf(stop, this.beginAts[next]!);
      leaveAt = beginAt + stop.serviceMs;
    }
    return cost;
  }

  /** Writes to `coming` what it costs to begin from another place at another time, and when all is done then. */
  come(place: Place, at: number, coming: Float64Array): void {
    const { stops, beginAts } = this;
    let [where, leaveAt, cost] = [place, at, 0];
    for (let index = 0; index < stops.length; index += 1) {
      const stop = stops[index]!;
      const beginAt = this.beginAt(leaveAt, this.wayMs(where, stop.place), stop);
      cost += this.costOf(stop, beginAt) - this.costOf(stop, beginAts[index]!);
      leaveAt = beginAt + stop.serviceMs;
      where = stop.place ?? where;
    }
    coming[0] = cost;
    coming[1] = leaveAt;
  }

  /**
   * The cost, for this stop and those after it, of another way to it that may begin at another time: at once where
   * nobody waits or rests any more and nothing comes to be late, else stop by stop until a wait takes it up.
   */
  private costOfLeaving(index: number, from: number, wayMs: number): number {
    const { slacks, waitsAfter, slopes } = this.lookBack();
    let cost = 0;
    let leaveAt = from;
    for (let place = index; place < this.stops.length; place += 1) {
      const stop = this.stops[place]!;
      const beginAt = this.beginAt(leaveAt, place === index ? wayMs : this.waysMs[place]!, stop);
      const shift = beginAt - this.beginAts[place]!;
      if (shift === 0) return cost;
      if (shift > 0 && waitsAfter[place] === 0 && shift <= slacks[place]!) return cost + shift * slopes[place]!;
      cost += this.costOf(stop, beginAt) - this.costOf(stop, this.beginAts[place]!);
      leaveAt = beginAt + stop.serviceMs;
    }
    return cost;
  }

  private lookBack(): Slack {
    this.slack ??= this.slackOf();
    return this.slack;
  }

  private slackOf(): Slack {
    const { stops, start, waysMs } = this;
    const [slacks, waitsAfter, slopes] = [0, 0, 0].map(() => new Array<number>(stops.length)) as [
      number[],
      number[],
      number[],
    ];
    let room = Number.POSITIVE_INFINITY;
    let [waits, slope] = [0, 0];
    for (let index = stops.length - 1; index >= 0; index -= 1) {
      const { dueAt, weight } = stops[index]!;
      const beginAt = this.beginAts[index]!;
      // A late stop has its price by the minute already, and no edge to fall from.
      const own = dueAt === null || beginAt > dueAt ? Number.POSITIVE_INFINITY : dueAt - beginAt;
      room = Math.min(own, room, roomBeforeRest(start.rests, beginAt - waysMs[index]!, this.leaveAts[index]!));
      slope += weight + (dueAt !== null && beginAt > dueAt ? LATE_WEIGHT : 0);
      slacks[index] = room;
      slopes[index] = slope;
      waitsAfter[index] = waits;
      // Where it waits, and before where it rests.
      const wait = beginAt - this.arriveAts[index]! + this.setOutAts[index]! - this.leaveAfter(index);
      room += wait;
      waits += wait;
    }
    return { slacks, waitsAfter, slopes };
  }

  private beginAt(from: number, wayMs: number, stop: Stop): number {
    return Math.max(setOutAt(this.start.rests, from, wayMs, stop) + wayMs, stop.earliest);
  }

  private costOf({ weight, dueAt }: Stop, beginAt: number): number {
    return weight * (beginAt - this.start.at) + latePrice(beginAt, dueAt, this.start.at);
  }

  private wayMs(from: Place, to: Place | null): number {
    return to && to !== from ? this.travel(from, to, this.start.vehicleType).ms : 0;
  }
}

/** The room that each stop of a schedule leaves. */
interface Slack {
  readonly slacks: readonly number[];
  /** How long the agent waits or rests before later stops, all in all. */
  readonly waitsAfter: readonly number[];
  /** The cost of moving this stop and all later ones back by a moment. */
  readonly slopes: readonly number[];
}
