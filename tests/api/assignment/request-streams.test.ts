import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AssignmentRequestView } from '../../../schema/assignment/assignment.ts';
import { openEventStream, type StreamMessage } from '../../support/event-stream.ts';
import { useGateway } from '../api-fixture.ts';
import { useStreams } from '../streams/stream-fixture.ts';
import { type OfferPlace, offerPlace } from './offer-place.ts';

const fixture = useGateway();
const streams = useStreams();

interface RequestEvent {
  readonly type: string;
  readonly channelId: number;
  readonly data: {
    readonly assignmentRequest: AssignmentRequestView;
    readonly actor: { readonly type: string; readonly id: number | null };
  };
}

const TYPES =
  'types=assignment_request.created,assignment_request.accepted,assignment_request.rejected,assignment_request.cancelled';

/** The requests that a stream shows, in order. */
const toldBy = (messages: readonly StreamMessage[]) =>
  messages.map(({ event, data }) => {
    const { assignmentRequest } = (data as unknown as RequestEvent).data;
    return [event, assignmentRequest.id, assignmentRequest.status];
  });

function watch({ organizationId }: OfferPlace, token: string, query = TYPES, path = '/realtime/me/events') {
  return streams.watch(fixture.gateway.baseUrl, { key: token, organizationId, path, query });
}

test("an agent's stream shows its own requests and their outcomes, and no request to another agent", async () => {
  const place = await offerPlace(fixture, 2, { mode: 'broadcast' });
  const [one, two] = place.agents;
  const [ofOne, ofTwo] = [await watch(place, one!.token), await watch(place, two!.token)];
  const [alone] = await place.offer([one!.id]);
  const [first, second] = await place.offer([one!.id, two!.id]);
  await one!.api.post(`/assignment-requests/${alone!.id}/reject`, { reason: 'too far' });
  await two!.api.post(`/assignment-requests/${second!.id}/accept`, undefined);
  const messages = await ofOne.take(4);
  assert.deepEqual(toldBy(messages), [
    ['assignment_request.created', alone!.id, 'pending'],
    ['assignment_request.created', first!.id, 'pending'],
    ['assignment_request.rejected', alone!.id, 'rejected'],
    ['assignment_request.cancelled', first!.id, 'cancelled'],
  ]);
  assert.deepEqual(toldBy(await ofTwo.take(2)), [
    ['assignment_request.created', second!.id, 'pending'],
    ['assignment_request.accepted', second!.id, 'accepted'],
  ]);
  const [created, , rejected] = messages.map(({ data }) => data as unknown as RequestEvent);
  assert.deepEqual(created!.data, { assignmentRequest: alone, actor: { type: 'system', id: null } });
  assert.equal(rejected!.data.assignmentRequest.rejectionReason, 'too far');
  assert.equal(rejected!.data.actor.type, 'user');
  const { channelId } = (await place.api.get(`/tasks/${alone!.taskId}`)).body.data;
  assert.equal(created!.channelId, channelId, "the task's channel, whose webhooks receive it");
});

test('filters by task and by agent find requests, and an agent gets no more by them', async () => {
  const place = await offerPlace(fixture, 2);
  const [one, two] = place.agents;
  const everybody = `/realtime/organizations/${place.organizationId}/events`;
  const byAgent = await watch(place, place.key, `${TYPES}&agentIds=${two!.id}`, everybody);
  const foreign = await watch(place, one!.token, `agentIds=${two!.id}`);
  const [ofOne] = await place.offer([one!.id]);
  const [ofTwo] = await place.offer([two!.id]);
  assert.deepEqual(toldBy(await byAgent.take(1)), [['assignment_request.created', ofTwo!.id, 'pending']]);
  const byTask = await watch(place, place.key, `${TYPES}&taskIds=${ofOne!.taskId}`, everybody);
  await two!.api.post(`/assignment-requests/${ofTwo!.id}/reject`, undefined);
  await one!.api.post(`/assignment-requests/${ofOne!.id}/reject`, undefined);
  assert.deepEqual(toldBy(await byTask.take(1)), [['assignment_request.rejected', ofOne!.id, 'rejected']]);
  await one!.api.put('/agents/me/duty', { onDuty: false });
  await two!.api.put('/agents/me/duty', { onDuty: false });
  const ofAll = await watch(place, one!.token, '');
  await one!.api.put('/agents/me/duty', { onDuty: true });
  assert.equal((await ofAll.take(1))[0]!.event, 'agent.duty_changed');
  assert.equal(foreign.ids.length, 1, 'stream.ready, and nothing since');
});

test('a resumed stream of an agent tells what it was asked meanwhile', async () => {
  const place = await offerPlace(fixture, 1);
  const [agent] = place.agents;
  const stream = await watch(place, agent!.token);
  const { lastEventId } = stream;
  stream.close();
  const [request] = await place.offer([agent!.id]);
  const { organizationId } = place;
  const again = await openEventStream(fixture.gateway.baseUrl, {
    ...{ key: agent!.token, organizationId, path: '/realtime/me/events', query: TYPES },
    lastEventId: lastEventId!,
  });
  try {
    assert.deepEqual(toldBy(await again.take(1)), [['assignment_request.created', request!.id, 'pending']]);
  } finally {
    again.close();
  }
});

test('webhooks can subscribe to all request events or to some', async () => {
  const { api } = await fixture.organization({ role: 'org_admin' });
  for (const events of [['assignment_request.*'], ['assignment_request.created', 'assignment_request.expired']]) {
    const reply = await api.post<{ events: string[] }>('/webhooks', { url: 'https://1.1.1.1/hook', events });
    assert.deepEqual([reply.status, reply.body.data.events], [201, events]);
  }
  const reply = await api.post('/webhooks', { url: 'https://1.1.1.1/hook', events: ['assignment_request.made'] });
  assert.equal(reply.status, 400);
});
