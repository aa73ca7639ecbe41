import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AssignmentRequestView } from '../../../schema/assignment/assignment.ts';
import type { HistoryStepView } from '../../../schema/tasks/task-history.ts';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import type { ApiReply } from '../../support/api-client.ts';
import { until } from '../../support/until.ts';
import { useGateway } from '../api-fixture.ts';
import { offerPlace } from '../assignment/offer-place.ts';
import { useStreams } from '../streams/stream-fixture.ts';
import { type Day, dayOf } from './day-of.ts';

const fixture = useGateway();
const streams = useStreams();

const reassign = (day: Day, taskId: number, body: object, headers = {}) =>
  day.api.post(`/tasks/${taskId}/reassign`, body, headers);
const step = (day: Day, taskId: number, status: string, by = day.api) => by.put(`/tasks/${taskId}/status`, { status });
const statusesOf = (replies: readonly ApiReply<unknown>[]) => replies.map(({ status }) => status).sort();

test('a task on its way goes to another agent, and both see it on their streams', async () => {
  const day = await dayOf(fixture);
  const [first, second] = [day.agents[0]!, day.agents[1]!];
  const task = await day.taskIn('in_transit', { packages: [{ name: 'box' }] });
  const watch = ({ session: key }: Day['agents'][number]) =>
    streams.watch(fixture.gateway.baseUrl, {
      key,
      organizationId: day.organizationId,
      path: '/realtime/me/events',
    });
  const watched = [await watch(first), await watch(second)];
  const body = { agentId: second.agentId, reason: 'flat tyre' };
  const { status, body: reply, text } = await reassign(day, task.id, body);
  assert.equal(status, 200, text);
  const { data } = reply;
  assert.deepEqual(
    [data.agentId, data.status, data.acceptedAt, data.startedAt, data.packages],
    [second.agentId, 'assigned', null, null, task.packages],
  );
  for (const stream of watched) {
    const [message] = await stream.take(1);
    const told = message!.data as unknown as { type: string; data: { previousAgentId: number; task: TaskView } };
    assert.deepEqual(
      [told.type, told.data.previousAgentId, told.data.task],
      ['task.status_changed', first.agentId, { ...data, trackingUrl: '' }],
    );
  }
  const last = (await day.history(task.id)).at(-1)!;
  assert.deepEqual(
    [last.kind, last.fromStatus, last.toStatus, last.reason, last.details],
    ['reassigned', 'in_transit', 'assigned', 'flat tyre', { agentId: second.agentId, previousAgentId: first.agentId }],
  );
  assert.equal((await first.api.get(`/tasks/${task.id}`)).status, 404);
  const read = (await second.api.get<{ items: { kind: string; details: object }[] }>(`/tasks/${task.id}/history`)).body;
  const own = read.data.items.filter(({ kind }) => kind === 'reassigned').map(({ details }) => details);
  assert.deepEqual(own, [{ agentId: second.agentId }]);
  for (const one of ['accepted', 'in_transit', 'completed'])
    assert.equal((await step(day, task.id, one, second.api)).status, 200);
});

test('a task that nobody has is to be assigned: the refusal lists the statuses that may follow', async () => {
  const day = await dayOf(fixture);
  const { id } = await day.api.createTask();
  const { status, body } = await reassign(day, id, { agentId: day.agents[0]!.agentId });
  assert.deepEqual(
    [status, body.code, body.message, body.details],
    [
      409,
      'INVALID_STATUS_TRANSITION',
      'Nobody has the task: assign it',
      { from: 'new', to: 'assigned', allowed: ['awaiting_assignment', 'assigned', 'cancelled'] },
    ],
  );
});

test('a task that is reassigned to the very agent who is asked stays with it after the time of the offer', async () => {
  const { api, agents, offer } = await offerPlace(fixture, 2, { mode: 'sequential', requestTtlSeconds: 5 });
  const [one, other] = agents.map(({ id }) => id);
  const [request] = await offer([one!]);
  const { taskId } = request!;
  // Offered later, so that its time ends later.
  const [control] = await offer([other!]);
  const reply = await api.post(`/tasks/${taskId}/reassign`, { agentId: one, reason: 'By phone' });
  assert.deepEqual([reply.status, reply.body.data.search, reply.body.data.agentId], [200, null, one], reply.text);
  const requestOf = async (id: number) =>
    (await api.get<AssignmentRequestView>(`/assignment-requests/${id}`)).body.data.status;
  assert.equal(await requestOf(request!.id), 'cancelled');
  const late = await agents[0]!.api.post(`/assignment-requests/${request!.id}/accept`, undefined);
  assert.deepEqual([late.status, late.body.code], [409, 'ASSIGNMENT_REQUEST_CLOSED']);
  await until('the other offer has run out', async () => (await requestOf(control!.id)) === 'expired');
  const { status, agentId, autoAssignmentStatus } = (await api.get(`/tasks/${taskId}`)).body.data;
  assert.deepEqual([status, agentId, autoAssignmentStatus], ['assigned', one, 'cancelled']);
  const { items } = (await api.get<{ items: HistoryStepView[] }>(`/tasks/${taskId}/history`)).body.data;
  const { kind, fromStatus, toStatus, reason, details } = items.at(-1)!;
  assert.deepEqual(
    [kind, fromStatus, toStatus, reason, details],
    ['reassigned', 'assigned', 'assigned', 'By phone', { agentId: one }],
  );
});

test('with its packages handed over a task stays on its way', async () => {
  const day = await dayOf(fixture);
  const { id, packages } = await day.taskIn('in_transit', { packages: [{ name: 'box' }] });
  for (const status of ['picking_up', 'picked_up']) await day.api.patch(`/packages/${packages[0]!.id}`, { status });
  const { data } = (await reassign(day, id, { agentId: day.agents[1]!.agentId, keepStatus: true })).body;
  assert.deepEqual(
    [data.status, data.packages[0]!.status, data.startedAt],
    ['in_transit', 'picked_up', data.assignedAt],
  );
  const { type } = (await day.told()).at(-1)!;
  const { details } = (await day.history(id)).at(-1)!;
  assert.deepEqual([type, details!['packageIdsInCustody']], ['task.updated', [packages[0]!.id]]);
  assert.equal((await step(day, id, 'completed', day.agents[1]!.api)).body.data.packages[0]!.status, 'delivered');
});

test('times and loads go with the task', async () => {
  const day = await dayOf(fixture);
  const scheduledAt = new Date(Date.now() + 7_200_000).toISOString();
  const scheduled = { timeToServe: 'scheduled', scheduledAt };
  const [first, second] = [day.agents[0]!.agentId, day.agents[1]!.agentId];
  const task = await day.taskIn('accepted', scheduled);
  const { id: other } = await day.taskIn('assigned', scheduled, 1);
  assert.equal((await reassign(day, task.id, { agentId: second })).body.code, 'AGENT_SLOT_TAKEN');
  await day.api.post(`/tasks/${other}/unassign`, {});
  assert.equal((await reassign(day, task.id, { agentId: second })).status, 200);
  assert.equal((await day.api.post(`/tasks/${other}/assign`, { agentId: second })).body.code, 'AGENT_SLOT_TAKEN');
  assert.equal((await day.api.post(`/tasks/${other}/assign`, { agentId: first })).status, 200);
});

test('cash that was collected stays with its collector', async () => {
  const day = await dayOf(fixture);
  const { id } = await day.taskIn('in_transit');
  assert.equal((await day.agents[0]!.api.post('/payments/cash', { taskId: id, amount: 5 })).status, 201);
  assert.equal((await reassign(day, id, { agentId: day.agents[1]!.agentId, keepStatus: true })).status, 200);
  assert.equal((await step(day, id, 'completed')).status, 200);
  const cashOf = async (index: number) =>
    (await day.api.get(`/agents/${day.agents[index]!.agentId}/cash`)).text.includes('"5.00"');
  assert.deepEqual([await cashOf(0), await cashOf(1)], [true, false]);
});

/** Sends two requests at once, many times, so that each of them comes first. */
async function race(send: (day: Day, taskId: number) => readonly Promise<ApiReply>[], status: TaskView['status']) {
  const day = await dayOf(fixture, {}, 3);
  const ended: { task: TaskView; replies: ApiReply[] }[] = [];
  for (let round = 0; round < 10; round += 1) {
    const { id } = await day.taskIn(status);
    const replies = await Promise.all(send(day, id));
    ended.push({ task: await day.read(id), replies });
  }
  return { day, ended };
}

test('of two reassignments from the same agent exactly one wins, and the other learns who has the task', async () => {
  const { ended } = await race((day, id) => {
    const [first, second, third] = day.agents.map(({ agentId }) => agentId);
    return [second, third].map((agentId) => reassign(day, id, { agentId, fromAgentId: first }));
  }, 'accepted');
  for (const { task, replies } of ended) {
    assert.deepEqual(statusesOf(replies), [200, 409]);
    const [won, lost] = [replies.find((one) => one.status === 200)!, replies.find((one) => one.status === 409)!];
    assert.equal(task.agentId, won.body.data.agentId);
    assert.deepEqual(
      [lost.body.code, lost.body.details],
      ['TASK_MOVED_ON', { status: 'assigned', agentId: task.agentId }],
    );
  }
});

test('of a reassignment from `assigned` and an acceptance exactly one wins', async () => {
  const { day, ended } = await race((day, id) => {
    const fromStatus = 'assigned';
    const body = { agentId: day.agents[1]!.agentId, fromStatus };
    const requests = [reassign(day, id, body), step(day, id, 'accepted', day.agents[0]!.api)];
    return id % 2 === 0 ? requests : requests.reverse();
  }, 'assigned');
  const [first, second] = day.agents.map(({ agentId }) => agentId);
  for (const { task, replies } of ended) {
    const lost = replies.filter(({ status }) => status !== 200);
    assert.equal(lost.length, 1);
    if (task.status === 'accepted') {
      assert.equal(task.agentId, first);
      assert.deepEqual(lost[0]!.body.details, { status: 'accepted', agentId: first });
    } else {
      // The task is another agent's by then, and those are 404 to an agent.
      assert.deepEqual([task.status, task.agentId, lost[0]!.status], ['assigned', second, 404]);
    }
  }
});

for (const end of ['completed', 'cancelled'] as const) {
  test(`of a reassignment and the step to ${end} the later one is judged by the earlier`, async () => {
    const { ended } = await race((day, id) => {
      const requests = [reassign(day, id, { agentId: day.agents[1]!.agentId }), step(day, id, end)];
      return id % 2 === 0 ? requests : requests.reverse();
    }, 'in_transit');
    for (const { task, replies } of ended) {
      const lost = replies.filter(({ status }) => status !== 200);
      if (end === 'cancelled' && lost.length === 0) {
        assert.equal(task.status, 'cancelled', 'a task of the new agent is cancelled as any other');
        continue;
      }
      assert.deepEqual([lost.length, lost[0]!.status, lost[0]!.body.code], [1, 409, 'INVALID_STATUS_TRANSITION']);
      assert.equal(lost[0]!.body.details['from'], task.status, 'what happened');
      assert.equal(task.status === end || task.status === 'assigned', true);
    }
  });
}

test('a retry with its key is answered alike', async () => {
  const day = await dayOf(fixture);
  const { id } = await day.taskIn('accepted');
  const key = { 'idempotency-key': 'once' };
  const body = { agentId: day.agents[1]!.agentId, fromAgentId: day.agents[0]!.agentId };
  const [first, second] = [await reassign(day, id, body, key), await reassign(day, id, body, key)];
  assert.deepEqual([second.status, second.body.data], [200, first.body.data]);
  assert.equal((await reassign(day, id, body)).body.code, 'TASK_MOVED_ON');
});

test('a bad body names every fault', async () => {
  const day = await dayOf(fixture);
  const { status, body } = await reassign(day, 1, { agentId: 0, keepStatus: 'yes', fromStatus: 'new' });
  assert.deepEqual(
    [status, body.message],
    [
      400,
      [
        'agentId must be a positive integer',
        'keepStatus must be a boolean',
        'fromStatus must be one of: assigned, accepted, in_transit',
      ],
    ],
  );
});
