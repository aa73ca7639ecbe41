/** The planner's view of a round, and its plan. All times are milliseconds since the epoch, distances metres. */

export interface Place {
  readonly latitude: number;
  readonly longitude: number;
}

export interface Trip {
  readonly distanceM: number;
  readonly ms: number;
}

/** How long a vehicle takes; pure, so that a round is the same whenever it is computed. */
export type TravelTime = (from: Place, to: Place, vehicleType: string | null) => Trip;

/** Kilograms, cubic metres and pieces. */
export interface Load {
  readonly weightKg: number;
  readonly volumeM3: number;
  readonly packages: number;
}

/** Null is as much as wanted. */
export interface Capacity {
  readonly maxWeightKg: number | null;
  readonly maxVolumeM3: number | null;
  readonly maxPackages: number | null;
}

/** A span of time, its end not included. */
export interface Slot {
  readonly from: number;
  readonly until: number;
}

/** Where an agent has something to do. */
export interface Stop {
  /** Null for nowhere in particular, which costs no way. */
  readonly place: Place | null;
  /** Not begun before; who is there earlier waits. Minus infinity: at any time. */
  readonly earliest: number;
  readonly serviceMs: number;
  readonly dueAt: number | null;
  /** The customers that wait for it: each of its minutes counts so often. 0 where only goods are fetched. */
  readonly weight: number;
}

/** When somebody works; between two shifts, the end of one that is over. */
export interface Shift {
  readonly endsAt: number;
  /** Nothing is planned into these: no way, no waiting, no service. */
  readonly breaks: readonly Slot[];
  /** Where the last way leads, which ends before the shift does; null: the shift ends with the last service. */
  readonly home: Place | null;
}

/** A task that looks for somebody. */
export interface OpenOrder {
  readonly taskId: number;
  /** Where it is fetched; null when it only has a place to go to. */
  readonly pickup: Place | null;
  /** Null for a task without any place, which costs no way. */
  readonly dropoff: Place | null;
  /** Orders with the same key are fetched at the same place and may travel together; null: alone. */
  readonly pickupKey: string | null;
  /** When it was asked for. */
  readonly placedAt: number;
  /** Since when somebody is looked for, not after now; how long it waits weighs more and more. */
  readonly searchingSince: number;
  /** Not to be fetched before; null is at once. */
  readonly readyAt: number | null;
  /** Not to be served at its place before: who comes earlier waits; null is at any time. */
  readonly windowStart: number | null;
  /** When it should be served at the latest, if anybody said. */
  readonly dueAt: number | null;
  /** Time at the place where it is brought to; null is the usual one of the settings. */
  readonly serviceMs: number | null;
  readonly load: Load;
  readonly requiredSkills: readonly string[];
  /** A scheduled task holds its time alone; null for one that is wanted as soon as may be. */
  readonly slot: Slot | null;
  readonly preferredAgentId: number | null;
  /** Agents that have declined it, or let its offer expire, in this search. */
  readonly declinedBy: readonly number[];
}

/** An agent on duty, as it will be when it is free. */
export interface FreeAgent {
  readonly agentId: number;
  readonly vehicleType: string | null;
  /** Where it is, or will be when it is free. */
  readonly place: Place;
  /** When it is free; not after `now` for one who is idle. */
  readonly freeAt: number;
  /** Stops that it waits for after that: what fits may be done before them, the rest after them. */
  readonly laterStops: readonly Stop[];
  /** Null for an agent that duty alone binds. */
  readonly shift: Shift | null;
  /** When its duty ends; null when nobody said. Nothing is fetched after that. */
  readonly offDutyAt: number | null;
  readonly capacity: Capacity;
  /** The load of its open tasks. */
  readonly load: Load;
  readonly openTasks: number;
  readonly skills: readonly string[];
  /** Held by its scheduled tasks. */
  readonly slots: readonly Slot[];
  /** Its position is too old to use. */
  readonly isStale: boolean;
}

export interface RoundSettings {
  /** Farther from where it is fetched nobody is asked; null is any distance. */
  readonly maxDistanceM: number | null;
  readonly maxTasksPerAgent: number;
  /** Orders that may travel together. */
  readonly maxBundle: number;
  /** Time at the place where it is fetched, and where it is brought to. */
  readonly pickupServiceMs: number;
  readonly dropoffServiceMs: number;
  /** When the next round is: what can wait until then without being fetched later may be held. */
  readonly nextRoundAt: number;
  /** An order that waits so long for an agent who is still busy is given to it at once, to be done after the rest; null: never. */
  readonly maxHoldMs: number | null;
}

export interface RoundView {
  readonly now: number;
  readonly orders: readonly OpenOrder[];
  readonly agents: readonly FreeAgent[];
  readonly settings: RoundSettings;
}

/** Why an agent was passed over; the first that holds, in this order. */
export const PASSED_OVER = [
  'off_duty',
  'off_shift',
  'stale_position',
  'declined',
  'skills',
  'capacity',
  'slot',
  'max_tasks',
  'too_far',
  'ends_before',
  'on_break',
  'chosen_for_another',
  // It is meant for this agent, who is asked later: there are other tasks to do before, or it is not ready yet.
  'busy',
  'not_ready',
] as const;
export type PassedOver = (typeof PASSED_OVER)[number];

/** One agent is to be asked for these tasks, in the order in which they are brought. */
export interface PlannedOffer {
  readonly agentId: number;
  readonly taskIds: readonly number[];
  /** The cost that the plan puts on it: milliseconds, less is better. */
  readonly score: number;
  /** To where the first is fetched. */
  readonly distanceM: number;
  /** Until each of `taskIds` is served, from `now`. */
  readonly etaMs: readonly number[];
  readonly stops: readonly PlannedStop[];
}

/** Where an offer leads. Milliseconds; arrivals are counted from `now`. */
export interface PlannedStop {
  readonly kind: 'pickup' | 'dropoff';
  readonly taskIds: readonly number[];
  readonly arriveMs: number;
  /** For a window that is closed yet, or for what is not ready. */
  readonly waitMs: number;
  /** After what is due: 0 in time. */
  readonly lateMs: number;
}

export interface Unplanned {
  readonly taskId: number;
  /** `held`: somebody is meant for it, who is asked in a later round without it being fetched later. */
  readonly why: 'held' | 'nobody';
  /** How many of the agents were passed over for which reason. */
  readonly counts: Readonly<Partial<Record<PassedOver, number>>>;
  /** The nearest of them one by one, a bounded number. */
  readonly nearest: readonly { readonly agentId: number; readonly reason: PassedOver; readonly distanceM: number }[];
}

export interface RoundPlan {
  readonly offers: readonly PlannedOffer[];
  readonly unplanned: readonly Unplanned[];
}
