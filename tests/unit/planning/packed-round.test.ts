import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { FreeAgent, OpenOrder } from '../../../engine/domain/assignment/round-view.ts';
import { packRound, unpackRound } from '../../../engine/planning/packed-round.ts';
import { roundView } from './round-fixture.ts';

const SEED = 20_261_122;

const number = fc.double({ noNaN: true, noDefaultInfinity: true });
const id = fc.nat();
const place = fc.record({ latitude: number, longitude: number });
const slot = fc.record({ from: number, until: number });
const load = fc.record({ weightKg: number, volumeM3: number, packages: number });
// Few of them, so that many come twice.
const text = fc.constantFrom('', 'cold', 'heavy', 'a,b');

const orders: fc.Arbitrary<OpenOrder> = fc.record({
  taskId: id,
  pickup: fc.option(place),
  dropoff: fc.option(place),
  pickupKey: fc.option(text),
  placedAt: number,
  searchingSince: number,
  readyAt: fc.option(number),
  windowStart: fc.option(number),
  dueAt: fc.option(number),
  serviceMs: fc.option(number),
  load,
  requiredSkills: fc.array(text),
  slot: fc.option(slot),
  preferredAgentId: fc.option(id),
  declinedBy: fc.array(id),
});

const agents: fc.Arbitrary<FreeAgent> = fc.record({
  agentId: id,
  vehicleType: fc.option(text),
  place,
  freeAt: number,
  offDutyAt: fc.option(number),
  capacity: fc.record({
    maxWeightKg: fc.option(number),
    maxVolumeM3: fc.option(number),
    maxPackages: fc.option(number),
  }),
  load,
  openTasks: id,
  skills: fc.array(text),
  slots: fc.array(slot),
  isStale: fc.boolean(),
  laterStops: fc.array(
    fc.record({
      place: fc.option(place),
      earliest: fc.oneof(number, fc.constant(Number.NEGATIVE_INFINITY)),
      serviceMs: number,
      dueAt: fc.option(number),
      weight: fc.nat(1),
    }),
  ),
  shift: fc.option(fc.record({ endsAt: number, breaks: fc.array(slot), home: fc.option(place) })),
});

test('a round that was packed and copied is the same unpacked', () => {
  fc.assert(
    fc.property(fc.array(orders), fc.array(agents), fc.option(number), (someOrders, someAgents, maxDistanceM) => {
      const view = roundView(someOrders, someAgents, { maxDistanceM });
      const input = { view, trips: null, mode: 'sequential' } as const;
      assert.deepEqual(unpackRound(structuredClone(packRound(input))), structuredClone(input));
    }),
    { seed: SEED },
  );
});

test('a round of more than fits the first room is the same unpacked', () => {
  const [order] = fc.sample(orders, { numRuns: 1, seed: SEED });
  const view = roundView(
    Array.from({ length: 1_000 }, (_, taskId) => ({ ...order!, taskId })),
    [],
  );
  const input = { view, trips: null, mode: 'broadcast' } as const;
  assert.deepEqual(unpackRound(structuredClone(packRound(input))), structuredClone(input));
});
