import { around } from 'geokdbush';
import KDBush from 'kdbush';
import type { FreeAgent, Place, RoundView, TravelTime, Trip } from './round-view.ts';

/** An agent that may be asked to come to a place. */
export interface Candidate {
  /** Its place in the view. */
  readonly agent: number;
  readonly who: FreeAgent;
  readonly distanceM: number;
  /** When it would be there. */
  readonly reachAt: number;
}

/** Of those who are free, and as many of those who soon will be, beside one for each order that is fetched there. */
const NEAREST = 12;

/** Points of a leaf: each is looked at when the leaf is, and a few are wanted. */
const NODE_SIZE = 16;

/** Who is looked for. Among so many at most, of those who are free and of those who soon will be: what it takes is bounded. */
export interface Fitness {
  readonly isFit: (agent: number) => boolean;
  readonly looks: number;
}

const NO_WAY: Trip = { distanceM: 0, ms: 0 };

/** The agents of a round by where they are, or will be. */
export class AgentMap {
  private readonly view: RoundView;
  private readonly travel: TravelTime;
  private readonly free: PlaceIndex;
  private readonly busy: PlaceIndex;

  constructor(view: RoundView, travel: TravelTime) {
    this.view = view;
    this.travel = travel;
    const members = view.agents.map((_, agent) => agent).filter((agent) => this.takesPart(view.agents[agent]!));
    const isFree = (agent: number) => view.agents[agent]!.freeAt <= view.now;
    this.free = new PlaceIndex(view.agents, members.filter(isFree));
    this.busy = new PlaceIndex(
      view.agents,
      members.filter((agent) => !isFree(agent)),
    );
  }

  /** The nearest of those who are fit, the first to be there first. More of them where many orders are fetched. */
  near(place: Place | null, orders: number, fitness?: Fitness): Candidate[] {
    const wanted = NEAREST + orders;
    const found = [...this.free.nearest(place, wanted, fitness), ...this.busy.nearest(place, wanted, fitness)];
    return found.map((agent) => this.candidate(agent, place)).sort(byReach);
  }

  candidate(agent: number, place: Place | null): Candidate {
    const who = this.view.agents[agent]!;
    const { distanceM, ms } = this.way(who.place, place, who);
    return { agent, who, distanceM, reachAt: Math.max(this.view.now, who.freeAt) + ms };
  }

  /** None to an order that has no place. */
  way(from: Place, to: Place | null, { vehicleType }: FreeAgent): Trip {
    return to ? this.travel(from, to, vehicleType) : NO_WAY;
  }

  private takesPart({ isStale, offDutyAt, openTasks }: FreeAgent): boolean {
    const { now, settings } = this.view;
    return !isStale && (offDutyAt === null || offDutyAt >= now) && openTasks < settings.maxTasksPerAgent;
  }
}

function byReach(one: Candidate, other: Candidate): number {
  return one.reachAt - other.reachAt || one.distanceM - other.distanceM || one.agent - other.agent;
}

/** Some of the agents, to be found by where they are. */
export class PlaceIndex {
  private readonly members: readonly number[];
  private readonly index: KDBush;

  constructor(agents: readonly FreeAgent[], members: readonly number[]) {
    this.members = members;
    this.index = new KDBush(members.length, NODE_SIZE);
    for (const agent of members) this.index.add(agents[agent]!.place.longitude, agents[agent]!.place.latitude);
    this.index.finish();
  }

  /** The nearest first, of those who are fit; without a place, any. */
  nearest(place: Place | null, wanted: number, fitness?: Fitness): number[] {
    const { members } = this;
    if (members.length === 0) return [];
    let looksLeft = fitness?.looks ?? 0;
    const isFit =
      fitness &&
      ((agent: number) => {
        looksLeft -= 1;
        return looksLeft >= 0 && fitness.isFit(agent);
      });
    if (!place) return (isFit ? members.filter(isFit) : members).slice(0, wanted);
    const isFitMember = isFit && ((member: number) => isFit(members[member]!));
    const found = around(this.index, place.longitude, place.latitude, wanted, Number.POSITIVE_INFINITY, isFitMember);
    return found.map((member) => members[member]!);
  }
}
