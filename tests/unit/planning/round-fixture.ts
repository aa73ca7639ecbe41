import type { FreeAgent, OpenOrder, RoundSettings, RoundView } from '../../../engine/domain/assignment/round-view.ts';

export const NOW = 1_700_000_000_000;

const SETTINGS: RoundSettings = {
  maxDistanceM: null,
  maxTasksPerAgent: 5,
  maxBundle: 3,
  pickupServiceMs: 60_000,
  dropoffServiceMs: 60_000,
  nextRoundAt: NOW + 1_000,
  maxHoldMs: null,
};

export function order(fields: Partial<OpenOrder> = {}): OpenOrder {
  return {
    taskId: 1,
    pickup: null,
    dropoff: { latitude: 0, longitude: 0 },
    pickupKey: null,
    placedAt: NOW,
    searchingSince: NOW,
    readyAt: null,
    windowStart: null,
    dueAt: null,
    serviceMs: null,
    load: { weightKg: 1, volumeM3: 0, packages: 1 },
    requiredSkills: [],
    slot: null,
    preferredAgentId: null,
    declinedBy: [],
    ...fields,
  };
}

/** One who is idle, on the equator, so many thousandths of a degree away. */
export function agent(agentId: number, fields: Partial<FreeAgent> = {}): FreeAgent {
  return {
    agentId,
    vehicleType: 'car',
    place: { latitude: 0, longitude: agentId / 1_000 },
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
    ...fields,
  };
}

export function roundView(
  orders: readonly OpenOrder[],
  agents: readonly FreeAgent[],
  settings: Partial<RoundSettings> = {},
): RoundView {
  return { now: NOW, orders, agents, settings: { ...SETTINGS, ...settings } };
}
