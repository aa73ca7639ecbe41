import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HistoryStepView } from '../../../schema/tasks/task-history.ts';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import { type ApiClient, taskInput } from '../../support/api-client.ts';
import { seedAgent, withSql } from '../../support/seeds/seed.ts';
import { seedTasks } from '../../support/seeds/seed-task.ts';
import { useGateway } from '../api-fixture.ts';

const fixture = useGateway();

interface EventPage {
  readonly items: { readonly type: string; readonly data: { readonly task: TaskView; readonly changed?: string[] } }[];
}
interface History {
  readonly items: HistoryStepView[];
}

const SOON = '2032-06-01T10:00:00.000Z';
const DUE = '2032-06-01T11:00:00.000Z';
const LATER = '2032-06-02T10:00:00.000Z';
const PLACE = { address: '1 New Street', latitude: 48.8566, longitude: 2.3522 };
/** The planned times of the task that is changed. */
const [READY, OPENS, CLOSES] = ['2032-06-01T07:00:00.000Z', '2032-06-01T08:00:00.000Z', '2032-06-01T18:00:00.000Z'];
const FULL = {
  notes: 'gate 4',
  description: 'two boxes',
  integrationData: { order: 7 },
  packages: [{ name: 'box' }],
  readyAt: READY,
  windowStart: OPENS,
  windowEnd: CLOSES,
  estimatedDuration: 60,
  requiredSkills: ['lift'],
};

const events = async (api: ApiClient) => (await api.get<EventPage>('/events')).body.data.items;

/** Everywhere a task is shown it is this one. */
async function assertShown(api: ApiClient, task: TaskView): Promise<void> {
  assert.deepEqual((await api.get(`/tasks/${task.id}`)).body.data, task);
  const { items } = (await api.list('limit=100')).body.data;
  assert.deepEqual(
    items.find(({ id }) => id === task.id),
    task,
  );
}

/** A field, what is sent, how the task differs then, and what the event names as changed. */
const CHANGES: readonly (readonly [
  name: string,
  input: object,
  after: Partial<TaskView>,
  changed: readonly string[],
])[] = [
  ['notes', { notes: 'ring twice' }, { notes: 'ring twice' }, ['notes']],
  ['notes to nothing', { notes: null }, { notes: null }, ['notes']],
  ['notes to an empty text', { notes: '' }, { notes: '' }, ['notes']],
  ['the description', { description: 'three' }, { description: 'three' }, ['description']],
  ['the description to nothing', { description: null }, { description: null }, ['description']],
  [
    'integrationData',
    { integrationData: { order: 8, deep: [1, null] } },
    { integrationData: { order: 8, deep: [1, null] } },
    ['integrationData'],
  ],
  ['integrationData to an empty object', { integrationData: {} }, { integrationData: {} }, ['integrationData']],
  ['integrationData to nothing', { integrationData: null }, { integrationData: null }, ['integrationData']],
  [
    'scheduledAt, which makes it scheduled',
    { scheduledAt: '2032-06-01T12:00:00+02:00' },
    { scheduledAt: SOON, timeToServe: 'scheduled' },
    ['scheduledAt', 'timeToServe'],
  ],
  [
    'several fields at once',
    { notes: 'a', description: 'b', scheduledAt: SOON },
    { notes: 'a', description: 'b', scheduledAt: SOON, timeToServe: 'scheduled' },
    ['notes', 'description', 'scheduledAt', 'timeToServe'],
  ],
  ['the name', { name: 'Two boxes' }, { name: 'Two boxes' }, ['name']],
  ['readyAt', { readyAt: '2032-06-01T11:00:00+02:00' }, { readyAt: '2032-06-01T09:00:00.000Z' }, ['readyAt']],
  ['readyAt to nothing', { readyAt: null }, { readyAt: null }, ['readyAt']],
  ['windowStart', { windowStart: SOON }, { windowStart: SOON }, ['windowStart']],
  ['windowStart to nothing', { windowStart: null }, { windowStart: null }, ['windowStart']],
  ['windowEnd, and with it dueAt', { windowEnd: LATER }, { windowEnd: LATER, dueAt: LATER }, ['windowEnd']],
  ['estimatedDuration', { estimatedDuration: 45 }, { estimatedDuration: 45 }, ['estimatedDuration']],
  ['estimatedDuration to nothing', { estimatedDuration: null }, { estimatedDuration: null }, ['estimatedDuration']],
  ['the skills', { requiredSkills: ['cold', 'lift'] }, { requiredSkills: ['cold', 'lift'] }, ['requiredSkills']],
  ['the skills to nothing', { requiredSkills: null }, { requiredSkills: [] }, ['requiredSkills']],
  [
    'the whole plan',
    { scheduledAt: SOON, windowStart: null, windowEnd: null, readyAt: null },
    { scheduledAt: SOON, timeToServe: 'scheduled', windowStart: null, windowEnd: null, readyAt: null, dueAt: DUE },
    ['readyAt', 'windowStart', 'windowEnd', 'scheduledAt', 'timeToServe'],
  ],
];

for (const [name, input, after, changed] of CHANGES) {
  test(`PATCH changes ${name}, and nothing else`, async () => {
    const { api } = await fixture.organization();
    const task = await api.createTask(FULL);
    const { status, body } = await api.patch(`/tasks/${task.id}`, input);
    assert.equal(status, 200);
    const { updatedAt } = body.data;
    assert.ok(updatedAt >= task.updatedAt);
    assert.deepEqual(body.data, { ...task, ...after, updatedAt });
    await assertShown(api, body.data);
    const [, told] = await events(api);
    assert.equal(told!.type, 'task.updated');
    assert.deepEqual([told!.data.task, told!.data.changed], [body.data, changed]);
    const [, step] = (await api.get<History>(`/tasks/${task.id}/history`)).body.data.items;
    assert.deepEqual([step!.kind, step!.details, step!.at], ['updated', { changed }, updatedAt]);
  });
}

for (const [name, input] of [
  ['nothing', {}],
  ['what is so already', alreadySo()],
  ['the place where it is already', { location: taskInput()['location'] }],
  ['null for what cannot be cleared', nullOf(['scheduledAt', 'location', 'dropoffLocation', 'packages', 'name'])],
  ['null for the pickup, which stays', nullOf(['pickupLocation', 'pickupWarehouseId'])],
  ['null for a preferred agent that it has not', { preferredAgentId: null }],
  ['fields that the server owns', { id: 1, status: 'completed', code: 'X', createdAt: SOON, agentId: 4 }],
] as const) {
  test(`PATCH with ${name} changes nothing: no event, the same updatedAt`, async () => {
    const { api } = await fixture.organization();
    const task = await api.createTask(FULL);
    const { status, body } = await api.patch(`/tasks/${task.id}`, input);
    assert.equal(status, 200);
    assert.deepEqual(body.data, task);
    assert.equal((await events(api)).length, 1);
  });
}

function nullOf(names: readonly string[]): object {
  return Object.fromEntries(names.map((name) => [name, null]));
}

function alreadySo(): object {
  const { packages: _, ...rest } = FULL;
  return rest;
}

for (const field of ['location', 'dropoffLocation']) {
  test(`${field} moves the task to a new place and leaves the old one as it was`, async () => {
    const { api, organizationId } = await fixture.organization();
    const task = await api.createTask();
    const other = await api.createTask({ location: undefined, locationId: task.locationId });
    const { body } = await api.patch(`/tasks/${task.id}`, { [field]: { ...PLACE, floor: '3' } });
    const { location, locationId, updatedAt } = body.data;
    assert.notEqual(locationId, task.locationId);
    assert.deepEqual(location, {
      id: locationId,
      address: '1 New Street',
      latitude: '48.85660000',
      longitude: '2.35220000',
      building: null,
      floor: '3',
      apartment: null,
    });
    assert.deepEqual(body.data, { ...task, location, locationId, updatedAt });
    await assertShown(api, body.data);
    await assertShown(api, other);
    assert.deepEqual((await events(api)).at(-1)!.data.changed, ['location']);
    const found = (await api.list(`locationId=${locationId}`)).body.data;
    assert.deepEqual([found.count, found.items[0]!.id], [1, task.id]);
    assert.equal((await api.list(`locationId=${task.locationId}`)).body.data.count, 1);
    const rows = await withSql(
      fixture.gateway.databaseUrl,
      (sql) => sql<{ id: number }[]>`SELECT id FROM locations WHERE organization_id = ${organizationId} ORDER BY id`,
    );
    assert.deepEqual(
      rows.map(({ id }) => id),
      [task.locationId, locationId],
    );
  });
}

test('the pickup is a place, or that of a warehouse; the preferred agent one of the organization', async () => {
  const { api, organizationId } = await fixture.organization();
  const { id } = await api.createTask();
  const depot = (
    await api.post<{ id: number; location: { id: number } }>('/warehouses', { name: 'D', location: PLACE })
  ).body.data;
  const { agentId } = await seedAgent(fixture.gateway.databaseUrl, organizationId);
  const change = async (input: object) => (await api.patch(`/tasks/${id}`, input)).body.data;
  const quay = { ...PLACE, address: 'Quay 2' };
  assert.equal((await change({ pickupLocation: quay })).pickupLocation!.address, 'Quay 2');
  assert.equal((await change({ pickupWarehouseId: depot.id })).pickupLocation!.id, depot.location.id);
  const task = await change({ preferredAgentId: agentId });
  assert.equal(task.preferredAgentId, agentId);
  const told = (await events(api)).slice(1).map(({ data }) => data.changed);
  assert.deepEqual(told, [['pickupLocation'], ['pickupLocation'], ['preferredAgentId']]);
  await api.patch(`/warehouses/${depot.id}`, { isActive: false });
  const same = await change({ pickupWarehouseId: depot.id, pickupLocation: null, preferredAgentId: agentId });
  assert.deepEqual(same, task, 'what is so already, also where the warehouse is not active any more');
  await change({ pickupLocation: quay });
  const refused = await api.patch(`/tasks/${id}`, { name: 'X', pickupWarehouseId: depot.id });
  assert.deepEqual([refused.status, refused.body.code], [409, 'WAREHOUSE_INACTIVE']);
  const unknown = { pickupWarehouseId: 999_000_111, preferredAgentId: 999_000_112 };
  assert.equal((await api.patch(`/tasks/${id}`, unknown)).body.message, 'Warehouse with ID 999000111 not found');
  assert.equal((await change({ preferredAgentId: null })).preferredAgentId, null);
  await assertShown(api, (await api.get(`/tasks/${id}`)).body.data);
});

test('a new time takes an asap task into the scheduled ones, and a further one moves it', async () => {
  const { api } = await fixture.organization();
  const { id } = await api.createTask();
  for (const scheduledAt of [SOON, LATER]) {
    const { body } = await api.patch(`/tasks/${id}`, { scheduledAt });
    assert.deepEqual([body.data.scheduledAt, body.data.timeToServe], [scheduledAt, 'scheduled']);
    const changed = scheduledAt === SOON ? ['scheduledAt', 'timeToServe'] : ['scheduledAt'];
    assert.deepEqual((await events(api)).at(-1)!.data.changed, changed);
    assert.equal((await api.list('timeToServe=scheduled')).body.data.count, 1);
    assert.equal((await api.list('timeToServe=asap')).body.data.count, 0);
    assert.equal((await api.list(`scheduledFrom=${scheduledAt}&scheduledTo=${scheduledAt}`)).body.data.count, 1);
  }
});

for (const [name, input, told] of [
  ['a time in the past', { scheduledAt: '2020-01-01T00:00:00Z' }, ['scheduledAt must be in the future']],
  [
    'a time in the past and notes that are none',
    { notes: 5, scheduledAt: '2020-01-01T00:00:00Z' },
    ['notes must be a string', 'scheduledAt must be in the future'],
  ],
  [
    'both names of the place',
    { location: PLACE, dropoffLocation: PLACE },
    ['dropoffLocation must not be given together with location'],
  ],
  [
    'both names of the pickup',
    { pickupLocation: PLACE, pickupWarehouseId: 1 },
    ['pickupWarehouseId must not be given together with pickupLocation'],
  ],
  [
    'planned fields that are none',
    { name: '', readyAt: 'soon', estimatedDuration: 0, requiredSkills: 'lift', preferredAgentId: 'x' },
    [
      'name must not be empty',
      'readyAt must be an ISO 8601 date-time with a zone or offset',
      'estimatedDuration must be a positive integer',
      'requiredSkills must be an array',
      'preferredAgentId must be a number',
    ],
  ],
  [
    'a place without coordinates',
    { location: { address: 'x' } },
    ['location.latitude is required', 'location.longitude is required'],
  ],
  ['a package twice', { packages: [{ id: 5 }, { id: 5 }] }, ['packages must not name a package twice']],
  ['a new package without a name', { packages: [{ quantity: 2 }] }, ['packages.0 must have a name or a description']],
  ['an id past 2^53', { packages: [{ id: 2 ** 53 }] }, ['packages.0.id must be a positive integer']],
  [
    'too many packages',
    { packages: Array.from({ length: 101 }, () => ({ name: 'x' })) },
    ['packages must add at most 100 packages'],
  ],
  [
    'many faults',
    { notes: 5, scheduledAt: 'soon', packages: {} },
    [
      'notes must be a string',
      'scheduledAt must be an ISO 8601 date-time with a zone or offset',
      'packages must be an array',
    ],
  ],
] as const) {
  test(`PATCH with ${name} is a violation`, async () => {
    const { id } = await fixture.api.createTask();
    const { status, body } = await fixture.api.patch(`/tasks/${id}`, input);
    assert.deepEqual([status, body.message], [400, told]);
  });
}

test('the list of packages is replaced: by id one stays or changes, without id one is added, the others leave', async () => {
  const { api } = await fixture.organization();
  const task = await api.createTask({ packages: [{ name: 'kept' }, { name: 'changed', weight: 2 }, { name: 'gone' }] });
  const [kept, changed, gone] = task.packages;
  const { body } = await api.patch(`/tasks/${task.id}`, {
    packages: [
      { description: 'added', quantity: 4 },
      { id: changed!.id, weight: null, notes: 'fragile', isFragile: true },
      { id: kept!.id, name: null, quantity: null },
    ],
  });
  const { updatedAt, packages } = body.data;
  const added = packages[2]!;
  assert.deepEqual(packages, [
    kept,
    { ...changed, weight: null, notes: 'fragile', isFragile: true, updatedAt },
    { ...kept, id: added.id, name: 'added', description: 'added', quantity: 4, createdAt: updatedAt, updatedAt },
  ]);
  assert.deepEqual((await events(api)).at(-1)!.data.changed, ['packages']);
  await assertShown(api, body.data);

  const moved = await api.createTask({ packageIds: [gone!.id] });
  assert.deepEqual(moved.packages, [{ ...gone, taskId: moved.id, updatedAt: moved.updatedAt }]);
  await assertShown(api, moved);
  await assertShown(api, body.data);
});

test('a removed package stands in Postgres without a task', async () => {
  const { api, organizationId } = await fixture.organization();
  const task = await api.createTask({ packages: [{ name: 'gone' }] });
  await api.patch(`/tasks/${task.id}`, { packages: [] });
  const [row] = await withSql(
    fixture.gateway.databaseUrl,
    (sql) => sql<{ taskId: number | null; status: string }[]>`
      SELECT task_id, status FROM packages WHERE organization_id = ${organizationId}`,
  );
  assert.deepEqual({ ...row }, { taskId: null, status: 'pending' });
  const { status, body } = await api.patch(`/packages/${task.packages[0]!.id}`, { status: 'picking_up' });
  assert.deepEqual([status, body.code], [409, 'PACKAGE_DETACHED']);
});

test('an empty list takes all packages away, an absent one none, the same one changes nothing', async () => {
  const { api } = await fixture.organization();
  const task = await api.createTask({ packages: [{ name: 'a' }, { name: 'b' }] });
  const named = task.packages.map(({ id, name }) => ({ id, name })).reverse();
  assert.deepEqual((await api.patch(`/tasks/${task.id}`, { packages: named })).body.data, task);
  assert.deepEqual((await api.patch(`/tasks/${task.id}`, { notes: 'x' })).body.data.packages, task.packages);
  assert.deepEqual((await api.patch(`/tasks/${task.id}`, { packages: [] })).body.data.packages, []);
  const { status, text } = await api.patch(`/tasks/${task.id}`, { packages: named });
  assert.deepEqual([status, JSON.parse(text).message], [404, `Package with ID ${named[0]!.id} not found`]);
});

test('a package of another task and of nobody are refused with the same bytes', async () => {
  const { api } = fixture;
  const task = await api.createTask({ packages: [{ name: 'own' }] });
  const sibling = await api.createTask({ packages: [{ name: 'a sibling’s' }] });
  const refused = async (id: number) => {
    const { status, text } = await api.patch(`/tasks/${task.id}`, { notes: 'x', packages: [{ id }] });
    assert.equal(status, 404);
    return text.replace(`ID ${id} `, 'ID <id> ');
  };
  const unknown = await refused(999_000_111);
  assert.equal(unknown, '{"statusCode":404,"message":"Package with ID <id> not found","error":"Not Found"}');
  assert.equal(await refused(sibling.packages[0]!.id), unknown);
  assert.deepEqual((await api.get(`/tasks/${task.id}`)).body.data, task);
});

test('a task that is assigned is no longer edited', async () => {
  const { api, ...owner } = await fixture.organization();
  const seed = { status: 'assigned', agentId: null, courierId: 3, packages: ['pending'] } as const;
  const [task] = await seedTasks(fixture.gateway.databaseUrl, owner, [seed]);
  const path = `/tasks/${task!.id}`;
  const before = (await api.get(path)).body.data;
  const reply = await api.patch(path, { notes: 'too late', name: 'X', windowEnd: LATER, packages: [] });
  assert.equal(reply.status, 409);
  assert.deepEqual(reply.body, {
    statusCode: 409,
    message: 'A task in assigned can no longer be edited',
    error: 'Conflict',
    code: 'TASK_NOT_EDITABLE',
    details: { status: 'assigned', editableIn: ['new', 'awaiting_assignment'] },
  });
  assert.deepEqual((await api.get(path)).body.data, before);
});

test('PATCH with an Idempotency-Key is done once, also when it changes nothing', async () => {
  const { api } = await fixture.organization();
  const { id } = await api.createTask();
  const send = (notes: string | null) => api.patch(`/tasks/${id}`, { notes }, { 'idempotency-key': `notes ${notes}` });
  for (const notes of [null, 'once']) {
    const [first, again] = [await send(notes), await send(notes)];
    assert.deepEqual([first.status, again.status, again.headers['idempotency-replayed']], [200, 200, 'true']);
    assert.deepEqual(again.body.data, first.body.data);
  }
  assert.equal((await events(api)).length, 2);
});
