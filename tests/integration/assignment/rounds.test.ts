import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { Redis } from 'ioredis';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import { readMetrics, sampleOf } from '../../support/metrics.ts';
import { reservePort } from '../../support/system/reserve-port.ts';
import { until } from '../../support/until.ts';
import { metricsPortOf, type WorkersProcess } from '../workers/workers-place.ts';
import { type RoundsPlace, startRoundsPlace } from './rounds-place.ts';

const VEHICLE = { type: 'car', maxWeightKg: 20, maxVolumeM3: null, maxPackages: null };
const VAN = { externalId: 'van-1', name: 'Vera', vehicleType: 'van', maxWeightKg: 50 };
const TOKEN = 'a-token-for-prometheus';
const AUTHORIZED = { authorization: `Bearer ${TOKEN}` };
const ENVIRONMENT = { WEBHOOK_ALLOW_PRIVATE: '1', METRICS_TOKEN: TOKEN };

let place: RoundsPlace;
let workers: WorkersProcess;
before(async () => {
  place = await startRoundsPlace({ agents: 4, vehicle: VEHICLE, environment: ENVIRONMENT });
  await place.locate();
});
after(() => place.stop());

const readTask = async (taskId: number) => (await place.api.get<TaskView>(`/tasks/${taskId}`)).body.data;

/** Before there are workers, whose proposals are commits as well. */
test('gateways announce commits that may help a search, and only those', async () => {
  const { redisUrl, redisPrefix, organizationId } = place.system.place;
  const redis = new Redis(redisUrl);
  const told = { committed: 0, searches: 0 };
  redis.on('pmessage', (_pattern, channel: string, message: string) => {
    assert.equal(message, `${organizationId}`);
    told[channel.split(':').at(-1) as keyof typeof told] += 1;
  });
  try {
    await redis.psubscribe(`${redisPrefix}:*:committed`, `${redisPrefix}:*:searches`);
    const untilCommitted = async (act: () => Promise<unknown>) => {
      const { committed, searches } = told;
      await act();
      await until('the commit is announced', () => told.committed > committed);
      return told.searches > searches;
    };
    let taskId = 0;
    const create = async () => ({ id: taskId } = await place.api.createTask());
    assert.equal(await untilCommitted(create), false, 'a task for nobody');
    const note = () => place.api.patch(`/tasks/${taskId}`, { notes: 'Ring twice' });
    assert.equal(await untilCommitted(note), false, 'a note');
    const search = () => place.api.post(`/tasks/${taskId}/auto-assign`, {});
    await untilCommitted(search);
    await until('the search is announced', () => told.searches === 1);
    // The clock alone: a shift begins, and a break in it ends, of which the log says nothing.
    const now = Date.now();
    const soon = (ms: number) => new Date(now + ms).toISOString();
    const breaks = [{ startsAt: soon(1_000), endsAt: soon(2_500) }];
    const shifts = [{ startsAt: soon(1_000), endsAt: soon(600_000), breaks }];
    const range = { from: soon(0), to: soon(2_000) };
    const put = (all: readonly object[]) =>
      place.api.put(`/agents/${place.agentIds[0]}/shifts`, { ...range, shifts: all });
    assert.equal(await untilCommitted(() => put(shifts)), true, 'shifts');
    await until('the start of the shift is announced', () => told.searches === 3);
    const { committed } = told;
    await until('the end of the break is announced', () => told.searches === 4);
    assert.equal(told.committed, committed);
    await put([]);
  } finally {
    redis.disconnect();
  }
  await place.cancelOpenTasks();
});

/** Resolves when every sample is as large as this, or larger. */
async function untilReached(url: string, samples: Readonly<Record<string, number>>): Promise<void> {
  const left = new Map(Object.entries(samples));
  await until(`${[...left.keys()]} are reached`, async () => {
    const text = await readMetrics(url, AUTHORIZED);
    for (const [sample, least] of left) if (sampleOf(text, sample) >= least) left.delete(sample);
    return left.size === 0;
  });
}

/** One webhook whose endpoint is not there, and one whose endpoint is gone for good. */
async function createWebhooks(goneUrl: string): Promise<void> {
  for (const url of [`http://127.0.0.1:${await reservePort()}/away`, goneUrl]) {
    const { status, text } = await place.admin.post('/webhooks', { url, events: ['task.created'] });
    assert.equal(status, 201, text);
  }
}

test('workers count rounds, mails, payments and attempts, and gateways offers and positions, for the bearer of the token', async () => {
  workers = await place.startWorkers(ENVIRONMENT);
  const gone = createServer((_request, response) => response.writeHead(410).end()).listen(0, '127.0.0.1');
  try {
    await once(gone, 'listening');
    const url = `http://127.0.0.1:${metricsPortOf(workers)}/metrics`;
    await createWebhooks(`http://127.0.0.1:${(gone.address() as AddressInfo).port}/gone`);
    const user = { email: 'new@test.example', name: 'Amina Diallo', role: 'dispatcher' };
    assert.equal((await place.admin.post('/users', user)).status, 201);
    const offer = await place.untilOffered((await place.createTask()).id);
    assert.equal((await place.api.post(`/assignment-requests/${offer.id}/accept`, {})).status, 200);
    const payment = { taskId: (await place.api.createTask()).id, amount: '12.50', currency: 'EUR' };
    assert.equal((await place.api.post('/payments/initialize', payment)).status, 201);
    await untilReached(url, {
      'dispatch_rounds_total{result="done"}': 1,
      dispatch_round_duration_seconds_count: 1,
      dispatch_round_offers_total: 1,
      'dispatch_mails_total{result="sent"}': 1,
      'dispatch_payment_steps_total{result="done"}': 1,
      'dispatch_webhook_attempts_total{result="unreachable"}': 1,
      'dispatch_webhook_attempts_total{result="gone"}': 1,
      dispatch_webhook_attempt_duration_seconds_count: 2,
      'dispatch_webhooks{state="active"}': 1,
      'dispatch_webhooks{state="disabled"}': 1,
      dispatch_webhook_pending_deliveries: 1,
      dispatch_webhook_oldest_seconds: 0.001,
      'dispatch_relay_lag_events{consumer="activity"}': 0,
    });
    await untilReached(`${place.system.baseUrl}/metrics`, {
      'dispatch_points_total{result="accepted"}': 4,
      'dispatch_offers_total{status="made"}': 1,
      'dispatch_offers_total{status="accepted"}': 1,
      'dispatch_searches_total{outcome="assigned"}': 1,
      dispatch_assignment_duration_seconds_count: 1,
    });
    const statuses = [
      fetch(url),
      fetch(url, { headers: { authorization: 'Bearer guessed' } }),
      fetch(url, { method: 'POST', headers: AUTHORIZED }),
      fetch(url.replace('/metrics', '/commands'), { headers: AUTHORIZED }),
    ].map(async (asked) => (await asked).status);
    assert.deepEqual(await Promise.all(statuses), [404, 404, 404, 404]);
  } finally {
    gone.close();
  }
  await place.cancelOpenTasks();
});

test('a task is offered to the nearest agent, and to the next one when that agent declines', async () => {
  const { id, status, autoAssignmentStatus } = await place.createTask();
  assert.deepEqual([status, autoAssignmentStatus], ['new', 'pending']);
  const first = await place.untilOffered(id);
  assert.deepEqual([first.agentId, first.attempt, first.distanceM], [place.agentIds[0], 1, 0]);
  const offered = await readTask(id);
  assert.deepEqual(
    [offered.status, offered.autoAssignmentStatus, offered.agentId],
    ['assigned', 'offered', first.agentId],
  );
  assert.equal((await place.api.post(`/assignment-requests/${first.id}/reject`, { reason: 'too far' })).status, 200);
  const second = await place.untilOffered(id);
  assert.deepEqual([second.agentId, second.attempt], [place.agentIds[1], 2]);
  assert.equal((await place.api.post(`/assignment-requests/${second.id}/accept`, {})).status, 200);
  assert.equal((await readTask(id)).status, 'accepted');
});

test('a task that nobody can bring in time is offered all the same, and its history says how late it comes', async () => {
  const windowEnd = new Date(Date.now() + 120_000).toISOString();
  const location = { address: 'Far away', latitude: 0.001, longitude: 0.5 };
  const { id } = await place.createTask({ windowEnd, location });
  await place.untilOffered(id);
  const { text } = await place.api.get(`/tasks/${id}/history`);
  assert.match(text, /"reason":"window_cannot_be_met","lateMinutes":\d+/);
  assert.equal((await place.api.put(`/tasks/${id}/status`, { status: 'cancelled' })).status, 200);
});

test('the search for a task that no vehicle can carry goes on, and the history says why no agent was asked', async () => {
  const { id } = await place.createTask({ packages: [{ name: 'Safe', weight: 15, quantity: 2 }] });
  await until('the first round has seen it', async () => (await readTask(id)).autoAssignmentStatus === 'searching');
  const history = (await place.api.get<{ items: { details?: Record<string, unknown> }[] }>(`/tasks/${id}/history`))
    .text;
  assert.match(history, /"reason":"capacity_exceeded"/);
  assert.match(history, /"counts":\{"capacity":4\}/);
  assert.deepEqual(await place.requestsOf(id), []);
  assert.equal((await place.api.put(`/tasks/${id}/status`, { status: 'cancelled' })).status, 200);
});

test('a task that no agent can take goes to an external courier, one that an agent can take does not', async () => {
  await place.cancelOpenTasks();
  await place.changeAssignment({ externalCouriers: true, externalFleet: [VAN] });
  const weighing = (weight: number) => place.createTask({ packages: [{ name: 'a box', weight }] });
  const [light, heavy, heaviest] = [await weighing(5), await weighing(40), await weighing(60)];
  await until('the van has it', async () => (await readTask(heavy.id)).courierType === 'external');
  const { courier, status, autoAssignmentStatus } = await readTask(heavy.id);
  assert.equal(courier?.externalId, 'van-1');
  assert.deepEqual([status, autoAssignmentStatus], ['accepted', 'assigned']);
  assert.equal((await place.untilOffered(light.id)).agentId, place.agentIds[0]);
  assert.equal((await readTask(light.id)).courier, null);
  await until(
    'rounds have looked at it',
    async () => (await readTask(heaviest.id)).autoAssignmentStatus === 'searching',
  );
  assert.equal((await readTask(heaviest.id)).courier, null);
  const done = await place.api.put(`/tasks/${heavy.id}/status`, { status: 'in_transit' });
  assert.equal(done.status, 200, done.text);
  await place.cancelOpenTasks();
  await place.changeAssignment({ externalCouriers: null, externalFleet: null });
});

test('an agent that comes on duty is found by a search that has found nobody', async () => {
  const { agentIds, api } = place;
  for (const agentId of agentIds) await api.put(`/agents/${agentId}/duty`, { onDuty: false });
  const { id } = await place.createTask();
  await until('nobody is there', async () => (await readTask(id)).autoAssignmentStatus === 'searching');
  assert.equal((await api.put(`/agents/${agentIds[3]}/duty`, { onDuty: true })).status, 200);
  assert.equal((await place.untilOffered(id)).agentId, agentIds[3]);
  for (const agentId of agentIds) await api.put(`/agents/${agentId}/duty`, { onDuty: true });
});

test('a task that waits for a busy agent says so, and its history names the agent', async () => {
  const { agentIds, api } = place;
  const [busy, ...others] = agentIds;
  for (const agentId of others) await api.put(`/agents/${agentId}/duty`, { onDuty: false });
  await place.untilOffered((await place.createTask()).id);
  const { id } = await place.createTask();
  await until('a round has seen it', async () => (await readTask(id)).search?.waitsFor === 'busy_agent');
  const { text } = await api.get(`/tasks/${id}/history`);
  assert.match(text, new RegExp(`"nearest":\\[\\{"agentId":${busy},"reason":"busy"`));
  await place.cancelOpenTasks();
  for (const agentId of others) await api.put(`/agents/${agentId}/duty`, { onDuty: true });
});

test('an owner that is killed is found again where it comes back', async () => {
  await place.system.killGateway();
  await place.system.startGateway();
  await place.locate();
  const { id } = await place.createTask();
  await place.untilOffered(id);
});

test('workers that are killed with tasks to look for have others do it', async () => {
  const { agentIds, api } = place;
  for (const agentId of agentIds) await api.put(`/agents/${agentId}/duty`, { onDuty: false });
  const { id } = await place.createTask();
  await until('the workers look for somebody', async () => (await readTask(id)).autoAssignmentStatus === 'searching');
  await workers.kill();
  for (const agentId of agentIds) await api.put(`/agents/${agentId}/duty`, { onDuty: true });
  workers = await place.startWorkers();
  await place.untilOffered(id);
});

test('two processes that plan the same rounds offer each task once, to agents that are free', async () => {
  await place.cancelOpenTasks();
  const others = await place.startWorkers();
  const tasks = await Promise.all(place.agentIds.map(() => place.createTask()));
  const asked = new Set<number>();
  for (const { id } of tasks) {
    asked.add((await place.untilOffered(id)).agentId);
    assert.equal((await place.requestsOf(id)).length, 1);
  }
  assert.deepEqual(asked, new Set(place.agentIds));
  for (const process of [workers, others]) assert.equal(await process.stop(), 0);
});
