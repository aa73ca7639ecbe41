import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PaymentView } from '../../../schema/money/payment.ts';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import { seedSession } from '../../support/seeds/seed.ts';
import { acceptedTask, clientOfAgent, createAgent } from '../agents/agent-place.ts';
import { useGateway } from '../api-fixture.ts';
import { useStreams } from '../streams/stream-fixture.ts';
import { madeBy, type PaymentPlace, paymentPlace } from './payment-place.ts';

const fixture = useGateway();
const streams = useStreams();

interface PaymentEvent {
  readonly id: string;
  readonly type: string;
  readonly sequence: number;
  readonly channelId: number;
  readonly data: {
    readonly payment: PaymentView;
    readonly task: TaskView;
    readonly actor: { readonly type: string; readonly id: number | null };
  };
}

const eventsOf = async ({ api }: PaymentPlace, types: string) =>
  (await api.get<{ items: PaymentEvent[] }>(`/events?limit=100&types=${types}`)).body.data.items;

const PAYMENT_EVENTS = 'payment.succeeded,payment.failed,payment.refunded';

test('a payment that succeeds, fails or is refunded is one event, with the payment, its task and the actor', async () => {
  const place = await paymentPlace(fixture);
  const { id: taskId } = await place.api.createTask();
  const open = madeBy(await place.online({ taskId, amount: 5 }));
  const paid = madeBy(await place.cash({ taskId, amount: 5 }));
  const refunded = (await place.refund(paid.id)).body.data;
  const events = await eventsOf(place, PAYMENT_EVENTS);
  assert.deepEqual(events.map(({ type, data: { payment } }) => [type, payment.id, payment.status]).toSorted(), [
    ['payment.failed', open.id, 'failed'],
    ['payment.refunded', paid.id, 'refunded'],
    ['payment.succeeded', paid.id, 'succeeded'],
  ]);
  for (const { type, data, channelId } of events) {
    // The event of the one that is given up comes before its task has the other.
    const ofTask = type === 'payment.failed' ? open.id : paid.id;
    assert.deepEqual([data.task.id, data.task.paymentId, channelId], [taskId, ofTask, place.channelId]);
    assert.deepEqual(data.actor, { type: 'channel', id: place.channelId });
  }
  const told = (type: string) => events.find((event) => event.type === type)!.data.payment;
  assert.deepEqual(told('payment.succeeded'), paid);
  assert.deepEqual(told('payment.refunded'), refunded);
  const reread = (await place.api.get<PaymentView>(`/payments/${open.id}`)).body.data;
  assert.deepEqual(told('payment.failed'), reread);
});

test('the stream tells the same, in order, and the history of the task has a step for each', async () => {
  const place = await paymentPlace(fixture);
  const { key, organizationId } = place;
  const stream = await streams.watch(fixture.gateway.baseUrl, {
    key,
    organizationId,
    query: `types=${PAYMENT_EVENTS}`,
  });
  const { id: taskId } = await place.api.createTask();
  const { id } = madeBy(await place.cash({ taskId, amount: '5.00' }));
  await place.refund(id);
  const messages = await stream.take(2);
  assert.deepEqual(
    messages.map(({ event, data }) => [event, data]),
    (await eventsOf(place, PAYMENT_EVENTS)).map((event) => [event.type, event]),
  );
  type Step = { readonly kind: string; readonly details: unknown };
  const steps = (await place.api.get<{ items: Step[] }>(`/tasks/${taskId}/history`)).body.data.items;
  const details = { paymentId: id, method: 'cash', amount: '5.00', currency: 'USD' };
  assert.deepEqual(
    steps.flatMap((step) => (step.kind === 'payment' ? [step.details] : [])),
    [
      { ...details, status: 'succeeded' },
      { ...details, status: 'refunded' },
    ],
  );
});

test("an agent's stream shows the cash that it takes, and no other payment", async () => {
  const place = await paymentPlace(fixture);
  const { organizationId, api } = place;
  const { baseUrl, databaseUrl } = fixture.gateway;
  const agent = await createAgent(api);
  const own = await clientOfAgent(fixture, organizationId, agent);
  const key = await seedSession(databaseUrl, organizationId, agent.userId);
  const [mine, other] = [await acceptedTask(api, agent.id), (await api.createTask()).id];
  const query = `types=${PAYMENT_EVENTS}`;
  const stream = await streams.watch(baseUrl, { key, organizationId, path: '/realtime/me/events', query });
  const ofAgent = `${query}&agentIds=${agent.id}`;
  const watching = await streams.watch(baseUrl, { key: place.key, organizationId, query: ofAgent });
  madeBy(await place.cash({ taskId: other, amount: 5 }));
  // The cash below takes the place of this one, which has failed.
  madeBy(await place.online({ taskId: mine, amount: 5 }));
  const { id } = madeBy(await own.post<PaymentView>('/payments/cash', { taskId: mine, amount: 5 }));
  const [theirs, replaced, its] = await eventsOf(place, PAYMENT_EVENTS);
  assert.deepEqual([replaced!.type, replaced!.data.payment.method], ['payment.failed', 'online']);
  assert.deepEqual([theirs!.data.task.id, its!.data.payment.id], [other, id]);
  assert.deepEqual([its!.data.actor, its!.data.payment.agentId], [{ type: 'user', id: agent.userId }, agent.id]);
  const [first] = await stream.take(1);
  const task = { ...its!.data.task, trackingUrl: '' };
  assert.deepEqual(first!.data, { ...its, data: { ...its!.data, task } });
  const [ended, taken] = await watching.take(2);
  assert.deepEqual([ended!.data, taken!.data], [replaced, its], 'staff who watch the agent hear of both');
});
