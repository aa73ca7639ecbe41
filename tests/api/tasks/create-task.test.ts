import assert from 'node:assert/strict';
import { test } from 'node:test';
import { taskInput } from '../../support/api-client.ts';
import { useGateway } from '../api-fixture.ts';

const fixture = useGateway();

/** docs/contract.md §3 "Task", "Every task object". */
const TASK_FIELDS = [
  'id',
  'name',
  'code',
  'taskType',
  'status',
  'timeToServe',
  'scheduledAt',
  'assignedAt',
  'acceptedAt',
  'startedAt',
  'completedAt',
  'description',
  'notes',
  'customerId',
  'customer',
  'agentId',
  'agent',
  'courierType',
  'courierId',
  'courier',
  'paymentId',
  'locationId',
  'location',
  'channelId',
  'organizationId',
  'parentId',
  'children',
  'integrationData',
  'createdAt',
  'updatedAt',
  'dueAt',
  'isDelayed',
  'delayedAt',
  'etaAt',
  'arrivedAt',
  'pickupEtaAt',
  'pickupArrivedAt',
  'pickedUpAt',
  'requirements',
  'proofs',
  'cancelledAt',
  'preferredAgentId',
  'rating',
  'autoAssignmentStatus',
  'autoAssignmentFailureReason',
  'search',
  'attempt',
  'previousTaskId',
  'nextTaskId',
  'contact',
  'packages',
  'pickupLocation',
  'readyAt',
  'windowStart',
  'windowEnd',
  'estimatedDuration',
  'requiredSkills',
  'amount',
  'currency',
  'outcome',
  'failureReason',
  'trackingUrl',
];
const LOCATION_FIELDS = ['id', 'address', 'latitude', 'longitude', 'building', 'floor', 'apartment'];
const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const fieldsOf = (value: object) => Object.keys(value).sort();

/** The fields of a task that was created with as little as possible; ids, times and links apart. */
const DEFAULTS = {
  name: 'Two boxes of books',
  taskType: 'delivery',
  status: 'new',
  timeToServe: 'asap',
  scheduledAt: null,
  assignedAt: null,
  acceptedAt: null,
  startedAt: null,
  completedAt: null,
  cancelledAt: null,
  description: null,
  notes: null,
  agentId: null,
  agent: null,
  courierType: 'internal',
  courierId: null,
  courier: null,
  paymentId: null,
  parentId: null,
  children: [],
  integrationData: null,
  isDelayed: false,
  delayedAt: null,
  etaAt: null,
  arrivedAt: null,
  pickupEtaAt: null,
  pickupArrivedAt: null,
  pickedUpAt: null,
  requirements: null,
  proofs: [],
  preferredAgentId: null,
  rating: null,
  autoAssignmentStatus: 'not_requested',
  autoAssignmentFailureReason: null,
  search: null,
  attempt: 1,
  previousTaskId: null,
  nextTaskId: null,
  contact: null,
  packages: [],
  pickupLocation: null,
  readyAt: null,
  windowStart: null,
  windowEnd: null,
  estimatedDuration: null,
  requiredSkills: [],
  amount: null,
  currency: null,
  outcome: null,
  failureReason: null,
};

test('a place can be sent as it was read', async () => {
  const { location } = (await fixture.api.post('/tasks', taskInput())).body.data;
  const again = await fixture.api.post('/tasks', { ...taskInput(), location });
  assert.equal(again.status, 201, JSON.stringify(again.body));
  assert.deepEqual({ ...again.body.data.location, id: location!.id }, location);
});

test('a created task has every field of the contract and no other, all at their defaults', async () => {
  const { organizationId, channelId } = fixture.gateway;
  const { status, body } = await fixture.api.post('/tasks', taskInput());
  assert.equal(status, 201);
  const { data } = body;
  assert.deepEqual(fieldsOf(data), [...TASK_FIELDS].sort());
  const { id, code, customerId, customer, locationId, location, trackingUrl, createdAt, updatedAt, dueAt, ...rest } =
    data;
  assert.deepEqual(rest, { ...DEFAULTS, channelId, organizationId });
  assert.ok(Number.isSafeInteger(id) && id > 0);
  assert.match(code, /^TSK-[0-9A-HJKMNP-TV-Z]{10}$/);
  assert.match(trackingUrl, /^\/t\/[\w-]{20,}$/);
  assert.match(createdAt, UTC);
  assert.equal(updatedAt, createdAt);
  assert.equal(Date.parse(dueAt) - Date.parse(createdAt), 24 * 3_600_000);
  assert.deepEqual(customer, {
    id: customerId,
    userId: customer!.userId,
    customerType: 'individual',
    user: {
      id: customer!.userId,
      firstName: 'Ada',
      lastName: 'Lovelace',
      email: null,
      phoneNumber: '2079460001',
      countryCode: '+44',
    },
  });
  assert.deepEqual(fieldsOf(location!), [...LOCATION_FIELDS].sort());
  assert.equal(location!.id, locationId);
});

test('a success is wrapped in the envelope', async () => {
  const before = Date.now();
  const { headers, body } = await fixture.api.post('/tasks', taskInput());
  assert.deepEqual(fieldsOf(body), ['data', 'message', 'metadata', 'statusCode', 'statusIndicator']);
  assert.equal(body.statusIndicator, 'SUCCESS');
  assert.equal(body.statusCode, 201);
  assert.equal(typeof body.message, 'string');
  assert.deepEqual(fieldsOf(body.metadata), ['correlationId', 'duration', 'path', 'position', 'timestamp']);
  assert.match(body.metadata.timestamp, UTC);
  assert.match(body.metadata.correlationId, UUID);
  assert.equal(body.metadata.path, '/v1/tasks');
  assert.ok(body.metadata.duration >= 0 && body.metadata.duration <= Date.now() - before + 1);
  assert.match(headers['content-type']!, /^application\/json/);
});

test('every optional field of the request comes back in the task', async () => {
  const given = {
    description: 'Ring twice',
    notes: 'Blue door',
    code: 'ORDER-1',
    estimatedDuration: 45,
    requiredSkills: ['cold chain', 'heavy'],
    integrationData: { orderId: 'A-1', lines: [{ sku: 1 }] },
  };
  const times = {
    readyAt: '2031-01-01T08:00:00+02:00',
    windowStart: '2031-01-01T09:00:00.5Z',
    windowEnd: '2031-01-01T10:00Z',
  };
  const task = await fixture.api.createTask({ ...given, ...times });
  const { readyAt, windowStart, windowEnd, ...rest } = task;
  assert.deepEqual({ ...rest, ...given }, rest);
  assert.deepEqual(
    [readyAt, windowStart, windowEnd],
    ['2031-01-01T06:00:00.000Z', '2031-01-01T09:00:00.500Z', '2031-01-01T10:00:00.000Z'],
  );
});

test('null stands for an absent optional field', async () => {
  const task = await fixture.api.createTask({
    customerId: null,
    locationId: null,
    channelId: null,
    timeToServe: null,
    scheduledAt: null,
    code: null,
    notes: null,
    packages: null,
    packageIds: null,
    autoAssign: null,
    preferredAgentId: null,
    description: null,
    integrationData: null,
    estimatedDuration: null,
    requiredSkills: null,
  });
  assert.equal(task.timeToServe, 'asap');
  assert.match(task.code, /^TSK-/);
  assert.deepEqual(task.packages, []);
});

for (const taskType of ['delivery', 'pickup', 'return', 'transfer']) {
  test(`a task may be a ${taskType}`, async () => {
    assert.equal((await fixture.api.createTask({ taskType })).taskType, taskType);
  });
}

test('coordinates are strings with exactly 8 decimals', async () => {
  for (const [latitude, longitude, shown] of [
    [90, -180, ['90.00000000', '-180.00000000']],
    [-0.5, 0, ['-0.50000000', '0.00000000']],
    [-0.000000004, -0.000000006, ['0.00000000', '-0.00000001']],
    [51.123456789, 0.000000014, ['51.12345679', '0.00000001']],
  ] as const) {
    const { location } = await fixture.api.createTask({ location: { address: 'x', latitude, longitude } });
    assert.deepEqual([location!.latitude, location!.longitude], shown);
  }
});

test('a location keeps building, floor and apartment, and each inline one is a new row', async () => {
  const location = { address: 'Tower', latitude: 1, longitude: 2, building: 'B', floor: '3', apartment: '3-14' };
  const first = await fixture.api.createTask({ location });
  const second = await fixture.api.createTask({
    location,
    pickupLocation: { ...location, address: 'Depot', floor: null },
  });
  assert.deepEqual(first.location, {
    ...location,
    id: first.locationId,
    latitude: '1.00000000',
    longitude: '2.00000000',
  });
  assert.notEqual(first.locationId, second.locationId);
  assert.equal(second.pickupLocation!.address, 'Depot');
  assert.equal(second.pickupLocation!.floor, null);
  assert.notEqual(second.pickupLocation!.id, second.locationId);
});

test('the alternate shape is accepted: type in any case, dropoffLocation, no name', async () => {
  const place = { address: 'Elm Street 1', latitude: 1, longitude: 2 };
  const customer = { name: 'Ada', phone: '+442079460001' };
  for (const type of ['DELIVERY', 'Pickup', 'return']) {
    const { status, body } = await fixture.api.post('/tasks', {
      type,
      customer,
      pickupLocation: place,
      dropoffLocation: place,
    });
    assert.equal(status, 201);
    assert.equal(body.data.taskType, type.toLowerCase());
    assert.equal(body.data.name, body.data.code);
    assert.equal(body.data.location!.address, place.address);
    assert.equal(body.data.pickupLocation!.address, place.address);
  }
});

test('a scheduled task keeps the moment in UTC', async () => {
  const task = await fixture.api.createTask({ timeToServe: 'scheduled', scheduledAt: '2031-06-01T12:00:00+05:30' });
  assert.equal(task.timeToServe, 'scheduled');
  assert.equal(task.scheduledAt, '2031-06-01T06:30:00.000Z');
});

test('scheduledAt is ignored for asap, even in the past', async () => {
  for (const scheduledAt of ['2031-06-01T12:00:00Z', '2001-06-01T12:00:00Z']) {
    for (const timeToServe of ['asap', undefined]) {
      assert.equal((await fixture.api.createTask({ timeToServe, scheduledAt })).scheduledAt, null);
    }
  }
});

test('autoAssign answers new and pending', async () => {
  const task = await fixture.api.createTask({ autoAssign: true });
  assert.deepEqual([task.status, task.autoAssignmentStatus, task.agentId], ['new', 'pending', null]);
});

test('a code is unique in the organization, also among tasks made at the same time', async () => {
  const replies = await Promise.all(
    Array.from({ length: 20 }, () => fixture.api.post('/tasks', taskInput({ code: 'RACE-1' }))),
  );
  assert.equal(replies.filter(({ status }) => status === 201).length, 1);
  for (const { status, body } of replies.filter((reply) => reply.status !== 201)) {
    assert.equal(status, 409);
    assert.equal(body.code, 'TASK_CODE_TAKEN');
    assert.equal(body.error, 'Conflict');
  }
  const other = await fixture.organization();
  assert.equal((await other.api.createTask({ code: 'RACE-1' })).code, 'RACE-1');
});

test('text comes back byte for byte: other scripts, right to left, zero width, four bytes, long combining runs', async () => {
  const notes = [
    'Ünïcödé',
    'שלום',
    'a\u200db\u202ec',
    '🚚💨',
    `e${'\u0301'.repeat(9_000)}`,
    'é vs e\u0301',
    '"\\\n\t\u2028</script>',
    '\ufeffbom',
  ];
  for (const text of notes) {
    const task = await fixture.api.createTask({ notes: text });
    assert.equal(task.notes, text);
    const { items } = (await fixture.api.list('limit=1')).body.data;
    assert.equal(items[0]!.notes, text);
  }
});
