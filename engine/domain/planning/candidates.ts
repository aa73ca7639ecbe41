import { absenceOf } from '../assignment/eligibility.ts';
import type { FreeAgent, Place, RoundView, TravelTime, Trip } from '../assignment/round-view.ts';
import { type Fitness, PlaceIndex } from './place-index.ts';

/** An agent that may be asked to come to a place. */
export interface Candidate {
  /** Its place in the view. */
  readonly agent: number;
  readonly distanceM: number;
  /** When it would be there. */
  readonly reachAt: number;
}

/**
 * Many of them: the same index in each list is the same one. A round has tens of thousands, which as objects would be
 * most of what it leaves to the garbage collector.
 */
export interface Candidates {
  readonly agents: readonly number[];
  readonly distancesM: readonly number[];
  readonly reachAts: readonly number[];
}

/** So many agents who are free are looked at, as many who soon will be, and one more for each order that is fetched there. */
const NEAREST = 12;

const NO_WAY: Trip = { distanceM: 0, ms: 0 };

/** The agents of a round by where they are, or will be. */
export class AgentMap {
  private readonly view: RoundView;
  private readonly travel: TravelTime;
  private readonly free: PlaceIndex;
  private readonly busy: PlaceIndex;
  /** By agent, of those that were asked about last. */
  private readonly distancesM: Float64Array;
  private readonly reachAts: Float64Array;

  constructor(view: RoundView, travel: TravelTime) {
    this.view = view;
    this.travel = travel;
    this.distancesM = new Float64Array(view.agents.length);
    this.reachAts = new Float64Array(view.agents.length);
    const members = view.agents.map((_, agent) => agent).filter((agent) => this.takesPart(view.agents[agent]!));
    const isFree = (agent: number) => view.agents[agent]!.freeAt <= view.now;
    this.free = new PlaceIndex(view.agents, members.filter(isFree));
    this.busy = new PlaceIndex(
      view.agents,
      members.filter((agent) => !isFree(agent)),
    );
  }

  /** The nearest of those who are fit, the first to be there first. More of them where many orders are fetched. */
  near(place: Place | null, orders: number, fitness?: Fitness): Candidates {
    const { view, distancesM, reachAts } = this;
    const wanted = NEAREST + orders;
    const agents = this.free.nearest(place, wanted, fitness);
    for (const agent of this.busy.nearest(place, wanted, fitness)) agents.push(agent);
    for (let at = 0; at < agents.length; at += 1) {
      const agent = agents[at]!;
      const who = view.agents[agent]!;
      distancesM[agent] = 0;
      reachAts[agent] = Math.max(view.now, who.freeAt);
      if (place === null) continue;
      const { distanceM, ms } = this.travel(who.place, place, who.vehicleType);
      distancesM[agent] = distanceM;
      reachAts[agent]! += ms;
    }
    agents.sort(this.byReach);
    return { agents, distancesM: picked(distancesM, agents), reachAts: picked(reachAts, agents) };
  }

  candidate(agent: number, place: Place | null): Candidate {
    const who = this.view.agents[agent]!;
    const { distanceM, ms } = this.way(who.place, place, who);
    return { agent, distanceM, reachAt: Math.max(this.view.now, who.freeAt) + ms };
  }

  /** None to an order that has no place. */
  way(from: Place, to: Place | null, { vehicleType }: FreeAgent): Trip {
    return to ? this.travel(from, to, vehicleType) : NO_WAY;
  }

  private takesPart(agent: FreeAgent): boolean {
    const { now, settings } = this.view;
    return !agent.isStale && !absenceOf(agent, now) && agent.openTasks < settings.maxTasksPerAgent;
  }

  /** Only signs: a difference that is no whole number would be an object for each comparison. */
  private readonly byReach = (one: number, other: number): number => {
    const { reachAts, distancesM } = this;
    if (reachAts[one]! !== reachAts[other]!) return reachAts[one]! < reachAts[other]! ? -1 : 1;
    if (distancesM[one]! !== distancesM[other]!) return distancesM[one]! < distancesM[other]! ? -1 : 1;
    return one - other;
  };
}

function picked(values: Float64Array, agents: readonly number[]): number[] {
  const list = new Array<number>(agents.length);
  for (let at = 0; at < agents.length; at += 1) list[at] = values[agents[at]!]!;
  return list;
}
