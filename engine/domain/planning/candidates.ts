import { type Fitness, PlaceIndex } from './place-index.ts';
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
    const found: Candidate[] = [];
    for (const agent of this.free.nearest(place, wanted, fitness)) found.push(this.candidate(agent, place));
    for (const agent of this.busy.nearest(place, wanted, fitness)) found.push(this.candidate(agent, place));
    return found.sort(byReach);
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

/** Only signs: a difference that is no whole number would be an object for each comparison. */
function byReach(one: Candidate, other: Candidate): number {
  if (one.reachAt !== other.reachAt) return one.reachAt < other.reachAt ? -1 : 1;
  if (one.distanceM !== other.distanceM) return one.distanceM < other.distanceM ? -1 : 1;
  return one.agent - other.agent;
}
