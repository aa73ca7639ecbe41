import type { FreeAgent, OpenOrder, Place, RoundView } from '../../engine/domain/assignment/round-view.ts';
import { LIMITS } from '../../schema/limits.ts';
import { seededNumbers } from '../scenarios/seeded-numbers.ts';

/**
 * Uniform: restaurants, doors and agents anywhere in the city. Clustered: most of them around a few centres. Depot: all
 * tasks are fetched at one place, with nearly all agents near it, so that hardly anything tells them apart.
 */
export const CITY_SHAPES = ['uniform', 'clustered', 'depot'] as const;
export type CityShape = (typeof CITY_SHAPES)[number];

export interface RoundSize {
  readonly agents: number;
  readonly tasks: number;
}

type Draw = (bound: number) => number;

const NOW = Date.UTC(2025, 0, 6, 12);
const MINUTE_MS = 60_000;
const CENTER: Place = { latitude: 52.52, longitude: 13.405 };
/** About 11 km to each side. */
const CITY_DEGREES = 0.1;
const CENTRES = 12;
const TASKS_PER_PICKUP = 5;
const VEHICLES = ['bicycle', 'scooter', 'car', null] as const;

/** A round in the middle of a busy day: idle agents and those soon free, skills, loads, ends of shifts, refusals. */
export function madeUpRound({ agents, tasks }: RoundSize, shape: CityShape, seed: number): RoundView {
  const draw = seededNumbers(seed);
  const centres = listOf(CENTRES, () => near(CENTER, CITY_DEGREES, draw));
  const anywhere = () => near(CENTER, CITY_DEGREES, draw);
  const inCity = () => (shape === 'clustered' && draw(5) > 0 ? near(pick(centres, draw), 0.01, draw) : anywhere());
  const pickups = listOf(shape === 'depot' ? 1 : Math.ceil(tasks / TASKS_PER_PICKUP), inCity);
  const agentPlace = () => (shape === 'depot' && draw(10) > 0 ? near(pickups[0]!, 0.005, draw) : inCity());
  return {
    now: NOW,
    orders: listOf(tasks, (taskId) => {
      const pickup = draw(pickups.length);
      return madeUpOrder({ taskId, pickup: pickups[pickup]!, key: `p${pickup}`, dropoff: inCity() }, agents, draw);
    }),
    agents: listOf(agents, (agentId) => madeUpAgent(agentId, agentPlace(), draw)),
    settings: {
      maxDistanceM: null,
      maxTasksPerAgent: 5,
      maxBundle: 3,
      pickupServiceMs: 4 * MINUTE_MS,
      dropoffServiceMs: 4 * MINUTE_MS,
      nextRoundAt: NOW + MINUTE_MS / 2,
      maxHoldMs: LIMITS.holdMs,
    },
  };
}

interface Errand {
  readonly taskId: number;
  readonly pickup: Place;
  readonly key: string;
  readonly dropoff: Place;
}

function madeUpOrder({ taskId, pickup, key, dropoff }: Errand, agents: number, draw: Draw): OpenOrder {
  const placedAt = NOW - draw(30 * MINUTE_MS);
  const readyAt = draw(4) === 0 ? null : placedAt + draw(25 * MINUTE_MS);
  const load = { weightKg: 1 + draw(8), volumeM3: draw(40) / 1_000, packages: 1 + draw(2) };
  const requiredSkills = draw(10) === 0 ? ['cold'] : [];
  const slot = draw(20) === 0 ? { from: NOW + draw(60 * MINUTE_MS), until: NOW + 90 * MINUTE_MS } : null;
  return {
    taskId,
    pickup,
    dropoff,
    // Scheduled tasks travel alone.
    pickupKey: slot ? null : key,
    placedAt,
    searchingSince: placedAt,
    readyAt,
    windowStart: null,
    dueAt: placedAt + 40 * MINUTE_MS,
    serviceMs: null,
    load,
    requiredSkills,
    slot,
    preferredAgentId: draw(50) === 0 ? draw(agents) : null,
    declinedBy: draw(5) === 0 ? [draw(agents)] : [],
  };
}

function madeUpAgent(agentId: number, place: Place, draw: Draw): FreeAgent {
  const isBusy = draw(5) < 2;
  return {
    agentId,
    vehicleType: pick(VEHICLES, draw),
    place,
    freeAt: isBusy ? NOW + draw(25 * MINUTE_MS) : NOW,
    offDutyAt: draw(2) === 0 ? null : NOW + (10 + draw(300)) * MINUTE_MS,
    capacity: { maxWeightKg: 15 + draw(100), maxVolumeM3: null, maxPackages: 4 + draw(8) },
    load: isBusy ? { weightKg: 3, volumeM3: 0.01, packages: 1 } : { weightKg: 0, volumeM3: 0, packages: 0 },
    openTasks: isBusy ? 1 : 0,
    skills: draw(3) === 0 ? ['cold'] : [],
    slots: draw(10) === 0 ? [{ from: NOW + 30 * MINUTE_MS, until: NOW + 60 * MINUTE_MS }] : [],
    laterStops: [],
    shift: null,
    isStale: draw(30) === 0,
  };
}

function near({ latitude, longitude }: Place, degrees: number, draw: Draw): Place {
  const offset = () => (draw(2_000_001) / 1_000_000 - 1) * degrees;
  return { latitude: latitude + offset(), longitude: longitude + offset() * 1.6 };
}

function pick<Item>(items: readonly Item[], draw: Draw): Item {
  return items[draw(items.length)]!;
}

function listOf<Item>(length: number, make: (index: number) => Item): Item[] {
  return Array.from({ length }, (_, index) => make(index));
}
