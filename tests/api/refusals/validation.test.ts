import assert from 'node:assert/strict';
import { test } from 'node:test';
import { taskInput } from '../../support/api-client.ts';
import { useGateway } from '../api-fixture.ts';

const fixture = useGateway();

const place = { address: 'Elm Street 1', latitude: 1, longitude: 2 };
const customer = { name: 'Ada', phone: '+442079460001' };
const EITHER_CUSTOMER = 'customer or customerId must be given, exactly one of them';
const EITHER_LOCATION = 'location or locationId must be given, exactly one of them';
const TYPES = 'must be one of: delivery, pickup, return, transfer';
const A_TIME = 'must be an ISO 8601 date-time with a zone or offset';
const EMPTY_WINDOW = 'windowEnd must be after windowStart';
const READY_LATE = 'readyAt must not be after windowEnd';
const [EIGHT, NINE, TEN] = ['2031-01-01T08:00:00Z', '2031-01-01T09:00:00Z', '2031-01-01T10:00:00Z'];
const STORABLE = 'must not contain NUL or unpaired surrogates';

/** A change to a valid body, and all violations that it causes. */
const CASES: readonly (readonly [change: object, violations: readonly string[]])[] = [
  [{ name: undefined }, ['name is required']],
  [{ name: null }, ['name is required']],
  [{ name: '' }, ['name must not be empty']],
  [{ name: ' \t\n' }, ['name must not be empty']],
  [{ name: 5 }, ['name must be a string']],
  [{ name: 'x'.repeat(256) }, ['name must be at most 255 characters']],
  [{ name: '📦'.repeat(256) }, ['name must be at most 255 characters']],
  [{ taskType: undefined }, ['taskType is required']],
  [{ taskType: 'DELIVERY' }, [`taskType ${TYPES}`]],
  [{ taskType: 'cash_collection' }, [`taskType ${TYPES}`]],
  [{ taskType: ['delivery'] }, [`taskType ${TYPES}`]],
  [{ type: 'DELIVERY' }, ['type must not be given together with taskType']],
  [{ taskType: undefined, type: 'boat' }, [`type ${TYPES}`]],
  [{ customer: undefined }, [EITHER_CUSTOMER]],
  [{ customerId: 1 }, [EITHER_CUSTOMER]],
  [{ location: undefined }, [EITHER_LOCATION]],
  [{ locationId: 1 }, [EITHER_LOCATION]],
  [{ dropoffLocation: place }, ['dropoffLocation must not be given together with location']],
  [{ location: undefined, dropoffLocation: place, locationId: 1 }, [EITHER_LOCATION]],
  [{ customer: {} }, ['customer.name is required', 'customer.phone is required']],
  [{ customer: 'Ada' }, ['customer must be an object']],
  [{ customer: { ...customer, name: ' ' } }, ['customer.name must not be empty']],
  [
    { customer: { ...customer, phone: '12' } },
    ['customer.phone must be a possible phone number with its country code'],
  ],
  [
    { customer: { ...customer, phone: '02079460001' } },
    ['customer.phone must be a possible phone number with its country code'],
  ],
  [
    { customer: { ...customer, phone: '+44 20 7946 0001 ext. 12' } },
    ['customer.phone must be a phone number without an extension; write the extension into a text, such as notes'],
  ],
  [{ customer: { ...customer, phone: 442079460001 } }, ['customer.phone must be a string']],
  [{ customer: { ...customer, email: 'ada@' } }, ['customer.email must be an e-mail address']],
  [{ customer: { ...customer, email: `${'a'.repeat(250)}@x.io` } }, ['customer.email must be at most 254 characters']],
  [
    { location: {} },
    ['location.address is required', 'location.latitude is required', 'location.longitude is required'],
  ],
  [{ location: 'here' }, ['location must be an object']],
  [{ location: { ...place, latitude: 90.000001 } }, ['location.latitude must be between -90 and 90']],
  [{ location: { ...place, latitude: '51 N' } }, ['location.latitude must be a number or a decimal string']],
  [{ location: { ...place, latitude: '1e1' } }, ['location.latitude must be a number or a decimal string']],
  [{ location: { ...place, latitude: '90.00000001' } }, ['location.latitude must be between -90 and 90']],
  [{ location: { ...place, longitude: -180.5 } }, ['location.longitude must be between -180 and 180']],
  [{ location: { ...place, building: 7 } }, ['location.building must be a string']],
  [{ pickupLocation: { ...place, address: '' } }, ['pickupLocation.address must not be empty']],
  [{ timeToServe: 'ASAP' }, ['timeToServe must be one of: asap, scheduled']],
  [{ timeToServe: 'scheduled' }, ['scheduledAt is required when timeToServe is scheduled']],
  [{ timeToServe: 'scheduled', scheduledAt: '2001-01-01T00:00:00Z' }, ['scheduledAt must be in the future']],
  [{ timeToServe: 'scheduled', scheduledAt: 'tomorrow' }, [`scheduledAt ${A_TIME}`]],
  [
    { name: '', timeToServe: 'scheduled', scheduledAt: '2001-01-01T00:00:00Z' },
    ['name must not be empty', 'scheduledAt must be in the future'],
  ],
  [{ code: '' }, ['code must not be empty']],
  [{ code: 'x'.repeat(256) }, ['code must be at most 255 characters']],
  [{ notes: 'x'.repeat(10_001) }, ['notes must be at most 10000 characters']],
  [{ description: {} }, ['description must be a string']],
  [{ packages: {} }, ['packages must be an array']],
  [{ packages: [null] }, ['packages.0 must be an object']],
  [{ packages: [{}] }, ['packages.0 must have a name or a description']],
  [{ packages: [{ name: ' ', description: '' }] }, ['packages.0 must have a name or a description']],
  [{ packages: [{ name: 'a', weight: -1 }] }, ['packages.0.weight must be a number of 0 or more']],
  [{ packages: [{ name: 'a', weight: '2' }] }, ['packages.0.weight must be a number']],
  [{ packages: [{ name: 'a' }, { name: 'b', quantity: 0 }] }, ['packages.1.quantity must be a positive integer']],
  [{ packages: [{ name: 'a', quantity: 1.5 }] }, ['packages.0.quantity must be a positive integer']],
  [{ packages: [{ name: 'a', quantity: 2_147_483_648 }] }, ['packages.0.quantity must be at most 2147483647']],
  [{ packages: [{ name: 'a', isFragile: 'yes' }] }, ['packages.0.isFragile must be a boolean']],
  [{ packages: Array.from({ length: 101 }, () => ({ name: 'a' })) }, ['packages must hold at most 100 items']],
  [{ packageIds: 5 }, ['packageIds must be an array']],
  [{ packageIds: [1, 0] }, ['packageIds.1 must be a positive integer']],
  [{ packageIds: Array.from({ length: 101 }, (_, index) => index + 1) }, ['packageIds must hold at most 100 items']],
  [{ autoAssign: 'true' }, ['autoAssign must be a boolean']],
  [{ preferredAgentId: '1' }, ['preferredAgentId must be a number']],
  [{ integrationData: [] }, ['integrationData must be an object']],
  [{ integrationData: 'x' }, ['integrationData must be an object']],
  [
    { integrationData: { orders: [{ number: 12_345_678_901_234_567_000 }] } },
    ['integrationData must hold whole numbers of at most 9007199254740991: write longer ones as text'],
  ],
  [{ integrationData: { blob: 'x'.repeat(16_384) } }, ['integrationData must be at most 16384 bytes of JSON']],
  [{ readyAt: '2031-01-01' }, [`readyAt ${A_TIME}`]],
  [{ readyAt: '0000-01-01T00:00:00Z' }, ['readyAt must not lie before the year 1000']],
  [{ readyAt: '0001-01-01T00:00:00Z' }, ['readyAt must not lie before the year 1000']],
  [{ readyAt: '0999-12-31T23:59:59.999Z' }, ['readyAt must not lie before the year 1000']],
  [{ readyAt: '0001-01-01' }, [`readyAt ${A_TIME}`]],
  [{ windowStart: 5 }, ['windowStart must be a string']],
  [{ windowStart: NINE, windowEnd: EIGHT }, [EMPTY_WINDOW]],
  [{ windowStart: '2031-01-01T09:00:00.001Z', windowEnd: NINE }, [EMPTY_WINDOW]],
  [{ windowStart: '2031-01-01T09:00:00-01:00', windowEnd: '2031-01-01T10:00:00+01:00' }, [EMPTY_WINDOW]],
  [{ windowStart: NINE, windowEnd: '2031-01-01T10:00:00+01:00' }, [EMPTY_WINDOW]],
  [{ windowEnd: '2001-01-01T09:00:00Z' }, ['windowEnd must be in the future']],
  [{ windowEnd: '2001-01-01T09:00:00Z', name: '' }, ['name must not be empty', 'windowEnd must be in the future']],
  [{ readyAt: TEN, windowEnd: NINE }, [READY_LATE]],
  [
    { readyAt: TEN, windowStart: NINE, windowEnd: EIGHT, name: '' },
    ['name must not be empty', EMPTY_WINDOW, READY_LATE],
  ],
  [{ readyAt: 'soon', windowStart: NINE, windowEnd: EIGHT }, [`readyAt ${A_TIME}`, EMPTY_WINDOW]],
  [{ readyAt: TEN, windowStart: NINE, windowEnd: 'late' }, [`windowEnd ${A_TIME}`]],
  [{ estimatedDuration: 0 }, ['estimatedDuration must be a positive integer']],
  [{ requiredSkills: ['a', ''] }, ['requiredSkills.1 must not be empty']],
  [{ name: 'a\u0000b' }, [`name ${STORABLE}`]],
  [{ notes: 'half \ud83d a pair' }, [`notes ${STORABLE}`]],
  [{ customer: { ...customer, name: '\udc00' } }, [`customer.name ${STORABLE}`]],
  [
    {
      name: '',
      taskType: 'boat',
      customer: undefined,
      customerId: -1,
      location: { latitude: 91 },
      locationId: 4,
      timeToServe: 'scheduled',
    },
    [
      'name must not be empty',
      `taskType ${TYPES}`,
      'customerId must be a positive integer',
      'location.address is required',
      'location.latitude must be between -90 and 90',
      'location.longitude is required',
      EITHER_LOCATION,
      'scheduledAt is required when timeToServe is scheduled',
    ],
  ],
];

for (const [change, violations] of CASES) {
  const shown = JSON.stringify(change, (_key, value) => (value === undefined ? '(absent)' : value));
  test(`${shown.length > 120 ? `${shown.slice(0, 120)}…` : shown} gets: ${violations.join('; ')}`, async () => {
    const { status, body } = await fixture.api.post('/tasks', taskInput(change));
    assert.equal(status, 400);
    assert.deepEqual([...body.message].sort(), [...violations].sort());
  });
}

test('a validation error has exactly the documented shape', async () => {
  const requestId = '0b5f1d3a-6f0a-4c43-9f0c-0f7a4f2e9a11';
  const { body } = await fixture.api.post('/tasks?&', taskInput({ name: '' }), {
    'x-correlation-id': requestId,
  });
  assert.deepEqual(body, {
    statusCode: 400,
    message: ['name must not be empty'],
    error: 'Bad Request',
    meta: { requestId, path: '/v1/tasks?&', method: 'POST' },
  });
});

test('an empty body gets all missing fields named', async () => {
  const { body } = await fixture.api.post('/tasks', {});
  assert.deepEqual(
    [...body.message].sort(),
    [EITHER_CUSTOMER, EITHER_LOCATION, 'name is required', 'taskType is required'].sort(),
  );
});

test('values at their limits pass', async () => {
  const email = `${'a'.repeat(64)}@${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.io`;
  assert.ok(email.length <= 254);
  const task = await fixture.api.createTask({
    name: 'n'.repeat(255),
    code: '📦'.repeat(255),
    notes: 'x'.repeat(10_000),
    description: 'y'.repeat(10_000),
    customer: { ...customer, email },
    location: { address: 'a'.repeat(255), latitude: -90, longitude: 180 },
    packages: Array.from({ length: 100 }, () => ({ name: 'p'.repeat(255), quantity: 2_147_483_647, weight: 0 })),
    integrationData: { blob: 'x'.repeat(16_384 - '{"blob":""}'.length) },
  });
  assert.equal(task.packages.length, 100);
  assert.deepEqual((await fixture.api.list('limit=1')).body.data.items, [task]);
});

for (const [what, times] of [
  ['what is ready at the end of its window', { readyAt: NINE, windowStart: EIGHT, windowEnd: NINE }],
  ['what is ready within its window', { readyAt: NINE, windowStart: EIGHT, windowEnd: TEN }],
  ['what is ready before its window', { readyAt: EIGHT, windowStart: NINE, windowEnd: TEN }],
  ['a window that has begun', { windowStart: '2001-01-01T08:00:00Z', windowEnd: NINE }],
  ['a window without a beginning', { windowStart: null, windowEnd: EIGHT }],
  ['a window without an end', { readyAt: TEN, windowStart: NINE }],
] as const) {
  test(`${what} passes`, async () => {
    const task = await fixture.api.createTask(times);
    const iso = (time: string | null | undefined) => (time ? new Date(time).toISOString() : null);
    const asked: { readonly [K in 'readyAt' | 'windowStart' | 'windowEnd']?: string | null } = times;
    assert.deepEqual(
      [task.readyAt, task.windowStart, task.windowEnd],
      [iso(asked.readyAt), iso(asked.windowStart), iso(asked.windowEnd)],
    );
  });
}

test('the times of a child and of an item of a batch have to be possible, too', async () => {
  const impossible = taskInput({ readyAt: TEN, windowStart: NINE, windowEnd: EIGHT });
  const job = await fixture.api.post('/tasks', taskInput({ children: [taskInput(), impossible] }));
  assert.equal(job.status, 400);
  assert.deepEqual([...job.body.message].sort(), [`children.1.${READY_LATE}`, `children.1.${EMPTY_WINDOW}`]);
  interface Batch {
    readonly items: readonly { readonly status: string; readonly error?: { readonly message: readonly string[] } }[];
  }
  const batch = await fixture.api.post<Batch>('/tasks/batch', { tasks: [taskInput(), impossible] });
  assert.deepEqual(
    batch.body.data.items.map(({ status, error }) => [status, error && [...error.message].sort()]),
    [
      ['created', undefined],
      ['failed', [READY_LATE, EMPTY_WINDOW]],
    ],
  );
});
