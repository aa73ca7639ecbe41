import type { FreeAgent, OpenOrder, Place, RoundView } from '../../../engine/domain/assignment/round-view.ts';

const NOW = Date.parse('2031-05-01T12:00:00.000Z');

/** Metres east and north of the middle of the town. */
export function at(eastM: number, northM: number): Place {
  return { latitude: 48.2 + northM / 111_195, longitude: 16.37 + eastM / (111_195 * Math.cos((48.2 * Math.PI) / 180)) };
}

export function agentAt(place: Place, given: Partial<FreeAgent> = {}): FreeAgent {
  return {
    agentId: 1,
    vehicleType: 'car',
    place,
    freeAt: NOW,
    offDutyAt: null,
    capacity: { maxWeightKg: null, maxVolumeM3: null, maxPackages: null },
    load: { weightKg: 0, volumeM3: 0, packages: 0 },
    openTasks: 0,
    skills: [],
    slots: [],
    isStale: false,
    laterStops: [],
    shift: null,
    ...given,
  };
}

export function orderFrom(pickup: Place | null, dropoff: Place | null, given: Partial<OpenOrder> = {}): OpenOrder {
  return {
    taskId: 1,
    pickup,
    dropoff,
    pickupKey: null,
    placedAt: NOW,
    searchingSince: NOW,
    readyAt: null,
    windowStart: null,
    dueAt: null,
    serviceMs: null,
    load: { weightKg: 0, volumeM3: 0, packages: 1 },
    requiredSkills: [],
    slot: null,
    preferredAgentId: null,
    declinedBy: [],
    ...given,
  };
}

export function roundOf(agents: readonly FreeAgent[], orders: readonly OpenOrder[]): RoundView {
  const settings = {
    maxDistanceM: null,
    maxTasksPerAgent: 5,
    maxBundle: 3,
    pickupServiceMs: 0,
    dropoffServiceMs: 0,
    nextRoundAt: NOW,
    maxHoldMs: null,
  };
  return { now: NOW, agents, orders, settings };
}
