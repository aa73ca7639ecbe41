import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Place, TravelTime } from '../../../../engine/domain/assignment/round-view.ts';
import type { RouteTask } from '../../../../engine/domain/stops/open-stops.ts';
import { planStops } from '../../../../engine/domain/stops/plan-stops.ts';
import { timesOf } from '../../../../engine/domain/stops/predicted-times.ts';
import { NO_RESTS, type Rests, restsOf } from '../../../../engine/domain/stops/rests.ts';
import { LIMITS } from '../../../../schema/limits.ts';

const NOW = 1_000_000_000_000;
const MINUTE = 60_000;
const SERVICES = { pickupServiceMs: 2 * MINUTE, dropoffServiceMs: 3 * MINUTE };
/** A degree of longitude takes a minute, and nothing else matters. */
const travel: TravelTime = (from, to) => {
  const ms = Math.abs(to.longitude - from.longitude) * MINUTE;
  return { distanceM: ms, ms };
};
const at = (longitude: number): Place => ({ latitude: 0, longitude });
const minute = (of: number) => NOW + of * MINUTE;

function task(taskId: number, fields: Partial<RouteTask>): RouteTask {
  return {
    taskId,
    status: 'accepted',
    assignedAt: taskId,
    readyAt: null,
    windowStart: null,
    dueAt: null,
    serviceMs: null,
    slot: null,
    pickup: null,
    pickupKey: null,
    dropoff: null,
    pickupArrivedAt: null,
    pickedUpAt: null,
    arrivedAt: null,
    ...fields,
  };
}

const planned = (...tasks: readonly RouteTask[]) => plannedWith(NO_RESTS, tasks);
const plannedWith = (rests: Rests, tasks: readonly RouteTask[], place = at(0), seenAt = minute(-9)) =>
  planStops({ place, at: NOW, seenAt, vehicleType: 'car', rests }, tasks, SERVICES, travel);

/** Each stop as its tasks with the minutes of arrival, beginning and leaving. */
function stopsOf({ stops, arriveAts, beginAts, leaveAts }: ReturnType<typeof planned>) {
  return stops.map(({ kind, taskIds }, index) => {
    const times = [arriveAts, beginAts, leaveAts].map((of) => (of[index]! - NOW) / MINUTE);
    return `${kind} ${taskIds.join('+')} ${times.join(' ')}`;
  });
}

const from = (longitude: number) => ({ pickup: at(longitude), pickupKey: String(longitude) });

for (const [name, tasks, expected] of [
  ['a plan without tasks has no stops', [], []],
  [
    'a task on its way is brought before another one is fetched',
    [task(1, { ...from(4), dropoff: at(6) }), task(2, { status: 'in_transit', dropoff: at(10) })],
    ['dropoff 2 10 10 13', 'pickup 1 19 19 21', 'dropoff 1 23 23 26'],
  ],
  [
    'an agent at the door takes only the rest of the service',
    [task(1, { status: 'in_transit', arrivedAt: minute(-1), dropoff: at(3) }), task(2, { dropoff: at(4) })],
    ['dropoff 1 0 0 2', 'dropoff 2 3 3 6'],
  ],
  [
    'an agent at the pickup takes only the rest of the service',
    [task(1, { ...from(5), pickupArrivedAt: minute(-1), dropoff: at(7) })],
    ['pickup 1 0 0 1', 'dropoff 1 3 3 6'],
  ],
  [
    'a task that has been picked up is only brought',
    [task(1, { ...from(5), pickedUpAt: minute(-1), dropoff: at(7) })],
    ['dropoff 1 7 7 10'],
  ],
  [
    'goods of one place are fetched at once when the last are ready, and brought in the order that takes least',
    [
      task(1, { ...from(2), dropoff: at(8), readyAt: minute(10) }),
      task(2, { ...from(9), dropoff: at(9) }),
      task(3, { ...from(2), dropoff: at(5), readyAt: minute(20) }),
    ],
    ['pickup 1+3 2 19 21', 'dropoff 3 24 24 27', 'dropoff 1 30 30 33', 'pickup 2 34 34 36', 'dropoff 2 36 36 39'],
  ],
  [
    'goods that are ready long before others of their place are fetched on a way of their own',
    [
      task(1, { ...from(2), dropoff: at(8) }),
      task(2, { ...from(2), dropoff: at(5), readyAt: minute(240) }),
      task(3, { ...from(2), dropoff: at(9) }),
    ],
    ['pickup 1+3 2 2 4', 'dropoff 1 10 10 13', 'dropoff 3 14 14 17', 'pickup 2 24 239 241', 'dropoff 2 244 244 247'],
  ],
  [
    'goods that are ready long before earlier ones of their place are fetched before them',
    [task(1, { ...from(2), dropoff: at(8), readyAt: minute(240) }), task(2, { ...from(2), dropoff: at(5) })],
    ['pickup 2 2 2 4', 'dropoff 2 7 7 10', 'pickup 1 13 239 241', 'dropoff 1 247 247 250'],
  ],
  [
    'goods do not wait for others that are each ready a little later',
    [0, 10, 20].map((readyAt, index) => task(index + 1, { ...from(0), dropoff: at(1), readyAt: minute(readyAt + 1) })),
    ['pickup 1+2 0 10 12', 'dropoff 1 13 13 16', 'dropoff 2 16 16 19', 'pickup 3 20 20 22', 'dropoff 3 23 23 26'],
  ],
  [
    'an agent at a pickup does not wait there for what is ready long after the rest',
    [
      task(1, { ...from(0), dropoff: at(5), readyAt: minute(240), pickupArrivedAt: minute(-1) }),
      task(2, { ...from(0), dropoff: at(5), pickupArrivedAt: minute(-1) }),
      task(3, { dropoff: at(6) }),
    ],
    ['pickup 2 0 0 1', 'dropoff 2 6 6 9', 'dropoff 3 10 10 13', 'pickup 1 19 239 241', 'dropoff 1 246 246 249'],
  ],
  [
    'a window that is closed is waited for at the door',
    [task(1, { dropoff: at(5), windowStart: minute(8), serviceMs: 10 * MINUTE })],
    ['dropoff 1 5 8 18'],
  ],
  [
    'a later task comes before a wait that it fits into',
    [task(1, { dropoff: at(5), windowStart: minute(60) }), task(2, { dropoff: at(10) })],
    ['dropoff 2 10 10 13', 'dropoff 1 18 60 63'],
  ],
  [
    'a later task that would make the one before late comes after it',
    [task(1, { dropoff: at(1), windowStart: minute(20), dueAt: minute(22) }), task(2, { dropoff: at(-30) })],
    ['dropoff 1 1 20 23', 'dropoff 2 54 54 57'],
  ],
  [
    'a scheduled task is begun in its time',
    [task(1, { ...from(2), dropoff: at(4), slot: { from: minute(30), until: minute(60) } })],
    ['pickup 1 2 30 32', 'dropoff 1 34 34 37'],
  ],
  [
    'a task without a place takes its service alone',
    [task(1, { serviceMs: 5 * MINUTE }), task(2, { dropoff: at(4) })],
    ['dropoff 1 0 0 5', 'dropoff 2 9 9 12'],
  ],
] as const)
  test(name, () => assert.deepEqual(stopsOf(planned(...tasks)), expected));

/** In degrees of longitude, on the equator. */
const metres = (of: number) => of / 111_195;
const near = LIMITS.arrivalLeaveRadiusM + LIMITS.arrivalAccuracyM - 1;
const waiting = task(1, { ...from(0), dropoff: at(-5), pickupArrivedAt: minute(-1) });
const withGoods = task(2, { ...from(0), dropoff: at(5), pickupArrivedAt: minute(-1), status: 'in_transit' });
const atDoor = task(1, { dropoff: at(0), status: 'in_transit', arrivedAt: minute(-1), serviceMs: 30 * MINUTE });

for (const [name, { seen, ago = 0 }, tasks, expected] of [
  [
    'that has left a pickup with some of its goods sets out from where it is, and comes back for the rest',
    { seen: 4 },
    [waiting, withGoods],
    ['dropoff 2 1 1 4', 'pickup 1 9 9 11', 'dropoff 1 16 16 19'],
  ],
  [
    'that has left a pickup without the goods fetches them in their turn',
    { seen: 4 },
    [waiting, task(2, { dropoff: at(4) })],
    ['pickup 1 4 4 6', 'dropoff 1 11 11 14', 'dropoff 2 23 23 26'],
  ],
  [
    'that has left a pickup where it would wait does before it what fits',
    { seen: 4 },
    [{ ...waiting, readyAt: minute(30) }, task(2, { dropoff: at(4) })],
    ['dropoff 2 0 0 3', 'pickup 1 7 29 31', 'dropoff 1 36 36 39'],
  ],
  [
    'that has left a door comes back to it after the rest',
    { seen: 4 },
    [atDoor, task(2, { dropoff: at(5), status: 'in_transit' }), task(3, { dropoff: at(6) })],
    ['dropoff 2 1 1 4', 'dropoff 3 5 5 8', 'dropoff 1 14 14 44'],
  ],
  [
    'that has come to one stop after another goes on where it stands',
    { seen: 5 },
    [atDoor, { ...withGoods, arrivedAt: minute(-1) }],
    ['dropoff 2 0 0 2', 'dropoff 1 7 7 37'],
  ],
  [
    'that is still near a stop goes on there',
    { seen: metres(near) },
    [waiting, withGoods],
    ['pickup 1 0 0 1', 'dropoff 1 6 6 9', 'dropoff 2 19 19 22'],
  ],
  [
    'that was not seen since it came to a stop is still there',
    { seen: 4, ago: 1 },
    [atDoor, task(2, { dropoff: at(5) })],
    ['dropoff 1 0 0 29', 'dropoff 2 34 34 37'],
  ],
] as const)
  test(`an agent ${name}`, () =>
    assert.deepEqual(stopsOf(plannedWith(NO_RESTS, tasks, at(seen), minute(-ago))), expected));

test('an agent has left a stop past the edge of arrivals and what its device may be wrong', () => {
  const placeOf = (seen: number) => plannedWith(NO_RESTS, [atDoor], at(seen), NOW).start.place.longitude;
  assert.deepEqual([metres(near), metres(near + 2)].map(placeOf), [0, metres(near + 2)]);
});

test('each task has its times, and so many stops of others come before it', () => {
  const schedule = planned(
    task(1, { status: 'in_transit', dropoff: at(10) }),
    task(2, { ...from(12), dropoff: at(14), windowStart: minute(40) }),
    task(3, { ...from(12), dropoff: at(13) }),
  );
  assert.deepEqual(Object.fromEntries(timesOf(schedule)), {
    1: { pickupEtaAt: null, etaAt: minute(10), stopsBefore: 0 },
    2: { pickupEtaAt: minute(15), etaAt: minute(40), stopsBefore: 2 },
    3: { pickupEtaAt: minute(15), etaAt: minute(18), stopsBefore: 1 },
  });
});

const span = (from: number, until: number) => ({
  startsAt: new Date(minute(from)).toISOString(),
  endsAt: new Date(minute(until)).toISOString(),
});

describe('an agent with shifts', () => {
  /** The minutes at which its doors are expected: each ten minutes away from the one before, and three minutes long. */
  const etasWith = (shifts: Parameters<typeof restsOf>[0], onDuty = true) => {
    const doors = [10, 20, 30].map((longitude, index) => task(index + 1, { dropoff: at(longitude) }));
    const times = timesOf(plannedWith(restsOf(shifts, onDuty, NOW), doors));
    return [...times.values()].map(({ etaAt }) => (etaAt - NOW) / MINUTE);
  };

  for (const [name, shifts, expected] of [
    ['serves in turn inside its shift', [{ ...span(-60, 600), breaks: [] }], [10, 23, 36]],
    ['serves after a break what would fall into it', [{ ...span(-60, 600), breaks: [span(24, 40)] }], [10, 50, 63]],
    ['serves before a break what ends with it', [{ ...span(-60, 600), breaks: [span(26, 40)] }], [10, 23, 50]],
    [
      'serves nothing before the break that it has now ends',
      [{ ...span(-60, 600), breaks: [span(-5, 5)] }],
      [15, 28, 41],
    ],
    [
      'carries to its end what it has set out for, and serves the rest in its next shift',
      [
        { ...span(-60, 21), breaks: [] },
        { ...span(600, 900), breaks: [span(610, 620)] },
      ],
      [10, 23, 630],
    ],
    [
      'finishes beside its shifts what it is at',
      [
        { ...span(-60, -5), breaks: [] },
        { ...span(600, 900), breaks: [] },
      ],
      [10, 610, 623],
    ],
    [
      'is expected as if it went on after the last shift that is known',
      [{ ...span(-60, 5), breaks: [] }],
      [10, 23, 36],
    ],
    ['is at work before its first shift when it is on duty', [{ ...span(100, 900), breaks: [] }], [10, 110, 123]],
  ] as const)
    test(`an agent with shifts ${name}`, () => assert.deepEqual(etasWith(shifts), expected));

  test('an agent with shifts serves nothing beside them when it is off duty', () => {
    assert.deepEqual(etasWith([{ ...span(100, 900), breaks: [] }], false), [110, 123, 136]);
  });
});

describe('an agent with a break before a stop that has its time shortly after it', () => {
  const shift = [{ ...span(-60, 600), breaks: [span(180, 210)] }];
  const stopsWith = (...tasks: readonly RouteTask[]) => stopsOf(plannedWith(restsOf(shift, true, NOW), tasks));

  test('does before it what fits', () => {
    const timed = task(1, { dropoff: at(5), windowStart: minute(215) });
    assert.deepEqual(stopsWith(timed, task(2, { dropoff: at(10) })), ['dropoff 2 10 10 13', 'dropoff 1 215 215 218']);
  });

  test('does nothing before what could not begin sooner', () => {
    const long = task(1, { dropoff: at(5), windowStart: minute(210), serviceMs: 180 * MINUTE });
    assert.deepEqual(stopsWith(long, task(2, { dropoff: at(10) })), ['dropoff 1 215 215 395', 'dropoff 2 400 400 403']);
  });

  test('fetches before it what is ready', () => {
    const late = task(1, { ...from(5), dropoff: at(5), readyAt: minute(216) });
    assert.deepEqual(stopsWith(late, task(2, { ...from(5), dropoff: at(5) })), [
      'pickup 2 5 5 7',
      'dropoff 2 7 7 10',
      'pickup 1 210 215 217',
      'dropoff 1 217 217 220',
    ]);
  });
});

test('a way is followed along a bounded number of tasks', () => {
  const many = Array.from({ length: LIMITS.routeTasks + 20 }, (_, index) => task(index + 1, { dropoff: at(1) }));
  const schedule = planned(...many);
  assert.equal(schedule.leaveAfter(schedule.stops.length), minute(1 + LIMITS.routeTasks * 3));
});
