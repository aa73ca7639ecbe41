import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { etaAtMs, hasNews } from '../../../../engine/domain/travel/eta.ts';
import { LIMITS } from '../../../../schema/limits.ts';

const SEED = 20_261_122;

const NOW = Date.parse('2031-05-01T12:00:00.000Z');
const MINUTE = 60_000;
const minutesFor = (meters: number, vehicle: string | null) => (etaAtMs(meters, vehicle, NOW) - NOW) / MINUTE;
const TYPES = ['foot', 'bicycle', 'bike', 'scooter', 'motorcycle', 'car', 'van', 'truck'] as const;

describe('the time of arrival', () => {
  test('the time of arrival lies a straight line and three tenths away, at the speed of the vehicle', () => {
    assert.equal(minutesFor(25_000, 'car'), 78);
    assert.equal(minutesFor(1_500, 'bicycle'), 7.8);
    assert.equal(minutesFor(0, 'truck'), 0);
  });

  test('the time of arrival is that of a car for a vehicle nobody knows, and for none', () => {
    for (const vehicle of [null, '', 'rickshaw', '__proto__']) {
      assert.equal(minutesFor(10_000, vehicle), minutesFor(10_000, 'car'), String(vehicle));
    }
  });

  test('the time of arrival does not depend on how the vehicle is written', () => {
    assert.equal(minutesFor(10_000, ' Motorcycle '), minutesFor(10_000, 'motorcycle'));
  });

  test('the time of arrival grows with the distance for every vehicle, and nobody is slower than on foot', () => {
    const meters = fc.double({ min: 0, max: 100_000, noNaN: true });
    fc.assert(
      fc.property(fc.constantFrom(...TYPES), meters, meters, (vehicle, one, more) => {
        assert.ok(etaAtMs(one + more, vehicle, NOW) >= etaAtMs(one, vehicle, NOW));
        assert.ok(etaAtMs(one, vehicle, NOW) <= etaAtMs(one, 'foot', NOW));
      }),
      { seed: SEED },
    );
  });
});

describe('an ETA is worth telling', () => {
  const at = (minutes: number | null) => (minutes === null ? null : new Date(NOW + minutes * MINUTE).toISOString());
  for (const [what, previous, next, expected] of [
    ['when none was sent yet', null, 90, true],
    ['when it moves by more than a minute', 5, 6 + 1 / 60, true],
    ['when it moves forward by as much', 5, 4 - 1 / 60, true],
    ['but not by a minute', 5, 6, false],
    ['however far ahead it is', 400, 402, true],
    ['when the last one sent has passed', -1, 3, true],
    ['but not when there is none any more', 5, null, false],
  ] as const) {
    test(`${what}: from ${previous} to ${next} minutes`, () => {
      const still = at(30);
      const atDoor = [
        { etaAt: at(previous), pickupEtaAt: still },
        { etaAt: at(next), pickupEtaAt: still },
      ] as const;
      const atPickup = [
        { etaAt: still, pickupEtaAt: at(previous) },
        { etaAt: still, pickupEtaAt: at(next) },
      ] as const;
      assert.deepEqual([hasNews(...atDoor), hasNews(...atPickup)], [expected, expected]);
    });
  }

  test('an ETA is worth telling never for less than the least change, nor twice for the same', () => {
    const minutes = fc.double({ min: -600, max: 600, noNaN: true });
    fc.assert(
      fc.property(minutes, minutes, (previous, next) => {
        const [told, now] = [previous, next].map((ms) => ({ etaAt: at(ms), pickupEtaAt: null }));
        const movedMs = Math.abs(Date.parse(now!.etaAt!) - Date.parse(told!.etaAt!));
        assert.equal(hasNews(told!, now!), movedMs > LIMITS.etaChangeMs);
        assert.equal(hasNews(now!, now!), false);
      }),
      { seed: SEED },
    );
  });
});
