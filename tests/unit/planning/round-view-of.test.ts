import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FreeAgent } from '../../../engine/domain/assignment/round-view.ts';
import { planRound } from '../../../engine/domain/planning/plan-round.ts';
import { straightTravel } from '../../../engine/domain/travel/straight-travel.ts';
import { type RoundFacts, roundViewOf } from '../../../engine/planning/round-view-of.ts';
import type { AgentOnDuty, CarriedTask, SoughtTask } from '../../../engine/store/planning/round-store.ts';
import type { SavedPosition } from '../../../engine/store/positions/position-store.ts';
import { assignmentSettingsOf } from '../../../schema/assignment/assignment.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { NOW } from './round-fixture.ts';

const iso = (ms: number) => new Date(ms).toISOString();

const TASK = {
  taskId: 1,
  status: 'new',
  timeToServe: 'asap',
  scheduledAt: null,
  estimatedDuration: null,
  createdAt: iso(NOW - 3_600_000),
  readyAt: null,
  windowStart: null,
  windowEnd: null,
  latitude: 1,
  longitude: 2,
  pickupLatitude: null,
  pickupLongitude: null,
  weightKg: 3,
  volumeM3: 4,
  packages: 5,
} as const;

function sought(fields: Partial<SoughtTask> = {}): SoughtTask {
  const begun = { since: iso(NOW - 300_000), startsAt: null, until: iso(NOW + 600_000) };
  const search = { ...begun, attempts: 2, open: [], lacking: null, notedAt: null, rejectedBy: [7], expiredBy: [8] };
  const none = { requiredSkills: null, preferredAgentId: null, isJob: false };
  return { ...TASK, ...none, search, ...fields };
}

function carried(fields: Partial<CarriedTask> = {}): CarriedTask {
  return {
    ...TASK,
    status: 'accepted',
    agentId: 1,
    assignedAt: iso(NOW),
    arrivedAt: null,
    pickupArrivedAt: null,
    pickedUpAt: null,
    ...fields,
  };
}

function onDuty(fields: Partial<AgentOnDuty> = {}): AgentOnDuty {
  return { agentId: 1, vehicle: null, skills: [], shifts: null, home: null, ...fields };
}

function position(agentId: number, ageMs = 0): SavedPosition {
  const device = { accuracy: 1, speed: 0, heading: 0, altitude: 0, battery: 1 };
  return { agentId, recordedAtMs: NOW - ageMs, receivedAtMs: NOW, heardAtMs: 0, latitude: 1, longitude: 2, ...device };
}

function seenBy(facts: Partial<RoundFacts>) {
  const settings = { ...assignmentSettingsOf({}), searchTimeoutSeconds: 900 };
  return roundViewOf(
    { tasks: [], agents: [], carried: [], knowsCarried: true, positions: [], settings, now: NOW, ...facts },
    straightTravel,
  );
}

test('an order whose search does not say since when it looks has been looked for since it was made', () => {
  const { since: _since, ...search } = sought().search!;
  const [order] = seenBy({ tasks: [sought({ search })] }).view.orders;
  assert.equal(order!.searchingSince, NOW - 3_600_000);
});

test('an order has been looked for since its search began, and its decliners are all who said no or nothing', () => {
  const [order] = seenBy({ tasks: [sought()] }).view.orders;
  const { searchingSince, declinedBy, load, dropoff, pickup, slot, dueAt } = order!;
  assert.deepEqual([searchingSince, declinedBy], [NOW - 300_000, [7, 8]]);
  assert.deepEqual(
    [load, dropoff],
    [
      { weightKg: 3, volumeM3: 4, packages: 5 },
      { latitude: 1, longitude: 2 },
    ],
  );
  // As soon as may be is within a day.
  assert.deepEqual([pickup, slot, dueAt], [null, null, NOW - 3_600_000 + 86_400_000]);
});

test('rows that were seen before give the same view as new ones, regardless of the earlier time', () => {
  const search = { ...sought().search!, since: iso(NOW + 60_000) };
  const facts = {
    tasks: [sought(), sought({ taskId: 2, search }), sought({ taskId: 3, pickupLatitude: 3, pickupLongitude: 4 })],
    agents: [onDuty({ shifts: [{ startsAt: iso(NOW), endsAt: iso(NOW + 60_000), breaks: [] }] })],
    carried: [carried({ taskId: 4, readyAt: iso(NOW + 30_000), pickupLatitude: 1, pickupLongitude: 2 })],
    positions: [position(1)],
  };
  for (const now of [NOW + 90_000, NOW, NOW + 30_000, NOW + 90_000]) {
    const seen = seenBy({ ...facts, now });
    assert.deepEqual(seen, seenBy({ ...structuredClone(facts), now }));
    assert.equal(seen.view.orders[1]!.searchingSince, Math.min(now, NOW + 60_000));
  }
});

test('orders of the same pickup place are grouped by it, except those with a time slot of their own', () => {
  const there = { pickupLatitude: 51.5000004, pickupLongitude: -0.2 };
  const here = { pickupLatitude: 51.4999998, pickupLongitude: -0.2 };
  const scheduled = { timeToServe: 'scheduled', scheduledAt: iso(NOW + 60_000) } as const;
  const { orders } = seenBy({ tasks: [sought(there), sought(here), sought({ ...there, ...scheduled })] }).view;
  assert.deepEqual(
    orders.map(({ pickupKey }) => pickupKey),
    ['51.50000,-0.20000', '51.50000,-0.20000', null],
  );
  assert.deepEqual(orders[2]!.slot, { from: NOW + 60_000, until: NOW + 60_000 + 3_600_000 });
});

test('an agent brings what it carries, and takes part where and when it has done that', () => {
  const agents = [
    onDuty({ vehicle: { type: 'van', maxWeightKg: 9, maxVolumeM3: null, maxPackages: null }, skills: ['cold'] }),
    onDuty({ agentId: 2 }),
  ];
  const later = carried({
    taskId: 2,
    timeToServe: 'scheduled',
    scheduledAt: iso(NOW + 7_200_000),
    estimatedDuration: 10,
  });
  const seen = seenBy({
    agents,
    carried: [carried({ longitude: 2.01 }), later],
    positions: [position(1), position(2)],
  });
  const [busy, idle] = seen.view.agents;
  const wayMs = straightTravel({ latitude: 1, longitude: 2 }, { latitude: 1, longitude: 2.01 }, 'van').ms;
  assert.deepEqual([busy!.freeAt, busy!.place.longitude], [NOW + wayMs + 180_000, 2.01]);
  assert.deepEqual([busy!.openTasks, busy!.load], [2, { weightKg: 6, volumeM3: 8, packages: 10 }]);
  assert.deepEqual(busy!.slots, [{ from: NOW + 7_200_000, until: NOW + 7_800_000 }]);
  assert.deepEqual([busy!.capacity.maxWeightKg, busy!.skills], [9, ['cold']]);
  assert.deepEqual([idle!.freeAt, idle!.openTasks, idle!.vehicleType, idle!.slots], [NOW, 0, null, []]);
});

test('an agent that has left a door does the rest before it comes back there, from where it is', () => {
  const at = { status: 'in_transit', arrivedAt: iso(NOW - 60_000) } as const;
  const left = carried({ ...at, longitude: 2.1, estimatedDuration: 30, windowStart: iso(NOW + 7_200_000) });
  const others = [left, carried({ taskId: 2, longitude: 2.01, status: 'in_transit' })];
  const wayMs = straightTravel({ latitude: 1, longitude: 2 }, { latitude: 1, longitude: 2.01 }, null).ms;
  const freeOf = (ageMs: number) => {
    const [{ freeAt, place }] = seenBy({ agents: [onDuty()], carried: others, positions: [position(1, ageMs)] }).view
      .agents as [FreeAgent];
    return [Math.round(freeAt - NOW), place.longitude];
  };
  assert.deepEqual(freeOf(0), [Math.round(wayMs + 180_000), 2.01]);
  assert.deepEqual(freeOf(60_000), [0, 2.1], 'before it was seen elsewhere');
});

test('an agent with too old a position is stale, and one without any takes no part but is named', () => {
  const agents = [1, 2, 3].map((agentId) => onDuty({ agentId }));
  const { view, unlocated } = seenBy({ agents, positions: [position(1), position(2, LIMITS.positionStaleMs + 1)] });
  assert.deepEqual(
    view.agents.map(({ agentId, isStale }) => [agentId, isStale]),
    [
      [1, false],
      [2, true],
    ],
  );
  assert.deepEqual(unlocated, [3]);
});

const span = (from: number, until: number) => ({ startsAt: iso(minute(from)), endsAt: iso(minute(until)) });
const minute = (of: number) => NOW + of * 60_000;
/** It lasts for ten hours more; the next shift is tomorrow. */
const TODAY = { ...span(-60, 600), breaks: [] };
const SHIFTS = [TODAY, { ...span(1_380, 1_980), breaks: [] }];
const AWAY = { address: null, latitude: 1, longitude: 2.1 };
const TOMORROW = { windowStart: iso(minute(1_500)) };
const LONG = { windowStart: iso(minute(590)), estimatedDuration: 20 };

for (const [what, held, agent, wish, outcome] of [
  ['waits for a window of its next shift', TOMORROW, {}, {}, 'offered'],
  ['waits for a scheduled time of its next shift', { scheduledAt: iso(minute(1_500)) }, {}, {}, 'offered'],
  ['waits for what is ready in its next shift', { readyAt: iso(minute(1_500)) }, {}, {}, 'offered'],
  ['holds what ends after its shift', LONG, {}, {}, 'offered'],
  ['holds what ends after its shift', LONG, {}, { longitude: 2.1 }, 'offered'],
  ['holds what ends after its shift', LONG, {}, { windowStart: iso(minute(588)) }, 'ends_before'],
  ['holds what ends after its shift', LONG, {}, { windowStart: iso(minute(599)) }, 'ends_before'],
  ['holds what ends with its shift, far from home', { ...LONG, estimatedDuration: 10 }, { home: AWAY }, {}, 'offered'],
  ['waits for its next shift', TOMORROW, { home: AWAY }, { windowStart: iso(minute(590)) }, 'ends_before'],
] as const)
  test(`an agent that ${what} takes part in its shift: ${outcome}, ${JSON.stringify(wish)}`, () => {
    const time = 'scheduledAt' in held ? ({ timeToServe: 'scheduled' } as const) : {};
    const { view } = seenBy({
      tasks: [sought({ taskId: 2, estimatedDuration: 5, ...wish })],
      agents: [onDuty({ shifts: SHIFTS, ...agent })],
      carried: [carried({ pickupLatitude: 1, pickupLongitude: 2, ...time, ...held })],
      positions: [position(1)],
    });
    const { offers, unplanned } = planRound(view, straightTravel);
    const found = offers.length > 0 ? 'offered' : Object.keys(unplanned[0]!.counts).join();
    assert.equal(found, outcome);
  });

test('an agent waits in its shift for those stops alone that it begins in it', () => {
  const held = [300, 1_500].map((of, index) => carried({ taskId: index + 1, windowStart: iso(minute(of)) }));
  const [agent] = seenBy({ agents: [onDuty({ shifts: SHIFTS })], carried: held, positions: [position(1)] }).view.agents;
  assert.deepEqual(
    agent!.laterStops.map(({ earliest }) => earliest),
    [minute(300)],
  );
});

test('an agent is free before a break after which a stop soon has its time', () => {
  const shifts = [{ ...TODAY, breaks: [span(180, 210)] }];
  const freeWith = (fields: Partial<CarriedTask>) => {
    const held = [carried({ longitude: 2.01, ...fields })];
    const [agent] = seenBy({ agents: [onDuty({ shifts })], carried: held, positions: [position(1)] }).view.agents;
    return [agent!.freeAt === NOW, agent!.laterStops.length];
  };
  assert.deepEqual(freeWith({ windowStart: iso(minute(211)) }), [true, 1]);
  assert.deepEqual(freeWith({ estimatedDuration: 180 }), [false, 0], 'with too long a stop to be done before');
});
