import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withSql } from '../../support/seeds/seed.ts';
import { useGateway } from '../api-fixture.ts';

const fixture = useGateway({ organization: { role: 'dispatcher' } });

interface EventPage {
  readonly items: { readonly type: string; readonly data: Record<string, unknown> }[];
}

test('a new task is cancelled, and its open packages with it', async () => {
  const { api } = fixture;
  const task = await api.createTask({ autoAssign: true, packages: [{ name: 'a' }, { name: 'b' }] });
  const { status, body } = await api.put(`/tasks/${task.id}/status`, {
    status: 'cancelled',
    reason: 'changed my mind',
  });
  assert.equal(status, 200);
  assert.equal(body.statusCode, 200);
  const { updatedAt } = body.data;
  assert.ok(updatedAt >= task.updatedAt);
  assert.deepEqual(body.data, {
    ...task,
    status: 'cancelled',
    autoAssignmentStatus: 'cancelled',
    cancelledAt: updatedAt,
    search: null,
    updatedAt,
    packages: task.packages.map((item) => ({ ...item, status: 'cancelled', updatedAt })),
  });
  assert.deepEqual((await api.get(`/tasks/${task.id}`)).body.data, body.data);
  assert.deepEqual((await api.list('limit=1')).body.data.items, [body.data]);
});

test('the event tells who cancelled what, from which status and why', async () => {
  const { api, organizationId, channelId } = await fixture.organization();
  const { id } = await api.createTask();
  const { body } = await api.put(`/tasks/${id}/status`, {
    status: 'cancelled',
    reason: 'no one home',
    reasonCode: 'ABSENT',
  });
  const { items } = (await api.get<EventPage>('/events?types=task.status_changed')).body.data;
  assert.equal(items.length, 1);
  assert.deepEqual(items[0]!.data, {
    task: body.data,
    previousStatus: 'new',
    status: 'cancelled',
    reason: 'no one home',
    actor: { type: 'channel', id: channelId },
  });
  const steps = await withSql(
    fixture.gateway.databaseUrl,
    (sql) => sql<{ kind: string; reasonCode: string | null }[]>`
    SELECT kind, reason_code FROM task_history WHERE organization_id = ${organizationId} AND task_id = ${id} ORDER BY sequence`,
  );
  assert.deepEqual(
    [...steps],
    [
      { kind: 'created', reasonCode: null },
      { kind: 'status_changed', reasonCode: 'ABSENT' },
    ],
  );
});

test('a terminal task is never cancelled again', async () => {
  const { api } = fixture;
  const { id } = await api.createTask();
  await api.put(`/tasks/${id}/status`, { status: 'cancelled' });
  const { status, body } = await api.put(`/tasks/${id}/status`, { status: 'cancelled' });
  assert.equal(status, 409);
  assert.deepEqual(body, {
    statusCode: 409,
    message: 'The task is already cancelled',
    error: 'Conflict',
    code: 'INVALID_STATUS_TRANSITION',
    details: { from: 'cancelled', to: 'cancelled', allowed: [] },
  });
});

for (const to of ['new', 'awaiting_assignment', 'assigned', 'accepted', 'completed']) {
  test(`a new task cannot be set to ${to}`, async () => {
    const { id } = await fixture.api.createTask();
    const { status, body } = await fixture.api.put(`/tasks/${id}/status`, { status: to });
    assert.equal(status, 409);
    assert.equal(body.code, 'INVALID_STATUS_TRANSITION');
    assert.deepEqual(body.details, { from: 'new', to, allowed: ['awaiting_assignment', 'assigned', 'cancelled'] });
    assert.equal((await fixture.api.get(`/tasks/${id}`)).body.data.status, 'new');
  });
}

test('in_transit without an agent is refused for that before any other state error', async () => {
  const { id } = await fixture.api.createTask();
  for (const change of [undefined, { status: 'cancelled' }]) {
    if (change) await fixture.api.put(`/tasks/${id}/status`, change);
    const { status, body } = await fixture.api.put(`/tasks/${id}/status`, { status: 'in_transit' });
    assert.equal(status, 409);
    assert.equal(body.code, 'AGENT_REQUIRED');
  }
});

test('of 100 cancellations at once one succeeds and the log has one event', async () => {
  const { api, organizationId } = await fixture.organization();
  const { id } = await api.createTask();
  const replies = await Promise.all(
    Array.from({ length: 100 }, (_, index) =>
      api.put(`/tasks/${id}/status`, { status: 'cancelled', reason: `caller ${index}` }),
    ),
  );
  const statuses = replies.map(({ status }) => status);
  assert.equal(statuses.filter((status) => status === 200).length, 1);
  assert.equal(statuses.filter((status) => status === 409).length, 99);
  assert.equal((await api.get<EventPage>('/events?types=task.status_changed')).body.data.items.length, 1);
  const [history] = await withSql(
    fixture.gateway.databaseUrl,
    (sql) => sql<{ count: number }[]>`
    SELECT count(*) FROM task_history WHERE organization_id = ${organizationId} AND task_id = ${id}`,
  );
  assert.equal(history!.count, 2);
});
