import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import { until } from '../../support/until.ts';
import { useGateway } from '../api-fixture.ts';
import { acceptedTask, assignedTask, clientOfAgent, createAgent, dispatchersOf } from './agent-place.ts';

const fixture = useGateway();

interface Events {
  readonly items: readonly {
    readonly type: string;
    readonly data: Record<string, unknown> & { readonly task: TaskView };
  }[];
}

const KITCHEN = { address: '3 High Street', latitude: 52.51, longitude: 13.4 };
const DOOR = { address: '9 Mill Lane', latitude: 52.5, longitude: 13.4 };

test('an agent is expected at the pickup, comes there, picks up and goes on to the door', async () => {
  const { api, organizationId } = await dispatchersOf(fixture);
  const made = await createAgent(api, { vehicle: { type: 'car' } });
  const agent = await clientOfAgent(fixture, organizationId, made);
  const point = async (latitude: number, speed: number) => {
    const points = [{ latitude, longitude: 13.4, accuracy: 5, speed, recordedAt: new Date().toISOString() }];
    assert.equal((await agent.post('/agents/me/locations', { points })).status, 202);
  };
  await point(52.53, 8);
  // No further point comes: the step alone makes the times known.
  const id = await acceptedTask(api, made.id, { location: DOOR, pickupLocation: KITCHEN });
  const read = async () => (await api.get<TaskView>(`/tasks/${id}`)).body.data;
  await until('both ETAs are known', async () => (await read()).pickupEtaAt !== null);
  const before = await read();
  // 2,224 m to the kitchen and 1,112 m to the door, by car; three minutes in the kitchen.
  const wayMs = Date.parse(before.etaAt!) - Date.parse(before.pickupEtaAt!) - 180_000;
  assert.ok(Math.abs(wayMs - (1_112 * 1.3 * 3_600) / 25) < 2_000, String(wayMs));
  await point(52.5101, 0);
  await until('it has come to the pickup', async () => (await read()).pickupArrivedAt !== null);
  const { body } = await agent.post<TaskView>(`/tasks/${id}/picked-up`, {});
  const { pickedUpAt, pickupArrivedAt, status, arrivedAt } = body.data;
  assert.ok(pickedUpAt! >= pickupArrivedAt!);
  assert.deepEqual([status, arrivedAt], ['accepted', null]);
  const again = await agent.post<TaskView>(`/tasks/${id}/picked-up`, { occurredAt: new Date().toISOString() });
  assert.deepEqual([again.status, again.body.data.pickedUpAt], [200, pickedUpAt]);
  await agent.put(`/tasks/${id}/status`, { status: 'in_transit' });
  await point(52.5, 0);
  await until('it has come to the door', async () => (await read()).arrivedAt !== null);
  const { items } = (await api.get<Events>('/events?types=task.arrived,task.picked_up')).body.data;
  assert.deepEqual(
    items.map(({ type, data }) => [type, data['place'], data['agentId'], data['at']]),
    [
      ['task.arrived', 'pickup', made.id, pickupArrivedAt],
      ['task.picked_up', undefined, made.id, pickedUpAt],
      ['task.arrived', 'dropoff', made.id, (await read()).arrivedAt],
    ],
  );
  const history = await api.get<{ items: { kind: string; at: string }[] }>(`/tasks/${id}/history`);
  const step = history.body.data.items.find(({ kind }) => kind === 'picked_up');
  assert.equal(step!.at, pickedUpAt);
});

test('a step of one task moves the ETAs of the others of its agent', async () => {
  const { api, organizationId } = await dispatchersOf(fixture);
  const made = await createAgent(api, { vehicle: { type: 'car' } });
  const agent = await clientOfAgent(fixture, organizationId, made);
  const recordedAt = new Date().toISOString();
  await agent.post('/agents/me/locations', { points: [{ latitude: 52.5, longitude: 13.39, accuracy: 5, recordedAt }] });
  const first = await acceptedTask(api, made.id, { location: { ...DOOR, latitude: 52.6 } });
  const second = await acceptedTask(api, made.id, { location: DOOR });
  const etaOf = async (id: number) => (await api.get<TaskView>(`/tasks/${id}`)).body.data.etaAt;
  await until('both are expected', async () => (await etaOf(second)) !== null && (await etaOf(first)) !== null);
  const late = Date.parse((await etaOf(second))!);
  await api.put(`/tasks/${first}/status`, { status: 'cancelled' });
  await until('the second comes sooner', async () => Date.parse((await etaOf(second))!) < late - 600_000);
  await api.post(`/tasks/${second}/unassign`, {});
  assert.equal(await etaOf(second), null);
});

test('a pickup is refused where none is expected, and keeps what an offline driver says', async () => {
  const { api, organizationId } = await dispatchersOf(fixture);
  const [made, other] = [await createAgent(api), await createAgent(api)];
  const [agent, stranger] = [
    await clientOfAgent(fixture, organizationId, made),
    await clientOfAgent(fixture, organizationId, other),
  ];
  const fetched = { location: DOOR, pickupLocation: KITCHEN };
  const plain = await acceptedTask(api, made.id, { location: DOOR });
  const asked = await assignedTask(api, made.id, fetched);
  const id = await acceptedTask(api, made.id, fetched);
  const { acceptedAt } = (await api.get<TaskView>(`/tasks/${id}`)).body.data;
  const tell = async (client: typeof api, taskId: number, body?: object) => {
    const reply = await client.post<{ pickedUpAt: string }>(`/tasks/${taskId}/picked-up`, body as object);
    return reply.status < 300 ? reply.body.data.pickedUpAt : (JSON.parse(reply.text).code ?? reply.status);
  };
  assert.equal(await tell(agent, plain, {}), 'NO_PICKUP_PLACE');
  assert.equal(await tell(agent, asked, {}), 'PICKUP_NOT_EXPECTED');
  assert.equal(await tell(stranger, id, {}), 404);
  for (const occurredAt of ['yesterday', '2031-05-01T12:00:00.000Z', '2020-01-01T00:00:00Z', 7])
    assert.equal(await tell(agent, id, { occurredAt }), 400, String(occurredAt));
  assert.equal(await tell(agent, id, { occurredAt: acceptedAt }), acceptedAt);
  const events = (await api.get<Events>('/events?types=task.picked_up')).body.data;
  assert.deepEqual(
    events.items.map(({ data }) => data.task.id),
    [id],
  );
});
