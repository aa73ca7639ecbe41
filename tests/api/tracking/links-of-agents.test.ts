import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AssignmentRequestView } from '../../../schema/assignment/assignment.ts';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import type { ApiClient, ApiReply } from '../../support/api-client.ts';
import type { EventStreamClient } from '../../support/event-stream.ts';
import { useGateway } from '../api-fixture.ts';
import { type OfferPlace, offerPlace } from '../assignment/offer-place.ts';
import { useStreams } from '../streams/stream-fixture.ts';
import { tokenOf } from './tracking-place.ts';

const fixture = useGateway();
const streams = useStreams();

type Agent = OfferPlace['agents'][number];

/** The data of an integrator is its own, also under the name of the link. */
const OWN_DATA = { trackingUrl: '/t/of-the-shop', note: '"trackingUrl":"/t/x"' };
const FIELDS = { packages: [{ name: 'box', barcode: 'B-1' }], integrationData: OWN_DATA };

/** Whether the link opens the page, as a customer's browser asks. */
async function opens({ raw }: ApiClient, task: TaskView): Promise<boolean> {
  return (await raw({ method: 'GET', path: `/api/v1/tracking/tasks?token=${tokenOf(task)}` })).status === 200;
}

/** Keeps every text that agents got, and finds the link in it. */
function listener() {
  const heard: { readonly what: string; readonly text: string }[] = [];
  return {
    heard,
    async take<T>(what: string, asked: Promise<ApiReply<T>>, status = 200): Promise<ApiReply<T>> {
      const reply = await asked;
      assert.equal(reply.status, status, `${what}: ${reply.text}`);
      heard.push({ what, text: reply.text });
      return reply;
    },
    tellsNo(task: TaskView, least: number): void {
      const shown = heard.filter(({ text }) => text.includes('"trackingUrl":""'));
      assert.ok(shown.length >= least, `only ${shown.map(({ what }) => what).join(', ')}`);
      for (const { what, text } of heard) {
        assert.ok(!text.includes(tokenOf(task)), `${what} has the link`);
        if (text.includes('"integrationData":{')) assert.ok(text.includes(JSON.stringify(OWN_DATA)), what);
      }
    },
  };
}

/** The events on the stream of an agent until the agent is off duty. */
async function untilDutyEnds(stream: EventStreamClient): Promise<string[]> {
  const texts: string[] = [];
  while (!texts.at(-1)?.includes('"onDuty":false')) {
    const [message] = await stream.take(1);
    texts.push(JSON.stringify(message!.data));
  }
  return texts;
}

/** Every read that shows an agent its task. */
async function readAll({ take }: ReturnType<typeof listener>, { api }: Agent, taskId: number): Promise<void> {
  await take('the read', api.get(`/tasks/${taskId}`));
  for (const query of ['', 'limit=1', 'status=assigned,accepted,in_transit']) {
    const { text } = await take(`the list ${query}`, api.list(query));
    assert.match(text, new RegExp(`"id":${taskId},`));
  }
  await take('its tasks', api.get('/agents/me/tasks'));
  await take('the schedule', api.get('/agents/me/schedule'));
  await take('the history', api.get(`/tasks/${taskId}/history`));
  assert.match((await take('the export', api.get('/tasks/export'))).text, new RegExp(`"id":${taskId},`));
}

test('no answer and no event shows an agent the link of a task that it is asked about, has or had', async () => {
  const place = await offerPlace(fixture, 3, { mode: 'broadcast' });
  const [asked, first, second] = place.agents as [Agent, Agent, Agent];
  const told = listener();
  const { take } = told;
  const watch = ({ token: key }: Agent, lastEventId?: string) =>
    streams.watch(fixture.gateway.baseUrl, {
      key,
      organizationId: place.organizationId,
      path: '/realtime/me/events',
      ...(lastEventId === undefined ? {} : { lastEventId }),
    });
  const live = await Promise.all(place.agents.map((agent) => watch(agent)));
  const [requestOfAsked, requestOfFirst] = await place.offer([asked.id, first.id], FIELDS);
  const { taskId } = requestOfFirst!;
  const task = (await place.api.get(`/tasks/${taskId}`)).body.data;
  assert.ok(await opens(place.api, task), 'staff reads the link');

  for (const { api } of [asked, first]) await take('the read of an asked agent', api.get(`/tasks/${taskId}`));
  await take('requests', asked.api.get('/assignment-requests'));
  const once = { 'idempotency-key': 'once' };
  const accept = (headers = {}) =>
    first.api.post<AssignmentRequestView>(`/assignment-requests/${requestOfFirst!.id}/accept`, undefined, headers);
  await take('the acceptance', accept(once));
  await take('the acceptance again', accept(once));
  await take('a late answer', asked.api.post(`/assignment-requests/${requestOfAsked!.id}/accept`, undefined), 409);
  await readAll(told, first, taskId);
  const start = () => first.api.put(`/tasks/${taskId}/status`, { status: 'in_transit' }, once);
  const started = await take('a step', start());
  const again = await take('the step again', start());
  assert.deepEqual([again.body.data, again.headers['idempotency-replayed']], [started.body.data, 'true']);
  assert.equal(started.body.data.trackingUrl, '');
  await take('a scan', first.api.post(`/tasks/${taskId}/scans`, { barcode: 'B-1' }));
  await take('cash', first.api.post('/payments/cash', { taskId, amount: 5 }), 201);

  const moved = await place.api.post(`/tasks/${taskId}/reassign`, { agentId: second.id });
  assert.equal(moved.body.data.trackingUrl, task.trackingUrl, 'staff reads the link in answers');
  await take('the read of the former agent', first.api.get(`/tasks/${taskId}`), 404);
  await readAll(told, second, taskId);
  await take('the step of the next agent', second.api.put(`/tasks/${taskId}/status`, { status: 'accepted' }));

  // Live, then from the log: the events from before an agent lost the task are still its own to read.
  for (const { api } of place.agents) await take('the end of duty', api.put('/agents/me/duty', { onDuty: false }));
  for (const [index, stream] of live.entries()) {
    const now = await untilDutyEnds(stream);
    const resumed = await watch(place.agents[index]!, `${stream.lastEventId!.split('-')[0]}-0`);
    const then = await untilDutyEnds(resumed);
    assert.ok(now.every((text) => then.includes(text)));
    for (const text of then) told.heard.push({ what: `an event of agent ${index}`, text });
  }
  assert.ok(told.heard.some(({ text }) => text.includes('"type":"payment.') && text.includes('"trackingUrl":""')));
  told.tellsNo(task, 20);
  assert.ok(await opens(place.api, task), 'the link lives all the while');
});

test('a task has an entity tag of its own for agents, by which they read it again', async () => {
  const place = await offerPlace(fixture, 1);
  const [agent] = place.agents as [Agent];
  const { id } = await place.api.createTask();
  await place.api.post(`/tasks/${id}/assign`, { agentId: agent.id });
  const read = (by: ApiClient, tag?: string) =>
    by.get(`/tasks/${id}`, tag === undefined ? {} : { 'if-none-match': tag });
  const { etag } = (await read(agent.api)).headers;
  assert.equal((await read(agent.api, etag)).status, 304);
  // An app that kept the task before an upgrade reads it again, without the link.
  const { etag: withLink } = (await read(place.api)).headers;
  assert.equal((await read(agent.api, withLink)).status, 200);
});
