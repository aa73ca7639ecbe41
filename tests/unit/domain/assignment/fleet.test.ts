import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { exceedsCapacity } from '../../../../engine/domain/assignment/eligibility.ts';
import { capacityOfVehicle, type FleetJob, takeJobs } from '../../../../engine/domain/assignment/fleet.ts';
import { sumOf } from '../../../../engine/domain/assignment/load.ts';
import type { FleetVehicle } from '../../../../schema/assignment/courier.ts';

const SEED = 20_261_122;

const BIKE: FleetVehicle = { externalId: 'bike', name: 'B', vehicleType: 'bike', maxWeightKg: 8, maxPackages: 2 };
const VAN: FleetVehicle = { externalId: 'van', name: 'V', vehicleType: 'van', maxWeightKg: 400, maxVolumeM3: 6 };
const TRUCK: FleetVehicle = { externalId: 'truck', name: 'T', vehicleType: 'truck' };
const FLEET = [TRUCK, VAN, BIKE];

const job = (taskId: number, weightKg: number, packages = 1, volumeM3 = 0) => ({
  taskId,
  load: { weightKg, volumeM3, packages },
});
const vehicles = (jobs: readonly FleetJob[]) => jobs.map(({ taskId, vehicle }) => `${taskId} ${vehicle}`);

describe('a fleet', () => {
  test('a fleet sends the smallest vehicle that carries it', () => {
    const wanted = [job(1, 5), job(2, 50), job(3, 900), job(4, 5, 3), job(5, 5, 1, 7)];
    assert.deepEqual(vehicles(takeJobs(FLEET, [], wanted)), ['1 bike', '2 van', '3 truck', '4 van', '5 truck']);
  });

  test('a fleet counts what its vehicles have, and what it has just given them', () => {
    const open = [{ ...job(9, 4), vehicle: 'bike' }];
    assert.deepEqual(vehicles(takeJobs([BIKE, VAN], open, [job(1, 4), job(2, 4)])), ['1 bike', '2 van']);
  });

  test('a fleet leaves out what no vehicle carries, and takes what comes after it', () => {
    assert.deepEqual(vehicles(takeJobs([BIKE], [], [job(1, 9), job(2, 3)])), ['2 bike']);
    assert.deepEqual(takeJobs([], [], [job(1, 1)]), []);
  });

  test('a fleet does not count a task against itself', () => {
    const open = [{ ...job(1, 8), vehicle: 'bike' }];
    assert.deepEqual(vehicles(takeJobs([BIKE], open, [job(1, 8)])), ['1 bike']);
  });

  test('a fleet never gives a vehicle more than it holds, for any tasks in any order, and chooses the same each time', () => {
    const amount = fc.integer({ min: 0, max: 12 });
    const jobs = fc.array(fc.tuple(amount, fc.integer({ min: 1, max: 3 }), amount), { maxLength: 30 });
    const limit = fc.option(fc.integer({ min: 1, max: 20 }), { nil: null });
    const fleets = fc.array(fc.tuple(limit, limit, limit), { maxLength: 6 });
    fc.assert(
      fc.property(jobs, fleets, (loads, limits) => {
        const fleet = limits.map(([maxWeightKg, maxVolumeM3, maxPackages], index) => ({
          ...BIKE,
          externalId: `v${index}`,
          maxWeightKg,
          maxVolumeM3,
          maxPackages,
        }));
        const wanted = loads.map(([weightKg, packages, volumeM3], index) => job(index, weightKg, packages, volumeM3));
        const taken = takeJobs(fleet, [], wanted);
        for (const vehicle of fleet) {
          const own = taken.filter((one) => one.vehicle === vehicle.externalId);
          const nothing = { weightKg: 0, volumeM3: 0, packages: 0 };
          assert.ok(!exceedsCapacity(capacityOfVehicle(vehicle), nothing, sumOf(own.map(({ load }) => load))));
        }
        assert.deepEqual(takeJobs([...fleet].reverse(), [], wanted), taken);
      }),
      { seed: SEED },
    );
  });
});

test('a vehicle that has a task keeps it when it is asked for once more, though a smaller one has become free', () => {
  const load = { weightKg: 5, volumeM3: 0, packages: 1 };
  const named = { name: 'Vera', vehicleType: 'van' };
  const fleet = [
    { ...named, externalId: 'small', maxWeightKg: 10 },
    { ...named, externalId: 'large', maxWeightKg: 50 },
  ];
  const [taken] = takeJobs(fleet, [{ taskId: 1, vehicle: 'large', load }], [{ taskId: 1, load }]);
  assert.equal(taken?.vehicle, 'large');
});
