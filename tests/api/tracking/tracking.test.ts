import assert from 'node:assert/strict';
import { test } from 'node:test';
import { trackingTokenOf } from '../../../engine/domain/tasks/tracking-token.ts';
import { newSecret } from '../../../engine/runtime/secrets.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { HistoryStepView } from '../../../schema/tasks/task-history.ts';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import type { TrackedTask } from '../../../schema/tasks/tracking.ts';
import type { ApiReply } from '../../support/api-client.ts';
import { seedSession, seedUser, withSql } from '../../support/seeds/seed.ts';
import { seedTasks } from '../../support/seeds/seed-task.ts';
import { until } from '../../support/until.ts';
import { useGateway } from '../api-fixture.ts';
import { type TrackedLocation, type TrackingPlace, tokenOf, trackingPlace } from './tracking-place.ts';

let place: TrackingPlace;
const fixture = useGateway({ own: 'it locks whole tables, and reads the figures of the gateway' }, async () => {
  place = await trackingPlace(fixture);
});

/** The parts of a refusal that could distinguish one link from another. */
function comparable({ status, headers, body }: ApiReply<unknown>) {
  const { date: _, 'x-correlation-id': __, 'ratelimit-remaining': ___, 'ratelimit-reset': ____, ...told } = headers;
  const {
    timestamp: _____,
    correlationId: ______,
    requestId: _______,
    duration: ________,
    ...fields
  } = {
    ...(body as unknown as Record<string, unknown>),
  };
  const { meta, metadata, ...rest } = fields as Record<string, unknown>;
  const { requestId: _id, ...ofRequest } = (meta ?? {}) as Record<string, unknown>;
  return { status, headers: Object.keys(told).sort(), rest, ofRequest, metadata: Object.keys(metadata ?? {}) };
}

test('a link shows its task, and of it no more than a customer may see', async () => {
  const task = await place.api.createTask({
    code: 'TRACK-1',
    notes: 'The key is under the mat',
    description: 'Fragile',
    integrationData: { secret: 'ours' },
    windowStart: '2030-01-01T10:00:00Z',
    windowEnd: '2030-01-01T12:00:00Z',
    packages: [{ name: 'Books', quantity: 2 }, { name: 'Lamp' }],
  });
  const token = tokenOf(task);
  const reply = await place.ask(`/api/v1/tracking/tasks?token=${token}`);
  assert.equal(reply.status, 200, reply.text);
  const [shown] = reply.body.data.items;
  const expected: TrackedTask = {
    id: task.id,
    code: 'TRACK-1',
    name: task.name,
    status: 'new',
    outcome: null,
    timeline: [{ status: 'new', at: task.createdAt }],
    etaAt: null,
    stopsBefore: null,
    arrivedAt: null,
    window: { start: '2030-01-01T10:00:00.000Z', end: '2030-01-01T12:00:00.000Z' },
    destination: { address: task.location!.address, latitude: 51.5072178, longitude: -0.1357 },
    pin: shown!.pin,
    packageCount: 3,
    agent: null,
    rating: null,
  };
  const organization = { name: 'Test organization', timeZone: 'UTC', contact: { phone: null, email: null } };
  assert.deepEqual(reply.body.data, { organization, items: [expected], count: 1 });
  assert.deepEqual((await place.ask<TrackedTask>(`/tracking/tasks/${task.id}?token=${token}`)).body.data, shown);
  for (const name of ['token', '%74oken'])
    assert.equal((await place.ask(`/tracking/tasks?${name}=${token}&taskId=${task.id}`)).text.includes(token), false);

  assert.match(shown!.pin!, /^\d{4}$/);

  await place.bringTo(task.id, 'accepted');
  const proof = await place.api.post(`/tasks/${task.id}/proof`, { pin: shown!.pin });
  assert.equal(proof.status, 201, proof.text);
  for (const status of ['in_transit', 'completed']) await place.api.put(`/tasks/${task.id}/status`, { status });
  const { text, body } = await place.ask(`/api/v1/tracking/tasks?token=${token}`);
  assert.deepEqual(body.data.items[0]!.agent, { firstName: 'Amina' });
  assert.deepEqual(
    body.data.items[0]!.timeline.map(({ status }) => status),
    ['new', 'assigned', 'accepted', 'in_transit', 'completed'],
  );
  assert.equal(body.metadata.position, undefined, 'how much the organization does is not told');
  const secrets = ['under the mat', 'Fragile', 'ours', 'Zuhair', '+49', '3012345678', 'Ada', '7946', token];
  for (const secret of [...secrets, `"agentId"`, `"customerId"`, `"organizationId"`, `"channelId"`])
    assert.ok(!text.includes(secret), secret);
});

test('an agent is named once it has taken the task, and seen only while the task is on its way', async () => {
  const { id, ...task } = await place.api.createTask();
  const token = tokenOf(task);
  const locate = async () =>
    (await place.ask<TrackedLocation>(`/tracking/tasks/${id}/location?token=${token}`)).body.data;
  const nameOf = async () => (await place.ask(`/tracking/tasks?token=${token}`)).body.data.items[0]!.agent;
  await place.assign(id);
  await place.moveAgent(51.51, -0.14);
  const { etaAt: _, ...assigned } = await locate();
  assert.deepEqual([assigned, await nameOf()], [{ taskId: id, status: 'assigned', location: null }, null]);
  await place.step(id, 'accepted');
  assert.deepEqual([(await locate()).location, await nameOf()], [null, { firstName: 'Amina' }]);
  await place.step(id, 'in_transit');
  const { location } = await locate();
  assert.deepEqual([location?.latitude, location?.longitude, location?.isStale], [51.51, -0.14, false]);
  assert.deepEqual(Object.keys(location!).sort(), ['isStale', 'latitude', 'longitude', 'recordedAt']);
  await until('the position follows the agent', async () => {
    await place.moveAgent(51.52, -0.15);
    return (await locate()).location?.latitude === 51.52;
  });
  await place.step(id, 'completed');
  assert.equal((await locate()).location, null);
});

test('the content of a link is cached nowhere on its way, and no search engine finds it', async () => {
  const { id, ...task } = await place.api.createTask();
  const path = `/tracking/tasks/${id}`;
  const token = tokenOf(task);
  const replies = [
    await place.ask(`${path}?token=${token}`),
    await place.ask(`/tracking/tasks?token=${token}`),
    await place.ask(`${path}/location?token=${token}`),
    await place.ask(`${path}?token=${'A'.repeat(22)}`),
    await place.ask(`/tracking/tasks?token=${token}&taskId=x`),
    await place.rate(id, token, { score: 5 }),
  ];
  assert.deepEqual(
    replies.map(({ status }) => status),
    [200, 200, 200, 404, 400, 409],
  );
  for (const { headers } of replies)
    assert.deepEqual([headers['cache-control'], headers['x-robots-tag']], ['no-store', 'noindex']);
});

test('the link of a job shows its parts but not the job, that of a part only itself', async () => {
  const job = await place.api.createTask({ name: 'Job', children: [{ name: 'One' }, { name: 'Two' }].map(partInput) });
  const [one, two] = job.children;
  const ofJob = await place.ask(`/tracking/tasks?token=${tokenOf(job)}`);
  assert.deepEqual(
    ofJob.body.data.items.map(({ id }) => id),
    [one!.id, two!.id],
  );
  const chosen = await place.ask(`/tracking/tasks?token=${tokenOf(job)}&taskId=${two!.id}`);
  assert.deepEqual(
    chosen.body.data.items.map(({ name }) => name),
    ['Two'],
  );
  const read = await place.ask<TrackedTask>(`/tracking/tasks/${two!.id}?token=${tokenOf(job)}`);
  assert.equal(read.body.data.name, 'Two');
  const located = await place.ask<TrackedLocation>(`/tracking/tasks/${two!.id}/location?token=${tokenOf(job)}`);
  assert.equal(located.body.data.taskId, two!.id);
  for (const path of [`?taskId=${job.id}&`, `/${job.id}?`, `/${job.id}/location?`])
    assert.equal((await place.ask(`/tracking/tasks${path}token=${tokenOf(job)}`)).status, 404, path);
  for (const path of [
    `/tracking/tasks?taskId=${two!.id}&`,
    `/tracking/tasks/${two!.id}?`,
    `/tracking/tasks/${job.id}?`,
  ])
    assert.equal((await place.ask(`${path}token=${tokenOf(one!)}`)).status, 404, path);
});

test('the parts of a job are rated by its link, and the job by none', async () => {
  const job = await place.api.createTask({ name: 'Job', children: [{ name: 'One' }, { name: 'Two' }].map(partInput) });
  const [one, two] = job.children;
  const token = tokenOf(job);
  for (const { id } of [one!, two!]) await place.bringTo(id, 'completed');
  const unknown = await place.rate(job.id, 'A'.repeat(22), { score: 5 });
  assert.deepEqual(comparable(await place.rate(job.id, token, { score: 5 })), comparable(unknown));
  assert.equal(unknown.status, 404);
  const form = new URLSearchParams({ taskId: String(job.id), score: '5' }).toString();
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const sent = await place.api.raw({ method: 'POST', path: `${job.trackingUrl}/rating`, headers, body: form });
  assert.equal(sent.status, 404);
  assert.equal((await place.api.get<TaskView>(`/tasks/${job.id}`)).body.data.rating, null);
  assert.equal((await place.rate(one!.id, token, { score: 5 })).status, 201);
  assert.equal((await place.rate(two!.id, tokenOf(two!), { score: 4 })).status, 201);
  assert.equal((await place.rate(two!.id, tokenOf(one!), { score: 4 })).status, 404);
});

const partInput = (fields: object) => ({
  taskType: 'delivery',
  customer: { name: 'Ada Lovelace', phone: '+442079460001' },
  location: { address: '12 St James Square, London', latitude: 51.5072178, longitude: -0.1357 },
  ...fields,
});

test('every link that shows nothing is refused alike', async () => {
  const [{ id, ...task }, other] = [await place.api.createTask(), await place.api.createTask()];
  const foreign = await (await trackingPlace(fixture)).api.createTask();
  const known = tokenOf(task);
  const wrong = [
    '',
    'x',
    known.slice(0, -1),
    `${known}A`,
    `${known.slice(0, -22)}${'A'.repeat(22)}`,
    `${tokenOf(other).slice(0, -22)}${known.slice(-22)}`,
    `${tokenOf(foreign).slice(0, -22)}${known.slice(-22)}`,
    'A'.repeat(22),
    'A'.repeat(500),
    encodeURIComponent("'; --é"),
  ];
  for (const path of [`/tracking/tasks?taskId=${id}&`, `/tracking/tasks/${id}?`, `/tracking/tasks/${id}/location?`]) {
    const reference = comparable(await place.ask(`${path}token=AAAAAAAAAAAAAAAAAAAAAA`));
    assert.equal(reference.status, 404);
    for (const token of [...wrong, tokenOf(other), tokenOf(foreign)])
      assert.deepEqual(comparable(await place.ask(`${path}token=${token}`)), reference, `${path} ${token}`);
    assert.deepEqual(comparable(await place.ask(path)).rest, reference.rest, 'without a token');
    assert.equal((await place.ask(`${path}token=${known}`)).status, 200, path);
  }
});

test('a link dies a day after its task has ended, that of a job a day after its last part', async () => {
  const { databaseUrl } = fixture.gateway;
  const seeded = await fixture.organization();
  const ended = { status: 'completed' } as const;
  const [task, cancelled, job] = await seedTasks(databaseUrl, seeded, [
    ended,
    { status: 'cancelled' },
    { ...ended, children: [ended, { status: 'cancelled' }] },
  ]);
  const at = (ageMs: number) => new Date(Date.now() - ageMs).toISOString();
  const day = LIMITS.trackingAfterEndMs;
  /** A link to a task that ended so long ago. */
  const link = async ({ id }: { readonly id: number }, ageMs: number, updatedAgeMs = ageMs) => {
    const trackingToken = newSecret('', 22);
    await withSql(
      databaseUrl,
      (sql) => sql`
        UPDATE tasks SET tracking_token = ${trackingToken}, updated_at = ${at(updatedAgeMs)}::timestamptz,
          completed_at = CASE status WHEN 'completed' THEN ${at(ageMs)}::timestamptz END,
          cancelled_at = CASE status WHEN 'cancelled' THEN ${at(ageMs)}::timestamptz END
        WHERE organization_id = ${seeded.organizationId} AND id = ${id}`,
    );
    return trackingTokenOf({ organizationId: seeded.organizationId, id, trackingToken });
  };
  const [alive, dead] = [day - 60_000, day + 1_000];
  const tokens = {
    dead: await link(task!, dead, 0),
    cancelled: await link(cancelled!, alive, dead),
    job: await link(job!, dead),
    deadPart: await link(job!.children[0]!, dead),
    part: await link(job!.children[1]!, alive),
  };
  const statusOf = async (token: string) => (await place.ask(`/tracking/tasks?token=${token}`)).status;
  const statuses = await Promise.all(Object.values(tokens).map(statusOf));
  assert.deepEqual(statuses, [404, 200, 200, 404, 200]);
});

test('a link shows nothing while its organization is not active', async () => {
  const { databaseUrl } = fixture.gateway;
  const paused = await trackingPlace(fixture);
  const token = tokenOf(await paused.api.createTask());
  const { userId } = await seedUser(databaseUrl, 0, 'super_admin');
  const admin = fixture.clientOf(await seedSession(databaseUrl, 0, userId));
  const set = async (status: string) => {
    const reply = await admin.patch(`/organizations/${paused.organizationId}`, { status });
    assert.equal(reply.status, 200, reply.text);
  };
  const unknown = comparable(await place.ask(`/tracking/tasks?token=AAAAAAAAAAAAAAAAAAAAAA`));
  for (const status of ['inactive', 'pending', 'rejected']) {
    await set(status);
    assert.deepEqual(comparable(await place.ask(`/tracking/tasks?token=${token}`)), unknown, status);
  }
  await set('active');
  assert.equal((await place.ask(`/tracking/tasks?token=${token}`)).status, 200);
});

test('a completed task is rated once, however many try', async () => {
  const { id, ...task } = await place.api.createTask();
  const token = tokenOf(task);
  const codeOf = async (body: object) => {
    const { status, body: told } = await place.rate(id, token, body);
    return [status, told.code];
  };
  await place.bringTo(id, 'in_transit');
  assert.deepEqual(await codeOf({ score: 5 }), [409, 'TASK_NOT_COMPLETED']);
  await place.step(id, 'completed');
  for (const body of [
    {},
    { score: 0 },
    { score: 6 },
    { score: 4.5 },
    { score: '5' },
    { score: 5, comment: 'x'.repeat(1_001) },
  ])
    assert.equal((await place.rate(id, token, body)).status, 400, JSON.stringify(body));
  assert.equal((await place.rate(id, 'A'.repeat(22), { score: 5 })).status, 404);

  const tries = await Promise.all(
    [1, 2, 3, 4, 5].map((score) => place.rate(id, token, { score, comment: `It is ${score}` })),
  );
  const [made, ...more] = tries.filter(({ status }) => status === 201);
  assert.ok(made);
  assert.equal(more.length, 0);
  for (const { status, body } of tries.filter((reply) => reply !== made))
    assert.deepEqual([status, body.code], [409, 'TASK_ALREADY_RATED']);
  const { body } = await place.ask(`/tracking/tasks?token=${token}`);
  assert.deepEqual(body.data.items[0]!.rating, made.body.data);

  const { items } = (await place.api.get<{ items: HistoryStepView[] }>(`/tasks/${id}/history`)).body.data;
  const { kind, details } = items.at(-1)!;
  assert.deepEqual({ kind, details }, { kind: 'rated', details: { rating: made.body.data } });
  const rated = (await place.api.get(`/tasks/${id}`)).body.data;
  assert.deepEqual(rated.rating, made.body.data);
  interface Told {
    readonly items: readonly { readonly data: { readonly task: TaskView } }[];
  }
  const told = (await place.api.get<Told>('/events?types=task.rated&limit=1000')).body.data.items;
  assert.deepEqual(
    told.map(({ data }) => data).filter((data) => data.task.id === id),
    [{ task: rated, rating: made.body.data, actor: { type: 'system', id: null } }],
  );
});

test('a rating that is sent again under its key is answered as the first time', async () => {
  const { id, ...task } = await place.api.createTask();
  await place.bringTo(id, 'completed');
  const key = { 'idempotency-key': 'rate-once' };
  const first = await place.rate(id, tokenOf(task), { score: 4 }, key);
  const again = await place.rate(id, tokenOf(task), { score: 4 }, key);
  assert.deepEqual([first.status, again.status, again.headers['idempotency-replayed']], [201, 201, 'true']);
  assert.deepEqual(again.body.data, first.body.data);
});

test('a task that is followed is answered without Postgres', async () => {
  const { id, ...task } = await place.api.createTask();
  const token = tokenOf(task);
  await place.bringTo(id, 'in_transit');
  await place.moveAgent(51.5, -0.1);
  const paths = [`/tracking/tasks?`, `/tracking/tasks/${id}?`, `/tracking/tasks/${id}/location?`];
  const askAll = async () => {
    for (const path of paths) assert.equal((await place.ask(`${path}token=${token}`)).status, 200);
  };
  await askAll();
  // The last thing that its movement leads to: a commit, for which answers would have to wait.
  await until('the ETA is published', async () => {
    await place.moveAgent(51.5, -0.1);
    const { body } = await place.ask(`/tracking/tasks?token=${token}`);
    return body.data.items[0]!.etaAt !== null;
  });
  await withSql(fixture.gateway.databaseUrl, (sql) =>
    sql.begin(async (locking) => {
      await locking`LOCK TABLE tasks, task_history, agents, organizations IN ACCESS EXCLUSIVE MODE`;
      await askAll();
    }),
  );
});

test('a token is in no metric', async () => {
  const { id, ...task } = await place.api.createTask();
  const token = tokenOf(task);
  await place.ask(`/tracking/tasks/${id}?token=${token}`);
  await place.ask(task.trackingUrl);
  const metrics = await (await fetch(`${fixture.gateway.baseUrl}/metrics`)).text();
  for (const route of ['/tracking/tasks/:id', '/t/:token']) assert.ok(metrics.includes(`"${route}"`), route);
  assert.ok(!metrics.includes(token));
});
