import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { AuditEntryView } from '../../schema/accounts/audit.ts';
import type { ChannelView } from '../../schema/accounts/channel.ts';
import type { AccountView } from '../../schema/accounts/user.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { TaskView } from '../../schema/tasks/task-view.ts';
import { type ApiClient, taskInput } from '../support/api-client.ts';
import { type SeededOrganization, seedChannel, seedSession, seedUser, withSql } from '../support/seeds/seed.ts';
import { untilPast } from '../support/until.ts';
import { useGateway } from './api-fixture.ts';

interface AuditList {
  readonly items: AuditEntryView[];
  readonly count: number;
}
type Place = SeededOrganization & { readonly api: ApiClient };

const fixture = useGateway({ own: 'it fills the queue of the audit log, and its table' });

/** An organization of its own, so that nothing else stands in its log. */
function place(): Promise<Place> {
  return fixture.organization({ role: 'org_admin' });
}

async function audit(api: ApiClient, query = ''): Promise<AuditList> {
  const reply = await api.get<AuditList>(`/audit-logs${query === '' ? '' : `?${query}`}`);
  assert.equal(reply.status, 200, reply.text);
  return reply.body.data;
}

function actionsOf({ items }: AuditList): string[] {
  return items.map(({ action }) => action);
}

/** Fields of a task's JSON that its record has under the same name and in the same form. */
function recordFields(task: TaskView): Record<string, unknown> {
  const { id, name, code, status, notes, description, customerId, locationId, integrationData, createdAt } = task;
  const { agentId, scheduledAt, timeToServe, autoAssignmentStatus } = task;
  const shown = { id, name, code, status, notes, description, customerId, locationId, integrationData, createdAt };
  return { ...shown, agentId, scheduledAt, timeToServe, autoAssignmentStatus };
}

test('every step of a task is in the audit log: actor, action, before and after, time, request, address', async () => {
  const { api, channelId, userId } = await place();
  const correlationId = randomUUID();
  const created = await api.createTask({ notes: 'first' }, { 'x-correlation-id': correlationId });
  const changeId = randomUUID();
  const patched = await api.patch(`/tasks/${created.id}`, { notes: 'second' }, { 'x-correlation-id': changeId });
  assert.equal(patched.status, 200, patched.text);
  await api.put(`/tasks/${created.id}/status`, { status: 'cancelled', reason: 'no more' });
  const { items, count } = await audit(api, `recordType=task&recordId=${created.id}`);
  assert.equal(count, 3);
  const [cancelled, updated, made] = items as [AuditEntryView, AuditEntryView, AuditEntryView];
  const actor = { type: 'channel', id: channelId, userId };
  const record = { type: 'task', id: created.id };
  const { id, at, ...rest } = updated;
  assert.match(id, /^t-\d+$/);
  assert.equal(at, patched.body.data.updatedAt);
  assert.deepEqual(rest, {
    action: 'task.updated',
    record,
    actor,
    before: { notes: 'first' },
    after: { notes: 'second' },
    correlationId: changeId,
    address: '127.0.0.1',
  });
  assert.deepEqual(
    [made.action, made.before, made.correlationId, made.at],
    ['task.created', null, correlationId, created.createdAt],
  );
  assert.deepEqual(
    [cancelled.action, cancelled.before?.['status'], cancelled.after?.['status']],
    ['task.status_changed', 'new', 'cancelled'],
  );
});

test('the entry of a creation shows the task as it was created, regardless of later changes', async () => {
  const { api } = await place();
  const packages = [{ name: 'box', quantity: 2 }, { name: 'bag' }];
  const task = await api.createTask({ notes: 'as made', integrationData: { order: 7 }, packages });
  const path = `/tasks/${task.id}`;
  const [box, bag] = task.packages;
  await api.patch(path, { notes: 'changed', integrationData: { order: 8 } });
  await api.patch(path, { packages: [{ id: box!.id, quantity: 9 }, { name: 'crate' }] });
  await api.patch(path, { location: { address: 'Elsewhere 1', latitude: 1, longitude: 2 } });
  await api.patch(path, { notes: 'changed again' });
  await api.patch(`/packages/${box!.id}`, { status: 'picking_up' });
  await api.put(`${path}/status`, { status: 'cancelled' });
  const { items } = await audit(api, `recordId=${task.id}&recordType=task`);
  const made = items.at(-1)!;
  assert.equal(made.action, 'task.created');
  const after = made.after as Record<string, unknown> & { packages: Record<string, unknown>[] };
  for (const [field, value] of Object.entries(recordFields(task))) assert.deepEqual(after[field], value, field);
  const shown = after.packages.toSorted((a, b) => (a['id'] as number) - (b['id'] as number));
  assert.deepEqual(
    shown.map(({ id, name, quantity, status }) => ({ id, name, quantity, status })),
    [
      { id: box!.id, name: 'box', quantity: 2, status: 'pending' },
      { id: bag!.id, name: 'bag', quantity: 1, status: 'pending' },
    ],
  );
  for (const field of ['trackingToken', 'search', 'movingWhileOpen'])
    assert.ok(!JSON.stringify(items).includes(`"${field}"`), field);
});

test('the parts of a job have entries of their own, one by one, as they were created', async () => {
  const { api } = await place();
  const job = await api.createTask({ name: 'job', children: [taskInput({ name: 'one' }), taskInput({ name: 'two' })] });
  await api.put(`/tasks/${job.id}/status`, { status: 'cancelled' });
  const { items } = await audit(api, 'recordType=task');
  const made = items
    .filter(({ action }) => action === 'task.created')
    .map(({ record, after }) => [record.id, after!['name'], after!['status']]);
  const expected = [job, ...job.children].map(({ id, name }) => [id, name, 'new']);
  assert.deepEqual(made.toSorted(), expected.toSorted());
});

test('entries of customers, warehouses, the organization, users and channels show the whole record', async () => {
  const { api, organizationId, channelId, userId } = await place();
  const customer = { name: 'Ada Lovelace', phone: '+442079460001' };
  const { id: customerId } = (await api.post<{ id: number }>('/customers', customer)).body.data;
  await api.patch(`/customers/${customerId}`, { name: 'Ada King' });
  const dock = { name: 'North', location: { address: 'Dock 4', latitude: 53.5, longitude: 9.9 } };
  await api.post('/warehouses', dock);
  await api.patch(`/organizations/${organizationId}`, { name: 'Renamed' });
  const email = `${randomUUID()}@office.example`;
  const user = (await api.post<AccountView>('/users', { email, name: 'Joan Clarke', role: 'dispatcher' })).body.data;
  const demoted = (await api.patch<AccountView>(`/users/${user.id}`, { role: 'integration' })).body.data;
  const made = (await api.post<ChannelView & { apiKey: string }>('/channels', { name: 'Shop' })).body.data;
  const { apiKey, ...channel } = made;
  const regenerated = await api.post<{ apiKey: string }>(`/channels/${channel.id}/regenerate-key`, undefined);
  const { items, count } = await audit(api);
  assert.deepEqual(actionsOf({ items, count }), [
    'channel.key_regenerated',
    'channel.created',
    'user.created',
    'user.updated',
    'user.created',
    'organization.updated',
    'warehouse.created',
    'customer.updated',
    'customer.created',
  ]);
  assert.equal(count, 9);
  const [, channelMade, , userChanged, userMade, organization, warehouse, customerChanged, customerMade] = items;
  assert.deepEqual([channelMade!.before, channelMade!.after], [null, channel]);
  assert.deepEqual([userMade!.before, userMade!.after], [null, user]);
  assert.deepEqual([userChanged!.before, userChanged!.after], [user, demoted]);
  assert.deepEqual(userChanged!.record, { type: 'user', id: user.id });
  assert.deepEqual([organization!.before!['name'], organization!.after!['name']], ['Test organization', 'Renamed']);
  assert.deepEqual([warehouse!.before, warehouse!.after!['name']], [null, 'North']);
  assert.deepEqual([customerMade!.before, customerMade!.after!['lastName']], [null, 'Lovelace']);
  assert.deepEqual([customerChanged!.before!['lastName'], customerChanged!.after!['lastName']], ['Lovelace', 'King']);
  for (const { actor, address, correlationId } of items) {
    assert.deepEqual(actor, { type: 'channel', id: channelId, userId });
    assert.equal(address, '127.0.0.1');
    assert.match(correlationId!, /^[0-9a-f-]{36}$/);
  }
  const ids = items.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
  const text = JSON.stringify(items);
  for (const secret of [apiKey, regenerated.body.data.apiKey, 'passwordHash', 'keyHash'])
    assert.ok(!text.includes(secret), secret);
});

test('the filters find by record, by who acted and by time; from after to is an empty list', async () => {
  const { api, organizationId, userId } = await place();
  const { databaseUrl } = fixture.gateway;
  const colleague = await seedUser(databaseUrl, organizationId, 'dispatcher');
  const session = fixture.clientOf(await seedSession(databaseUrl, organizationId, colleague.userId));
  const integration = await seedChannel(databaseUrl, organizationId);
  const createAs = async (client: ApiClient) => {
    const task = await client.createTask({ customer: { name: 'A', phone: '+442079460001' } });
    await untilPast(task.createdAt);
    return task;
  };
  const first = await createAs(api);
  const second = await createAs(session);
  const third = await createAs(fixture.clientOf(integration.key));
  const recordIds = async (query: string) => (await audit(api, query)).items.map(({ record }) => record.id);
  assert.deepEqual(await recordIds('recordType=task'), [third.id, second.id, first.id]);
  assert.deepEqual(await recordIds(`recordType=task&userId=${userId}`), [first.id]);
  assert.deepEqual(await recordIds(`userId=${colleague.userId}`), [second.id]);
  assert.deepEqual(await recordIds(`recordType=task&userId=${integration.userId}`), [third.id]);
  assert.deepEqual(await recordIds(`recordType=task&recordId=${second.id}`), [second.id]);
  assert.deepEqual(
    (await audit(api, 'recordType=customer')).items.map(({ action }) => action),
    ['customer.created'],
  );
  const from = encodeURIComponent(second.createdAt);
  assert.deepEqual(await recordIds(`recordType=task&from=${from}`), [third.id, second.id]);
  assert.deepEqual(await recordIds(`recordType=task&from=${from}&to=${from}`), [second.id]);
  assert.deepEqual(await audit(api, `from=${encodeURIComponent(third.createdAt)}&to=${from}`), { items: [], count: 0 });
  const actor = (await audit(api, `userId=${colleague.userId}`)).items[0]!.actor;
  assert.deepEqual(actor, { type: 'user', id: colleague.userId, userId: colleague.userId });
  for (const query of ['recordType=task&userId=999000111', 'recordId=999000111', 'recordType=session'])
    assert.deepEqual(await audit(api, query), { items: [], count: 0 }, query);
  for (const bad of ['recordType=secret', 'recordId=0', 'userId=x', 'from=yesterday', 'limit=101', 'page=0'])
    assert.equal((await api.get(`/audit-logs?${bad}`)).status, 400, bad);
});

test('pages of all sources together are in order, without gaps and counted exactly', async () => {
  const { api } = await place();
  for (let number = 0; number < 4; number++) {
    await api.createTask({ customer: { name: `C ${number}`, phone: `+44207946000${number}` } });
    await api.post('/channels', { name: `Channel ${number}` });
  }
  const all = await audit(api, 'limit=100');
  assert.equal(all.count, 16, 'four times a task, its customer, a channel and its user');
  const times = all.items.map(({ at }) => at);
  assert.deepEqual(times, times.toSorted().toReversed());
  const paged: AuditEntryView[] = [];
  for (let page = 1; page <= 6; page++) {
    const { items, count } = await audit(api, `limit=3&page=${page}`);
    assert.equal(count, 16);
    paged.push(...items);
  }
  assert.deepEqual(paged, all.items);
  assert.deepEqual(await audit(api, 'page=9000000000000000&limit=100'), { items: [], count: 16 });
});

test('a refused request, and one that changed nothing, have no entry', async () => {
  const { api } = await place();
  const { id } = await api.createTask();
  const { count } = await audit(api);
  await api.patch(`/tasks/${id}`, {});
  await api.patch(`/tasks/${id}`, { scheduledAt: 'never' });
  await api.put(`/tasks/${id}/status`, { status: 'completed' });
  await api.post('/users', { email: 'nobody', name: '' });
  await api.patch('/channels/999000111', { name: 'x' });
  assert.equal((await audit(api)).count, count);
});

test('a retry with its key has no second entry', async () => {
  const { api } = await place();
  const key = { 'idempotency-key': 'once' };
  for (let time = 0; time < 2; time++) await api.post('/channels', { name: 'Once' }, key);
  assert.deepEqual(actionsOf(await audit(api)), ['channel.created', 'user.created']);
});

test('an organization sees its own log only, administrators alone do, and nobody can write it', async () => {
  const one = await place();
  const other = await place();
  await one.api.createTask();
  assert.deepEqual(await audit(other.api), { items: [], count: 0 });
  const { databaseUrl } = fixture.gateway;
  for (const role of ['integration', 'dispatcher', 'agent'] as const) {
    const { key } = await seedChannel(databaseUrl, one.organizationId, { role });
    assert.equal((await fixture.clientOf(key).get('/audit-logs')).status, 403, role);
  }
  const { userId } = await seedUser(databaseUrl, 0, 'super_admin');
  const root = fixture.clientOf(await seedSession(databaseUrl, 0, userId));
  assert.equal((await root.get('/audit-logs')).status, 400);
  const within = await root.get<AuditList>('/audit-logs', { 'x-organization-id': String(one.organizationId) });
  assert.equal(within.body.data.count, 2);
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    const reply = await one.api.raw({ method, path: '/api/v1/audit-logs', headers: { 'x-api-key': one.key } });
    assert.equal(reply.status, 405, method);
  }
});

test("a super admin's actions in an organization stand in its log under that super admin", async () => {
  const { databaseUrl } = fixture.gateway;
  const { userId } = await seedUser(databaseUrl, 0, 'super_admin');
  const root = fixture.clientOf(await seedSession(databaseUrl, 0, userId));
  const { id } = (await root.post<{ id: number }>('/organizations', { name: 'New' })).body.data;
  const within = { 'x-organization-id': String(id) };
  await root.post('/tasks', taskInput(), within);
  await root.patch(`/organizations/${id}`, { limits: { tasks: 3 } });
  const { items } = (await root.get<AuditList>('/audit-logs', within)).body.data;
  assert.deepEqual(items.map(({ action }) => action).toSorted(), [
    'customer.created',
    'organization.created',
    'organization.updated',
    'task.created',
  ]);
  for (const { actor } of items) assert.deepEqual(actor, { type: 'user', id: userId, userId });
});

test('how a task was made is not told when a step of an earlier release did not note what it changed', async () => {
  const { api, organizationId } = await place();
  const { id } = await api.createTask();
  assert.equal((await api.patch(`/tasks/${id}`, { notes: 'Ring twice' })).status, 200);
  await withSql(
    fixture.gateway.databaseUrl,
    (sql) => sql`UPDATE task_history SET changes = NULL WHERE organization_id = ${organizationId} AND task_id = ${id}`,
  );
  const { items } = await audit(api);
  const made = items.find(({ action }) => action === 'task.created')!;
  assert.equal(made.after, null, JSON.stringify(made));
});

test('many lists of one audit log at once are refused with 503, and others are served', async () => {
  const [busy, other] = [await place(), await place()];
  await withSql(fixture.gateway.databaseUrl, async (sql) => {
    await sql`
      INSERT INTO audit_access (organization_id, action, record_type, record_id, actor_type)
      SELECT ${busy.organizationId}, 'channel.updated', 'channel', 1, 'system' FROM generate_series(1, 100000)`;
  });
  const asked = Array.from({ length: 4 * LIMITS.administrationQueuePerOrganization }, () =>
    busy.api.get('/audit-logs'),
  );
  const statuses = (await Promise.all(asked)).map(({ status }) => status);
  assert.deepEqual([...new Set(statuses)].sort(), [200, 503]);
  assert.equal((await other.api.get('/audit-logs')).status, 200);
  assert.equal((await busy.api.get('/audit-logs')).status, 200);
});
