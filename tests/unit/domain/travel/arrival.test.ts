import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type Arrival, AWAY, approach, awaitedAt, type WayPoint } from '../../../../engine/domain/travel/arrival.ts';
import { LIMITS } from '../../../../schema/limits.ts';
import { TASK_STATUSES } from '../../../../schema/tasks/task.ts';

const SEED = 20_261_122;

const PLACE = { latitude: 52.5, longitude: 13.4 };
const METERS_PER_DEGREE = 111_195.08;
const T0 = Date.parse('2031-05-01T12:00:00.000Z');

/** So many metres north and east of the place, so many seconds after the beginning. */
interface Step {
  readonly north: number;
  readonly east?: number;
  readonly s: number;
  readonly accuracy?: number;
  readonly speed?: number;
}

function pointOf({ north, east = 0, s, accuracy = 0, speed = Number.NaN }: Step): WayPoint {
  return {
    latitude: PLACE.latitude + north / METERS_PER_DEGREE,
    longitude: PLACE.longitude + east / (METERS_PER_DEGREE * Math.cos((PLACE.latitude * Math.PI) / 180)),
    accuracy,
    speed,
    recordedAtMs: T0 + s * 1_000,
  };
}

function walk(steps: readonly Step[]): Arrival {
  return steps.reduce((state, step) => approach(state, PLACE, pointOf(step)), AWAY);
}

/** How often it arrives on the way. */
function arrivalsOf(steps: readonly Step[]): number {
  let [state, arrivals] = [AWAY, 0];
  for (const step of steps) {
    const next = approach(state, PLACE, pointOf(step));
    if (next.kind === 'arrived' && state.kind !== 'arrived') arrivals += 1;
    state = next;
  }
  return arrivals;
}

const NEAR: readonly Step[] = [{ north: 60, s: 0 }];

describe('one more point', () => {
  for (const [what, before, step, expected] of [
    ['within the radius is near', [], { north: 74, s: 1 }, 'near'],
    ['outside it is away', [], { north: 76, s: 1 }, 'away'],
    ['outside it leaves near what was near', NEAR, { north: 149, s: 1 }, 'near'],
    ['far outside it takes it away', NEAR, { north: 151, s: 1 }, 'away'],
    ['vague by 40 m must be 20 m nearer', [], { north: 56, s: 1, accuracy: 40 }, 'away'],
    ['vague by 40 m and 20 m nearer is near', [], { north: 54, s: 1, accuracy: 40 }, 'near'],
    ['vague by 40 m must be 20 m farther to take it away', NEAR, { north: 169, s: 1, accuracy: 40 }, 'near'],
    ['that tells no accuracy counts as vague by 20 m', [], { north: 66, s: 1, accuracy: Number.NaN }, 'away'],
    ['too vague does not enter', [], { north: 0, s: 1, speed: 0, accuracy: 101 }, 'away'],
    ['too vague does not leave', NEAR, { north: 5_000, s: 1, accuracy: 101 }, 'near'],
    ['too vague does not make it stay', NEAR, { north: 60, s: 60, accuracy: 101 }, 'near'],
    ['at walking pace is no standing', [], { north: 20, s: 1, speed: 1.4 }, 'near'],
    ['that stands within the radius arrives', [], { north: 20, s: 1, speed: 0.9 }, 'arrived'],
    ['that stands outside it does not', [], { north: 76, s: 1, speed: 0 }, 'away'],
    ['after 10 s at the same spot arrives', NEAR, { north: 60, s: 10 }, 'arrived'],
    ['after 9 s does not', NEAR, { north: 60, s: 9 }, 'near'],
    ['after 10 s, 29 m on, arrives', NEAR, { north: 31, s: 10 }, 'arrived'],
    ['after 10 s, 31 m on, begins another stay', NEAR, { north: 29, s: 10 }, 'near'],
  ] as const) {
    test(what, () => assert.equal(walk([...before, step]).kind, expected));
  }

  test('after the arrival changes nothing, wherever it is', () => {
    const arrived = walk([{ north: 5, s: 0, speed: 0 }]);
    assert.equal(approach(arrived, PLACE, pointOf({ north: 9_000, s: 60 })), arrived);
  });

  test('a point that reports nothing new makes no new state', () => {
    const near = walk(NEAR);
    assert.equal(approach(near, PLACE, pointOf({ north: 61, s: 5 })), near);
    assert.equal(approach(near, PLACE, pointOf({ north: 80, s: 6 })), near);
    assert.equal(approach(AWAY, PLACE, pointOf({ north: 9_000, s: 7 })), AWAY);
  });
});

test('the arrival has the time and place of the start of the stay', () => {
  const state = walk([
    { north: 70, s: 0, speed: 8 },
    { north: 30, s: 5, speed: 8 },
    { north: 10, s: 8, speed: 5 },
    { north: 8, s: 12, speed: 2 },
    { north: 8, s: 18, speed: 1.5 },
  ]);
  const { latitude, longitude } = pointOf({ north: 30, s: 5 });
  assert.deepEqual(state, { kind: 'arrived', latitude, longitude, sinceMs: T0 + 5_000 });
});

const METERS_OF_JITTER = 100;
const jitter = fc.record({
  north: fc.double({ min: LIMITS.arrivalRadiusM - METERS_OF_JITTER, max: 175, noNaN: true }),
  east: fc.double({ min: -METERS_OF_JITTER, max: METERS_OF_JITTER, noNaN: true }),
  accuracy: fc.oneof(fc.constant(Number.NaN), fc.double({ min: 0, max: 200, noNaN: true })),
  speed: fc.oneof(fc.constant(Number.NaN), fc.double({ min: 0, max: 20, noNaN: true })),
});

test('coming by twice is no stay', () => {
  const passes = [50, 120, 140, 120, 50].map((north, index) => ({ north, s: index * 10, speed: 9 }));
  assert.equal(walk(passes).kind, 'near');
});

test('jitter about the edge makes one arrival at most', () => {
  let once = 0;
  fc.assert(
    fc.property(fc.array(jitter, { minLength: 20, maxLength: 200 }), (points) => {
      const arrivals = arrivalsOf(points.map((point, s) => ({ ...point, s })));
      assert.ok(arrivals <= 1, `${arrivals} arrivals`);
      once += arrivals;
    }),
    { seed: SEED },
  );
  assert.ok(once > 0, 'some of them did arrive');
});

test('driving past at speed is no arrival, on any line and with any rate of reports', () => {
  const line = fc.record({
    aside: fc.double({ min: -74, max: 74, noNaN: true }),
    metersPerSecond: fc.double({ min: 4, max: 35, noNaN: true }),
    everyS: fc.double({ min: 0.5, max: 30, noNaN: true }),
    tellsSpeed: fc.boolean(),
    noiseM: fc.double({ min: 0, max: 4, noNaN: true }),
  });
  fc.assert(
    fc.property(line, ({ aside, metersPerSecond, everyS, tellsSpeed, noiseM }) => {
      const steps: Step[] = [];
      for (let s = 0; s * metersPerSecond < 400; s += everyS) {
        const noise = steps.length % 2 === 0 ? noiseM : -noiseM;
        const speed = tellsSpeed ? metersPerSecond : Number.NaN;
        steps.push({ north: s * metersPerSecond - 200, east: aside + noise, s, speed });
      }
      assert.equal(arrivalsOf(steps), 0);
    }),
    { seed: SEED },
  );
});

test('an agent that comes and stays arrives once, however a good receiver scatters its points', () => {
  const noise = fc.double({ min: -8, max: 8, noNaN: true });
  // Braking may begin another stay within the first ten seconds.
  const stay = fc.array(fc.tuple(noise, noise), { minLength: 25, maxLength: 60 });
  fc.assert(
    fc.property(fc.double({ min: 0, max: 45, noNaN: true }), stay, (from, noises) => {
      const way = Array.from({ length: 20 }, (_, s) => ({ north: from + (20 - s) * 12, s, accuracy: 8 }));
      const there = noises.map(([north, east], i) => ({ north: from + north, east, s: 20 + i, accuracy: 8 }));
      assert.equal(arrivalsOf([...way, ...there]), 1);
    }),
    { seed: SEED },
  );
});

test('agents are awaited at the pickup once they have accepted, and at the place in transit, each until it is over', () => {
  const at = '2031-05-01T12:00:00.000Z';
  const fresh = { arrivedAt: null, pickupArrivedAt: null, pickedUpAt: null };
  const awaited = TASK_STATUSES.flatMap((status) => awaitedAt({ status, ...fresh }) ?? []);
  assert.deepEqual(awaited, ['pickup', 'dropoff']);
  assert.equal(awaitedAt({ ...fresh, status: 'accepted', pickupArrivedAt: at }), null);
  assert.equal(awaitedAt({ ...fresh, status: 'accepted', pickedUpAt: at }), null);
  assert.equal(awaitedAt({ ...fresh, status: 'in_transit', arrivedAt: at }), null);
});
