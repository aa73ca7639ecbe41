import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ApiClient, createApiClient, taskInput } from '../../support/api-client.ts';
import { seedAgent, seedChannel, withSql } from '../../support/seeds/seed.ts';
import { createTestPlace, startTestGateway } from '../../support/system/gateway.ts';
import { useGateway } from '../api-fixture.ts';

let agentId: number;
let foreign: {
  customerId: number;
  locationId: number;
  channelId: number;
  packageIds: number[];
  preferredAgentId: number;
};

const fixture = useGateway({}, async ({ gateway: { databaseUrl, organizationId }, organization }) => {
  agentId = (await seedAgent(databaseUrl, organizationId)).agentId;
  const other = await organization();
  const agent = await seedAgent(databaseUrl, other.organizationId);
  const { customerId, locationId, packages } = await other.api.createTask({ packages: [{ name: 'box' }] });
  foreign = {
    customerId: customerId!,
    locationId: locationId!,
    channelId: other.channelId,
    packageIds: packages.map(({ id }) => id),
    preferredAgentId: agent.agentId,
  };
});

test('records of the organization can be named by their ids', async () => {
  const { api, gateway } = fixture;
  const first = await api.createTask();
  const { channelId } = await seedChannel(gateway.databaseUrl, gateway.organizationId);
  const { customerId, locationId } = first;
  const task = await api.createTask({
    customer: undefined,
    customerId,
    location: undefined,
    locationId,
    channelId,
    preferredAgentId: agentId,
  });
  assert.deepEqual(task.customer, first.customer);
  assert.deepEqual(task.location, first.location);
  assert.equal(task.channelId, channelId);
  assert.deepEqual([task.agentId, task.autoAssignmentStatus], [null, 'not_requested'], 'a preference assigns nobody');
});

test('a task at a place that was there before is found by it, as is the one that the place was made for', async () => {
  const { api } = fixture;
  const { id, locationId } = await api.createTask();
  const later = await api.createTask({ location: undefined, locationId });
  const { items } = (await api.list(`locationId=${locationId}`)).body.data;
  assert.deepEqual(
    items.map((task) => task.id),
    [later.id, id],
  );
});

/** The fields that name records, in field order, with what the 404 calls them. */
const REFERENCES = [
  ['customerId', 'Customer', { customer: undefined }],
  ['locationId', 'Location', { location: undefined }],
  ['channelId', 'Channel', {}],
  ['packageIds', 'Package', {}],
  ['preferredAgentId', 'Agent', {}],
] as const;
const UNKNOWN = 999_000_111;

for (const [field, noun, without] of REFERENCES) {
  test(`${field}: an unknown record and another organization's are refused with the same bytes`, async () => {
    const { api } = fixture;
    const wrap = (id: number) => (field === 'packageIds' ? [id] : id);
    const foreignId = [foreign[field]].flat()[0]!;
    const unknown = await api.post('/tasks', taskInput({ ...without, [field]: wrap(UNKNOWN) }));
    const refused = await api.post('/tasks', taskInput({ ...without, [field]: wrap(foreignId) }));
    assert.equal(
      unknown.text,
      `{"statusCode":404,"message":"${noun} with ID ${UNKNOWN} not found","error":"Not Found"}`,
    );
    assert.equal(refused.status, 404);
    assert.equal(refused.text.replace(`ID ${foreignId} `, `ID ${UNKNOWN} `), unknown.text);
  });
}

test('of several unknown records the first in field order is named', async () => {
  const { api } = fixture;
  const bad = {
    customer: undefined,
    customerId: 900_001,
    location: undefined,
    locationId: 900_002,
    channelId: 900_003,
  };
  const all = { preferredAgentId: 900_005, packageIds: [900_004], ...bad };
  const named: string[] = [];
  const body: Record<string, unknown> = taskInput(all);
  for (const [field, noun, without] of REFERENCES) {
    const { body: refused } = await api.post('/tasks', body);
    named.push(String(refused.message).split(' ')[0]!);
    delete body[field];
    for (const absent of Object.keys(without)) body[absent] = taskInput()[absent];
    assert.equal(named.at(-1), noun);
  }
  assert.equal((await api.post('/tasks', body)).status, 201);
});

test('a packages list keeps the two field lists filling each other, in the order given', async () => {
  const task = await fixture.api.createTask({
    packages: [
      { description: 'glass', weight: 1.25, quantity: 3, barcode: 'B-1' },
      { name: 'Box', quantity: 1, width: 10, height: 20.5, length: 0, isFragile: true, notes: 'this side up' },
      { name: 'Crate', description: 'apples' },
    ],
  });
  const [glass, box, crate] = task.packages;
  const base = {
    taskId: task.id,
    quantity: 1,
    weight: null,
    width: null,
    height: null,
    length: null,
    isFragile: false,
    barcode: null,
    notes: null,
    status: 'pending',
    scannedAt: null,
    createdAt: task.createdAt,
    updatedAt: task.createdAt,
  };
  assert.deepEqual(glass, {
    ...base,
    id: glass!.id,
    name: 'glass',
    description: 'glass',
    weight: 1.25,
    quantity: 3,
    barcode: 'B-1',
  });
  const sizes = { width: 10, height: 20.5, length: 0 };
  assert.deepEqual(box, {
    ...base,
    id: box!.id,
    name: 'Box',
    description: 'Box',
    ...sizes,
    isFragile: true,
    notes: 'this side up',
  });
  assert.deepEqual(crate, { ...base, id: crate!.id, name: 'Crate', description: 'apples' });
});

test('packages of an open task stay where they are', async () => {
  const { api } = fixture;
  const { packages } = await api.createTask({ packages: [{ name: 'mine' }] });
  const { status, body } = await api.post('/tasks', taskInput({ packageIds: [packages[0]!.id] }));
  assert.equal(status, 409);
  assert.equal(body.code, 'PACKAGE_ATTACHED');
});

test('packages of an ended task move to the new one', async () => {
  const { api } = fixture;
  const ended = await api.createTask({ packages: [{ name: 'again' }] });
  const [moved] = ended.packages;
  await api.put(`/tasks/${ended.id}/status`, { status: 'cancelled' });
  const task = await api.createTask({ packageIds: [moved!.id], packages: [{ name: 'more' }] });
  const names = new Map(task.packages.map((item) => [item.name, item]));
  assert.deepEqual([...names.keys()].sort(), ['again', 'more']);
  assert.deepEqual([names.get('again')!.id, names.get('again')!.taskId], [moved!.id, task.id]);
  assert.deepEqual((await api.get(`/tasks/${ended.id}`)).body.data.packages, []);
  assert.deepEqual((await api.list(`limit=1`)).body.data.items[0], task);
});

test('of many tasks that want one free package at the same time one gets it', async () => {
  const { api } = fixture;
  const ended = await api.createTask({ packages: [{ name: 'wanted' }] });
  await api.put(`/tasks/${ended.id}/status`, { status: 'cancelled' });
  const input = taskInput({ packageIds: [ended.packages[0]!.id] });
  const replies = await Promise.all(Array.from({ length: 20 }, () => api.post('/tasks', input)));
  const statuses = replies.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [201, ...Array.from({ length: 19 }, () => 409)]);
});

test('a package named twice is attached once', async () => {
  const { api } = fixture;
  const ended = await api.createTask({ packages: [{ name: 'twice' }] });
  await api.put(`/tasks/${ended.id}/status`, { status: 'cancelled' });
  const [{ id } = { id: 0 }] = ended.packages;
  const task = await api.createTask({ packageIds: [id, id] });
  assert.deepEqual(
    task.packages.map((item) => item.id),
    [id],
  );
  assert.deepEqual((await api.list('limit=1')).body.data.items[0], task);
});

test('a delivered package does not move', async () => {
  const place = await createTestPlace();
  const packageId = await withGateway(async (api) => {
    const { id, packages } = await api.createTask({ packages: [{ name: 'delivered' }] });
    await withSql(place.databaseUrl, async (sql) => {
      await sql`UPDATE packages SET status = 'delivered' WHERE organization_id = ${place.organizationId}`;
      await sql`UPDATE tasks SET status = 'completed', status_rank = 5 WHERE organization_id = ${place.organizationId} AND id = ${id}`;
    });
    return packages[0]!.id;
  });
  const { status, body } = await withGateway((api) => api.post('/tasks', taskInput({ packageIds: [packageId] })));
  await place.drop();
  assert.equal(status, 409);
  assert.equal(body.code, 'PACKAGE_ATTACHED');

  async function withGateway<T>(work: (api: ApiClient) => Promise<T>): Promise<T> {
    const gateway = await startTestGateway({ place });
    const api = createApiClient(gateway);
    try {
      return await work(api);
    } finally {
      api.close();
      await gateway.stop();
    }
  }
});

test('an unknown parent is reported before a code that is taken', async () => {
  const { code } = await fixture.api.createTask();
  const reply = await fixture.api.post('/tasks', taskInput({ code, parentId: 999_000_111 }));
  assert.equal(reply.status, 404);
});
