import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withSql } from '../../support/seeds/seed.ts';
import { useGateway } from '../api-fixture.ts';

interface Warehouse {
  readonly id: number;
  readonly name: string;
  readonly location: { readonly id: number; readonly address: string; readonly latitude: string };
  readonly isActive: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
}
interface WarehouseList {
  readonly items: Warehouse[];
  readonly count: number;
}

const fixture = useGateway();

const place = { address: 'Dock 4, Harbour Road', latitude: 53.54, longitude: 9.98, building: 'B' };

async function createWarehouse(api = fixture.api, fields: object = {}): Promise<Warehouse> {
  const reply = await api.post<Warehouse>('/warehouses', { name: 'North', location: place, ...fields });
  assert.equal(reply.status, 201, reply.text);
  return reply.body.data;
}

test('a warehouse is answered with its place, active unless it is said otherwise', async () => {
  const { id, location, createdAt, updatedAt, ...rest } = await createWarehouse();
  assert.deepEqual(rest, { name: 'North', isActive: true });
  assert.deepEqual(location, {
    id: location.id,
    address: 'Dock 4, Harbour Road',
    latitude: '53.54000000',
    longitude: '9.98000000',
    building: 'B',
    floor: null,
    apartment: null,
  });
  assert.ok(id > 0 && location.id > 0);
  assert.equal(createdAt, updatedAt);
  assert.equal((await createWarehouse(fixture.api, { isActive: false })).isActive, false);
});

test('every violation is named at once', async () => {
  const location = { address: '', latitude: 91, longitude: 'east' };
  const { status, body } = await fixture.api.post('/warehouses', { name: 7, location, isActive: 'yes' });
  assert.equal(status, 400);
  assert.deepEqual(body.message, [
    'name must be a string',
    'location.address must not be empty',
    'location.latitude must be between -90 and 90',
    'location.longitude must be a number or a decimal string',
    'isActive must be a boolean',
  ]);
  assert.deepEqual((await fixture.api.post('/warehouses', {})).body.message, [
    'name is required',
    'location is required',
  ]);
});

test('warehouses are listed newest first, page by page, and counted exactly', async () => {
  const { api } = await fixture.organization();
  const created: Warehouse[] = [];
  for (let number = 0; number < 5; number++) created.push(await createWarehouse(api, { name: `House ${number}` }));
  const newestFirst = created.toReversed();
  const all = await api.get<WarehouseList>('/warehouses');
  assert.deepEqual(all.body.data, { items: newestFirst, count: 5, nextCursor: null });
  assert.match(all.body.metadata.position, /^[a-z0-9]+-\d+$/);
  const second = await api.get<WarehouseList>('/warehouses?limit=2&page=2');
  assert.deepEqual([second.body.data.items, second.body.data.count], [newestFirst.slice(2, 4), 5]);
  const far = await api.get<WarehouseList>('/warehouses?limit=2&page=9000000000');
  assert.deepEqual(far.body.data, { items: [], count: 5, nextCursor: null });
  for (const query of ['limit=101', 'page=0']) assert.equal((await api.get(`/warehouses?${query}`)).status, 400);
});

test('a warehouse reads back as it was answered', async () => {
  const created = await createWarehouse();
  const { status, body, headers } = await fixture.api.get<Warehouse>(`/warehouses/${created.id}`);
  assert.deepEqual([status, body.data], [200, created]);
  const same = await fixture.api.get(`/warehouses/${created.id}`, { 'if-none-match': headers.etag! });
  assert.deepEqual([same.status, same.text], [304, '']);
});

test('only the fields that are sent change', async () => {
  const before = await createWarehouse();
  const { status, body } = await fixture.api.patch<Warehouse>(`/warehouses/${before.id}`, { isActive: false });
  assert.equal(status, 200);
  const { updatedAt } = body.data;
  assert.deepEqual(body.data, { ...before, isActive: false, updatedAt });
  const renamed = await fixture.api.patch<Warehouse>(`/warehouses/${before.id}`, { name: 'South', isActive: null });
  assert.deepEqual([renamed.body.data.name, renamed.body.data.isActive], ['South', false]);
  assert.deepEqual((await fixture.api.get<Warehouse>(`/warehouses/${before.id}`)).body.data, renamed.body.data);
});

test('moving makes a new location and edits none: a task that started there still does', async () => {
  const before = await createWarehouse();
  const task = await fixture.api.createTask({ pickupWarehouseId: before.id });
  assert.deepEqual(task.pickupLocation, before.location);
  const location = { address: 'New Dock', latitude: 53.6, longitude: 10 };
  const { body } = await fixture.api.patch<Warehouse>(`/warehouses/${before.id}`, { location });
  assert.notEqual(body.data.location.id, before.location.id);
  assert.equal(body.data.location.address, 'New Dock');
  assert.deepEqual((await fixture.api.get(`/tasks/${task.id}`)).body.data.pickupLocation, before.location);
  const next = await fixture.api.createTask({ pickupWarehouseId: before.id });
  assert.deepEqual(next.pickupLocation, body.data.location);
});

test('an update without a change is 200 and writes nothing', async () => {
  const before = await createWarehouse();
  for (const change of [{}, { name: 'North', location: place, isActive: true }]) {
    const reply = await fixture.api.patch<Warehouse>(`/warehouses/${before.id}`, change);
    assert.deepEqual([reply.status, reply.body.data], [200, before]);
  }
  const [row] = await withSql(
    fixture.gateway.databaseUrl,
    (sql) => sql<{ version: number }[]>`
    SELECT version FROM warehouses WHERE organization_id = ${fixture.gateway.organizationId} AND id = ${before.id}`,
  );
  assert.equal(row!.version, 1);
});

test('If-Match lets a change through only while the warehouse is as it was read', async () => {
  const { id } = await createWarehouse();
  const { etag } = (await fixture.api.get(`/warehouses/${id}`)).headers;
  const change = (name: string, tag: string) => fixture.api.patch(`/warehouses/${id}`, { name }, { 'if-match': tag });
  const first = await change('First', etag!);
  assert.equal(first.status, 200);
  const second = await change('Second', etag!);
  assert.deepEqual([second.status, second.body.code], [412, 'PRECONDITION_FAILED']);
  assert.equal((await change('Third', first.headers.etag!)).status, 200, 'the tag of the answer is the tag of a read');
});

test('of 50 warehouses at once exactly as many are created as the limit allows, and the others get the reason', async () => {
  const { api } = await fixture.organization({ limits: { warehouses: 7 } });
  const posts = Array.from({ length: 50 }, () => api.post('/warehouses', { name: 'North', location: place }));
  const refused = (await Promise.all(posts)).filter(({ status }) => status !== 201);
  assert.equal(refused.length, 43);
  for (const { status, body } of refused) {
    assert.deepEqual([status, body.code], [403, 'PACKAGE_LIMIT_EXCEEDED']);
    assert.deepEqual(body.details, { resource: 'warehouses', limit: 7, used: 7, remaining: 0, resetsAt: null });
  }
  assert.equal((await api.get<WarehouseList>('/warehouses')).body.data.count, 7);
});

test('a retry with its key gets the first answer and makes no second warehouse', async () => {
  const { api } = await fixture.organization();
  const body = { name: 'Once', location: place };
  const [first, again] = [
    await api.post<Warehouse>('/warehouses', body, { 'idempotency-key': 'warehouse-1' }),
    await api.post<Warehouse>('/warehouses', body, { 'idempotency-key': 'warehouse-1' }),
  ];
  assert.deepEqual([again.status, again.body.data], [201, first.body.data]);
  assert.equal((await api.get<WarehouseList>('/warehouses')).body.data.count, 1);
});
