import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Demand,
  exceedsCapacity,
  overlaps,
  refusalOf,
  refusalOfWay,
} from '../../../../engine/domain/assignment/eligibility.ts';
import type { FreeAgent, PassedOver } from '../../../../engine/domain/assignment/round-view.ts';
import { agent, NOW, roundView } from '../../planning/round-fixture.ts';

const { settings } = roundView([], [], { maxTasksPerAgent: 5, maxDistanceM: 1_000 });
const UNBOUNDED = { maxWeightKg: null, maxVolumeM3: null, maxPackages: null };
const NOTHING = { weightKg: 0, volumeM3: 0, packages: 0 };
const SLOT = { from: NOW + 100, until: NOW + 200 };

const LOADS: readonly (readonly [keyof typeof UNBOUNDED, keyof typeof NOTHING])[] = [
  ['maxWeightKg', 'weightKg'],
  ['maxVolumeM3', 'volumeM3'],
  ['maxPackages', 'packages'],
];

for (const [limit, part] of LOADS) {
  test(`the carried load and the new one together may reach ${limit} and no more`, () => {
    const capacity = { ...UNBOUNDED, [limit]: 7 };
    const exceeds = (carried: number, extra: number) =>
      exceedsCapacity(capacity, { ...NOTHING, [part]: carried }, { ...NOTHING, [part]: extra });
    assert.deepEqual([exceeds(4, 3), exceeds(4, 4), exceeds(0, 7), exceeds(8, 0)], [false, true, false, true]);
    assert.equal(exceedsCapacity(UNBOUNDED, { ...NOTHING, [part]: 1e9 }, { ...NOTHING, [part]: 1e9 }), false);
  });
}

test('decimals that exactly fill the limit fit, even if their binary sum is larger', () => {
  const capacity = { ...UNBOUNDED, maxWeightKg: 0.3 };
  assert.equal(exceedsCapacity(capacity, { ...NOTHING, weightKg: 0.1 }, { ...NOTHING, weightKg: 0.2 }), false);
});

for (const [how, from, until, isTaken] of [
  ['ends when it begins', 0, 100, false],
  ['ends a moment later', 0, 101, true],
  ['lies in it', 120, 130, true],
  ['goes beyond both its ends', 0, 300, true],
  ['begins a moment before its end', 199, 300, true],
  ['begins when it ends', 200, 300, false],
] as const) {
  test(`a span that ${how} ${isTaken ? 'takes' : 'leaves'} the time of a slot`, () => {
    const far = { from: NOW + 1_000, until: NOW + 2_000 };
    assert.equal(overlaps([far, { from: NOW + from, until: NOW + until }], SLOT), isTaken);
  });
}

const ASKED: Demand = { tasks: 1, load: NOTHING, requiredSkills: ['cold'], slot: SLOT, declinedBy: [] };
const FIT: Partial<FreeAgent> = { skills: ['cold', 'heavy'] };

const FITS: readonly (readonly [string, Partial<Demand>, Partial<FreeAgent>, PassedOver | undefined])[] = [
  ['somebody fit', {}, {}, undefined],
  ['who goes off duty now', {}, { offDutyAt: NOW }, undefined],
  ['who went off duty a moment ago', {}, { offDutyAt: NOW - 1 }, 'off_duty'],
  ['whose position is old', {}, { isStale: true }, 'stale_position'],
  ['who has declined it', { declinedBy: [2, 1] }, {}, 'declined'],
  ['when another has declined it', { declinedBy: [2] }, {}, undefined],
  ['who has one of the skills', { requiredSkills: ['cold', 'tall'] }, {}, 'skills'],
  ['who has all skills', { requiredSkills: ['heavy', 'cold'] }, {}, undefined],
  [
    'who carries too much',
    {},
    { capacity: { ...UNBOUNDED, maxPackages: 1 }, load: { ...NOTHING, packages: 2 } },
    'capacity',
  ],
  ['whose time is taken', {}, { slots: [SLOT] }, 'slot'],
  ['whose time is taken, for what has none', { slot: null }, { slots: [SLOT] }, undefined],
  ['who has one task less than may be', {}, { openTasks: 4 }, undefined],
  ['who has as many tasks as may be', {}, { openTasks: 5 }, 'max_tasks'],
  ['who may take two more, for three', { tasks: 3 }, { openTasks: 3 }, 'max_tasks'],
  ['who may take three more, for three', { tasks: 3 }, { openTasks: 2 }, undefined],
];

for (const [who, demand, fields, expected] of FITS) {
  test(`of ${who} is said: ${expected ?? 'fit'}`, () => {
    assert.equal(refusalOf({ ...ASKED, ...demand }, agent(1, { ...FIT, ...fields }), settings, NOW), expected);
  });
}

test('of several reasons the first one is reported, in the order of the list', () => {
  const mended: readonly (readonly [Partial<Demand>, Partial<FreeAgent>])[] = [
    [{}, { offDutyAt: null }],
    [{}, { isStale: false }],
    [{ declinedBy: [] }, {}],
    [{ requiredSkills: [] }, {}],
    [{}, { load: NOTHING }],
    [{}, { slots: [] }],
    [{}, { openTasks: 0 }],
  ];
  let demand: Demand = { ...ASKED, declinedBy: [1] };
  let who = agent(1, {
    ...{ offDutyAt: NOW - 1, isStale: true, slots: [SLOT], openTasks: 5 },
    ...{ capacity: { ...UNBOUNDED, maxPackages: 1 }, load: { ...NOTHING, packages: 2 } },
  });
  const told = mended.map(([ofDemand, ofAgent]) => {
    const reason = refusalOf(demand, who, settings, NOW);
    demand = { ...demand, ...ofDemand };
    who = { ...who, ...ofAgent };
    return reason;
  });
  assert.deepEqual(told, ['off_duty', 'stale_position', 'declined', 'skills', 'capacity', 'slot', 'max_tasks']);
  assert.equal(refusalOf(demand, who, settings, NOW), undefined);
});

for (const [offDutyAt, distanceM, fetchAt, expected] of [
  [null, 1_000, NOW, undefined],
  [null, 1_001, NOW, 'too_far'],
  [NOW + 10, 0, NOW + 10, undefined],
  [NOW + 10, 0, NOW + 11, 'ends_before'],
  [NOW + 10, 1_001, NOW + 11, 'too_far'],
] as const) {
  const ends = offDutyAt === null ? 'never' : `at ${offDutyAt - NOW}`;
  test(`a way of ${distanceM} m to what is fetched at ${fetchAt - NOW}, when work ends ${ends}: ${expected ?? 'fit'}`, () => {
    assert.equal(refusalOfWay({ offDutyAt }, settings, distanceM, fetchAt), expected);
  });
}

test('without a limit no way is too far', () => {
  assert.equal(refusalOfWay({ offDutyAt: null }, { ...settings, maxDistanceM: null }, 1e9, NOW), undefined);
});
