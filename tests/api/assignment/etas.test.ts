import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { PreviewView } from '../../../schema/assignment/preview.ts';
import type { HistoryStepView } from '../../../schema/tasks/task-history.ts';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import type { TrackedTask } from '../../../schema/tasks/tracking.ts';
import { roadSeconds, startStandInEngine } from '../../integration/travel/stand-in-routing-engine.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { openEventStream } from '../../support/event-stream.ts';
import { at } from '../../support/services/town.ts';
import { until } from '../../support/until.ts';
import { useGateway } from '../api-fixture.ts';
import { offerPlace } from './offer-place.ts';
import { sentMails } from './sent-mails.ts';

/** Ten metres a second on roads that are half as long again as the straight line. */
const roads = await startStandInEngine();
after(() => roads.close());
const fixture = useGateway({ environment: { ROUTING_URL: roads.url } });

const MINUTE = 60_000;
const HERE = at(0, 0);
const [FIRST, KITCHEN, SECOND, THIRD, FOURTH] = [2_000, 4_000, 6_000, 7_000, 9_000].map((east) => at(east, 0));
const place = (where: typeof HERE) => ({ address: 'Somewhere', ...where });
const wayMs = (from: typeof HERE, to: typeof HERE) => roadSeconds(from, to) * 1_000;
const iso = (ms: number) => new Date(ms).toISOString();

/** Takes a new task to the agent, up to that status. */
async function give(api: ApiClient, agentId: number, status: string, fields: object): Promise<TaskView> {
  const task = await api.createTask(fields);
  await api.post(`/tasks/${task.id}/assign`, { agentId });
  for (const step of ['accepted', 'in_transit']) {
    if (status === 'assigned') break;
    await api.put(`/tasks/${task.id}/status`, { status: step });
    if (step === status) break;
  }
  return task;
}

/** A task, its ETAs, and the stops of others before it. */
interface Expected {
  readonly task: TaskView;
  readonly etaAt: string;
  readonly pickupEtaAt: string | null;
  readonly stopsBefore: number;
}

/** An agent that is seen once, with four tasks; of the first it takes half an hour where it is. */
async function busyAgent() {
  const { admin: api, agents, organizationId, key } = await offerPlace(fixture, 1);
  const agent = agents[0]!;
  const mailed = await api.put('/notifications/settings', { customerMail: { onTheWay: true } });
  assert.equal(mailed.status, 200, mailed.text);
  const now = Math.ceil(Date.now() / 1_000) * 1_000;
  const [readyAt, windowStart] = [iso(now + 18 * MINUTE), iso(now + 180 * MINUTE)];
  const blocking = await give(api, agent.id, 'in_transit', { location: place(HERE), estimatedDuration: 30 });
  const customer = { name: 'Ada Lovelace', phone: '+442079460958', email: 'ada@example.com' };
  const toFirst = { customer, location: place(FIRST!), estimatedDuration: 4 };
  const first = await give(api, agent.id, 'in_transit', toFirst);
  const [location, pickupLocation] = [place(SECOND!), place(KITCHEN!)];
  const fetched = { location, pickupLocation, readyAt, windowEnd: iso(now + 120 * MINUTE), estimatedDuration: 7 };
  const second = await give(api, agent.id, 'accepted', fetched);
  const third = await give(api, agent.id, 'accepted', { location: place(THIRD!), windowStart });
  const read = async ({ id }: TaskView) => (await api.get<TaskView>(`/tasks/${id}`)).body.data;
  const point = { ...HERE, accuracy: 5, speed: 8, recordedAt: new Date().toISOString() };
  assert.equal((await agent.api.post('/agents/me/locations', { points: [point] })).status, 202);
  await until('the roads are known', async () => {
    const [one, other] = [await read(blocking), await read(first)];
    if (one.etaAt === null || other.etaAt === null) return false;
    const apartMs = Date.parse(other.etaAt) - Date.parse(one.etaAt) - 30 * MINUTE;
    return Math.abs(apartMs - wayMs(HERE, FIRST!)) <= 5_000;
  });
  return { api, agent, organizationId, key, read, blocking, first, second, third, readyAt, windowStart };
}

type Scene = Awaited<ReturnType<typeof busyAgent>>;

async function assertShown({ api, agent, read }: Scene, expected: Expected): Promise<void> {
  const { task, stopsBefore, ...etas } = expected;
  const etasOf = (found: TaskView | undefined) => ({ etaAt: found?.etaAt, pickupEtaAt: found?.pickupEtaAt });
  const isIt = ({ id }: { id: number }) => id === task.id;
  const get = async <T>(path: string) => (await api.raw<T>({ method: 'GET', path })).body.data;
  assert.deepEqual(etasOf(await read(task)), etas, 'task');
  const lists = [
    api.get<{ items: TaskView[] }>(`/tasks?agentId=${agent.id}`),
    agent.api.get<{ items: TaskView[] }>('/tasks'),
  ];
  for (const { body } of await Promise.all(lists)) assert.deepEqual(etasOf(body.data.items.find(isIt)), etas, 'list');
  const log = await api.get<{ items: { data: { task: TaskView } }[] }>('/events?types=task.eta_updated&limit=100');
  assert.deepEqual(etasOf(log.body.data.items.findLast(({ data }) => isIt(data.task))?.data.task), etas, 'log');
  const token = task.trackingUrl.slice('/t/'.length);
  const tracked = await get<TrackedTask>(`/tracking/tasks/${task.id}?token=${token}`);
  assert.deepEqual([tracked.etaAt, tracked.stopsBefore], [etas.etaAt, stopsBefore], 'tracking');
  const located = await get<TrackedTask>(`/tracking/tasks/${task.id}/location?token=${token}`);
  assert.equal(located.etaAt, etas.etaAt, 'location');
  const page = (await api.raw({ method: 'GET', path: task.trackingUrl })).text;
  assert.ok(page.includes(`<p>Expected <time datetime="${etas.etaAt}">`), 'page');
  const stops = ['You are the next stop', 'has 1 stop before you', '', 'has 3 stops before you'];
  assert.ok(page.includes(stops[stopsBefore]!), 'stops on the page');
}

test('three stops of an agent have the same ETA wherever one is shown: ways, services and waits, to the second', async () => {
  const scene = await busyAgent();
  const { api, organizationId, key, read, blocking, first, second, third, readyAt, windowStart } = scene;
  const options = { organizationId, key, query: 'types=task.eta_updated' };
  const stream = await openEventStream(fixture.gateway.baseUrl, options);
  const before = await read(first);
  // The others are half an hour earlier at once, by ways that are known.
  await api.put(`/tasks/${blocking.id}/status`, { status: 'cancelled' });
  const cancelledAt = Date.now();
  await until('the step moves the ETAs', async () => (await read(first)).etaAt! < before.etaAt!);
  const etaAt = Date.parse((await read(first)).etaAt!);
  const setOutAt = etaAt - wayMs(HERE, FIRST!);
  assert.ok(setOutAt >= cancelledAt - 1_000 && setOutAt <= Date.now() + 1_000, iso(setOutAt));
  const pickupEtaAt = etaAt + 4 * MINUTE + wayMs(FIRST!, KITCHEN!);
  // Half of the three minutes at the pickup come before the goods are ready.
  const leftAt = Date.parse(readyAt) + 1.5 * MINUTE;
  const secondEtaAt = leftAt + wayMs(KITCHEN!, SECOND!);
  for (const expected of [
    { task: first, etaAt: iso(etaAt), pickupEtaAt: null, stopsBefore: 0 },
    { task: second, etaAt: iso(secondEtaAt), pickupEtaAt: iso(pickupEtaAt), stopsBefore: 1 },
    { task: third, etaAt: windowStart, pickupEtaAt: null, stopsBefore: 3 },
  ])
    await assertShown(scene, expected);
  let streamed: { readonly data: { readonly etaAt?: string; readonly task: { readonly id: number } } } | undefined;
  while (streamed?.data.task.id !== first.id) [streamed] = (await stream.take(1)).map(({ data }) => data);
  assert.equal(streamed.data.etaAt, iso(etaAt), 'stream');
  stream.close();

  const mails = await sentMails(fixture.gateway.databaseUrl, organizationId);
  const toAda = mails.filter(({ headers }) => headers.get('to') === 'ada@example.com');
  assert.equal(toAda.length, 1);
  // A mail says it to the minute.
  const clock = `${iso(etaAt).slice(11, 16)} UTC`;
  assert.match(toAda[0]!.text, new RegExp(`Expected[^0-9]*\\d+ \\w+ \\d+, ${clock}`), 'mail');
  assert.ok(toAda[0]!.html!.includes(clock), 'mail as HTML');

  // A further task comes while the third waits for its window: the agent is free when it leaves the second door.
  const fourth = await api.createTask({ location: place(FOURTH!) });
  const freeAt = secondEtaAt + 7 * MINUTE;
  let stops: readonly string[] = [];
  await until('the preview knows the roads', async () => {
    const last = stops;
    const planned = { taskIds: [fourth.id], at: iso(freeAt - 1_000) };
    const { offers } = (await api.post<PreviewView>('/dispatch/preview', planned)).body.data;
    stops = offers.flatMap((offer) => offer.stops.map(({ arrivesAt }) => arrivesAt));
    return stops.length > 0 && stops.join() === last.join();
  });
  assert.equal(stops[0], iso(freeAt + wayMs(SECOND!, FOURTH!)), 'preview');

  // The second customer now wants it a minute before it can be there.
  const dueAt = iso(secondEtaAt - MINUTE);
  assert.equal((await api.post(`/tasks/${second.id}/amend`, { windowEnd: dueAt })).status, 200);
  const { items } = (await api.get<{ items: HistoryStepView[] }>(`/tasks/${second.id}/history`)).body.data;
  const risks = items.filter(({ kind }) => kind === 'at_risk').map(({ details }) => details);
  assert.deepEqual(risks, [{ etaAt: iso(secondEtaAt), dueAt }], 'the warning');
});

test('an agent that has sent heartbeats and no point is nowhere, and its task has no ETA', async () => {
  const { admin: api, agents } = await offerPlace(fixture, 2);
  const [silent, seen] = agents as [(typeof agents)[number], (typeof agents)[number]];
  assert.equal((await silent.api.post('/agents/me/heartbeat', { battery: 80 })).status, 200);
  const without = await give(api, silent.id, 'accepted', { location: place(FIRST!) });
  const expected = await give(api, seen.id, 'accepted', { location: place(SECOND!) });
  const point = { ...HERE, accuracy: 5, speed: 8, recordedAt: new Date().toISOString() };
  assert.equal((await seen.api.post('/agents/me/locations', { points: [point] })).status, 202);
  const etaOf = async ({ id }: TaskView) => (await api.get<TaskView>(`/tasks/${id}`)).body.data.etaAt;
  // The agent who was given a task first has been looked at, too.
  await until('the other task has an ETA', async () => (await etaOf(expected)) !== null);
  assert.equal(await etaOf(without), null);
});
