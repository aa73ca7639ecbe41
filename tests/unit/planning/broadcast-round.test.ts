import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FreeAgent, OpenOrder } from '../../../engine/domain/assignment/round-view.ts';
import { straightTravel } from '../../../engine/domain/travel/straight-travel.ts';
import { broadcastRound } from '../../../engine/planning/broadcast-round.ts';
import { LIMITS } from '../../../schema/limits.ts';
import { agent, NOW, order, roundView } from './round-fixture.ts';

const agents = (...fields: readonly Partial<FreeAgent>[]) => fields.map((each, index) => agent(index + 1, each));

test('a broadcast asks the soonest agents, and leaves out the others when there are too many', () => {
  const late = agent(1, { freeAt: NOW + 3_600_000 });
  const view = roundView([order()], [agent(4), agent(3), late, agent(2)]);
  const { offers, unplanned } = broadcastRound(view, straightTravel, 3);
  assert.deepEqual([offers.map(({ agentId }) => agentId), unplanned], [[2, 3, 4], []]);
  assert.deepEqual(broadcastRound(view, straightTravel).offers.at(-1)?.agentId, 1, 'a late one is better than nobody');
});

test('a round asks a limited number of agents in all, and the orders that are left wait for the next one', () => {
  const atOnce = LIMITS.broadcastOffers / 2;
  const orders = [1, 2, 3].map((taskId) => order({ taskId }));
  const all = Array.from({ length: atOnce }, (_, index) => agent(index + 1));
  const { offers, unplanned } = broadcastRound(roundView(orders, all), straightTravel, atOnce);
  assert.equal(offers.length, LIMITS.broadcastOffers);
  assert.deepEqual(unplanned, [{ taskId: 3, why: 'held', counts: {}, nearest: [] }]);
});

test('the preferred agent is asked first, however far away', () => {
  const view = roundView([order({ preferredAgentId: 9 })], [agent(1), agent(9), agent(2)]);
  const { offers } = broadcastRound(view, straightTravel, 2);
  assert.deepEqual(
    offers.map(({ agentId }) => agentId),
    [9, 1],
  );
});

const REFUSED: readonly (readonly [reason: string, agent: Partial<FreeAgent>, order: Partial<OpenOrder>])[] = [
  ['stale_position', { isStale: true }, {}],
  ['declined', {}, { declinedBy: [1] }],
  ['skills', { skills: ['cold'] }, { requiredSkills: ['cold', 'heavy'] }],
  [
    'capacity',
    { capacity: { maxWeightKg: 5, maxVolumeM3: null, maxPackages: null } },
    { load: { weightKg: 6, volumeM3: 0, packages: 1 } },
  ],
  ['slot', { slots: [{ from: NOW, until: NOW + 10 }] }, { slot: { from: NOW + 9, until: NOW + 20 } }],
  ['max_tasks', { openTasks: 5 }, {}],
  ['too_far', { place: { latitude: 1, longitude: 0 } }, {}],
  ['off_duty', { offDutyAt: NOW - 1 }, {}],
  ['ends_before', { offDutyAt: NOW + 1 }, {}],
];

for (const [reason, ofAgent, ofOrder] of REFUSED) {
  test(`an agent that is passed over for ${reason} is not asked, and the reason is reported`, () => {
    const view = roundView([order(ofOrder)], agents(ofAgent), { maxDistanceM: 10_000 });
    const { offers, unplanned } = broadcastRound(view, straightTravel);
    assert.deepEqual(offers, []);
    const [{ why, counts, nearest }] = unplanned as [(typeof unplanned)[number]];
    assert.deepEqual([why, counts, nearest.map((one) => one.reason)], ['nobody', { [reason]: 1 }, [reason]]);
  });
}

test('an offer says how far it is and when the task will be done, the wait for what is not ready included', () => {
  const places = { pickup: { latitude: 0, longitude: 0 }, dropoff: { latitude: 0, longitude: 0.01 } };
  const nextRoundAt = NOW + 3_600_000;
  const view = roundView([order({ ...places, readyAt: NOW + 3_600_000 })], [agent(1)], { nextRoundAt });
  const [offer] = broadcastRound(view, straightTravel).offers;
  const wayMs = straightTravel(places.pickup, places.dropoff, 'car').ms;
  assert.ok(Math.abs(offer!.distanceM - 111) < 1, String(offer!.distanceM));
  assert.deepEqual(offer!.etaMs.map(Math.round), [Math.round(3_600_000 + 60_000 + wayMs)]);
});

const HOUR = 3_600_000;
const east = (thousandths: number) => ({ latitude: 0, longitude: thousandths / 1_000 });

for (const [what, fields] of [
  ['whose window opens later', { dropoff: east(10), windowStart: NOW + HOUR }],
  ['that is fetched later', { pickup: east(10), dropoff: east(13.7), readyAt: NOW + HOUR }],
] as const)
  test(`a broadcast for an order ${what} asks nobody before one of them would be late for it`, () => {
    const waysMs = [agent(1), agent(50)].map(({ place }) => straightTravel(place, east(10), 'car').ms);
    const round = (nextRoundAt: number, some: readonly FreeAgent[] = [agent(1), agent(50)]) =>
      broadcastRound(roundView([order(fields)], some, { nextRoundAt }), straightTravel);
    const needsAt = NOW + HOUR - Math.max(...waysMs);
    const { offers, unplanned } = round(needsAt - 1_000);
    const [{ why, counts, nearest }] = unplanned as [(typeof unplanned)[number]];
    assert.deepEqual([offers, why, counts], [[], 'held', { not_ready: 2 }]);
    assert.deepEqual(
      nearest.map(({ agentId, reason }) => [agentId, reason]),
      [
        [1, 'not_ready'],
        [50, 'not_ready'],
      ],
    );
    assert.equal(round(needsAt + 1_000).offers.length, 2, 'the far one would be late');
    assert.equal(round(needsAt + 1_000, [agent(1)]).offers.length, 0);
  });

test('a broadcast for an order that is ready asks the only agent also when it is busy for long', () => {
  const busy = agent(1, { freeAt: NOW + HOUR });
  assert.equal(broadcastRound(roundView([order()], [busy]), straightTravel).offers.length, 1);
  const later = roundView([order({ windowStart: NOW + HOUR })], [busy]);
  assert.deepEqual(broadcastRound(later, straightTravel).unplanned[0]?.counts, { not_ready: 1 });
});

for (const what of ['fetched', 'served'] as const)
  test(`an offer of a scheduled task says that it is ${what} at its time`, () => {
    const places = { pickup: { latitude: 0, longitude: 0 }, dropoff: { latitude: 0, longitude: 0.01 } };
    const slot = { from: NOW + 3_600_000, until: NOW + 4_200_000 };
    const view = roundView(
      [order({ ...(what === 'fetched' ? places : {}), slot, windowStart: slot.from })],
      [agent(1)],
    );
    const [offer] = broadcastRound(view, straightTravel).offers;
    const afterMs = what === 'fetched' ? 60_000 + straightTravel(places.pickup, places.dropoff, 'car').ms : 0;
    assert.deepEqual(offer!.etaMs.map(Math.round), [Math.round(3_600_000 + afterMs)]);
  });
