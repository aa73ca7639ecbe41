import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AssignmentRequestView } from '../../../schema/assignment/assignment.ts';
import { useGateway } from '../api-fixture.ts';
import { offerPlace, type RequestList } from './offer-place.ts';
import { seedRequest } from './seed-request.ts';

const fixture = useGateway();

const idsOf = ({ items }: RequestList) => items.map(({ id }) => id);

test('requests are listed newest first, page by page, counted exactly, and found by status, task and agent', async () => {
  const place = await offerPlace(fixture, 2);
  const { api, agents } = place;
  const [one, two] = agents;
  const requests: AssignmentRequestView[] = [];
  for (const agentId of [one!.id, two!.id, one!.id, two!.id, one!.id]) {
    requests.push(...(await place.offer([agentId])));
  }
  await one!.api.post(`/assignment-requests/${requests[0]!.id}/accept`, undefined);
  await two!.api.post(`/assignment-requests/${requests[1]!.id}/reject`, undefined);
  const [a, b, c, d, e] = requests.map(({ id }) => id);
  const list = (query: string) => api.get<RequestList>(`/assignment-requests?${query}`);
  const expected: Readonly<Record<string, readonly (number | undefined)[]>> = {
    '': [e, d, c, b, a],
    'status=pending': [e, d, c],
    'status=accepted,rejected': [b, a],
    'status=expired&status=cancelled': [],
    'status=': [e, d, c, b, a],
    'status=,': [e, d, c, b, a],
    [`taskId=${requests[2]!.taskId}`]: [c],
    [`agentId=${one!.id}`]: [e, c, a],
    [`agentId=${two!.id}&status=pending`]: [d],
    [`agentId=${one!.id},${two!.id}`]: [e, d, c, b, a],
    [`agentId=${one!.id}&agentId=999000111`]: [e, c, a],
    'agentId=': [e, d, c, b, a],
    'taskId=999000111': [],
    'agentId=999000111': [],
  };
  for (const [query, ids] of Object.entries(expected)) {
    const { status, body } = await list(query);
    assert.deepEqual([status, idsOf(body.data), body.data.count], [200, ids, ids.length], query);
  }
  const second = await list('limit=2&page=2');
  assert.deepEqual([idsOf(second.body.data), second.body.data.count], [[c, b], 5]);
  assert.deepEqual((await list('page=9000000000')).body.data, { items: [], count: 5, nextCursor: null });
  assert.deepEqual(idsOf((await one!.api.get<RequestList>('/assignment-requests')).body.data), [e, c, a], 'its own');
  const foreign = await one!.api.get<RequestList>(`/assignment-requests?agentId=${two!.id}`);
  assert.deepEqual(foreign.body.data, { items: [], count: 0, nextCursor: null }, 'a filter never widens');
  for (const bad of [
    'status=open',
    'status=Pending',
    'taskId=x',
    'taskId=1&taskId=2',
    'agentId=0',
    'agentId=1,x',
    'limit=101',
    'page=0',
  ])
    assert.equal((await list(bad)).status, 400, bad);
});

test('a list is true at the place in the log that it names', async () => {
  const place = await offerPlace(fixture, 1);
  const sequenceOf = (position: string) => Number(position.split('-')[1]);
  const before = (await place.api.get<RequestList>('/assignment-requests')).body;
  assert.deepEqual(before.data, { items: [], count: 0, nextCursor: null });
  await place.offer([place.agents[0]!.id]);
  const after = (await place.api.get<RequestList>('/assignment-requests')).body;
  assert.ok(sequenceOf(after.metadata.position) > sequenceOf(before.metadata.position));
  const { items } = (await place.api.get<{ items: { sequence: number; type: string }[] }>('/events?limit=100')).body
    .data;
  const made = items.find(({ type }) => type === 'assignment_request.created')!;
  assert.ok(made.sequence > sequenceOf(before.metadata.position));
  assert.ok(made.sequence <= sequenceOf(after.metadata.position));
});

test('a request reads as the list shows it, with an entity tag that its answer changes', async () => {
  const place = await offerPlace(fixture, 1);
  const [agent] = place.agents;
  const [request] = await place.offer([agent!.id]);
  assert.deepEqual(Object.keys(request!), [
    ...['id', 'taskId', 'agentId', 'status', 'mode', 'attempt', 'score', 'distanceM', 'etaSeconds', 'expiresAt'],
    ...['respondedAt', 'rejectionReason', 'createdAt'],
  ]);
  const { mode, attempt, score, distanceM, etaSeconds, respondedAt, rejectionReason } = request!;
  assert.deepEqual([mode, attempt, score, distanceM, etaSeconds], ['sequential', 1, 12.5, 800, 240]);
  assert.deepEqual([respondedAt, rejectionReason], [null, null]);
  assert.equal(Date.parse(request!.expiresAt) - Date.parse(request!.createdAt), 3_600_000);
  const path = `/assignment-requests/${request!.id}`;
  const first = await agent!.api.get<AssignmentRequestView>(path);
  assert.deepEqual([first.status, first.body.data], [200, request]);
  assert.match(first.body.metadata.position, /^[a-z0-9]+-\d+$/);
  const tag = { 'if-none-match': first.headers.etag! };
  assert.equal((await agent!.api.get(path, tag)).status, 304);
  await agent!.api.post(`${path}/reject`, undefined);
  const changed = await agent!.api.get(path, tag);
  assert.equal(changed.status, 200);
  assert.notEqual(changed.headers.etag, first.headers.etag);
});

test('a request of another agent, of another organization and one that nobody has are refused alike', async () => {
  const [mine, theirs] = [await offerPlace(fixture, 2), await offerPlace(fixture, 1)];
  const [own] = await mine.offer([mine.agents[0]!.id]);
  const [foreign] = await theirs.offer([theirs.agents[0]!.id]);
  const told = async (id: number) => {
    const { status, text } = await mine.agents[1]!.api.get(`/assignment-requests/${id}`);
    return [status, text.replace(`ID ${id} `, 'ID <id> ')];
  };
  const unknown = await told(999_000_111);
  assert.equal(unknown[0], 404);
  assert.deepEqual(await told(own!.id), unknown);
  assert.deepEqual(await told(foreign!.id), unknown);
  assert.equal((await mine.api.get(`/assignment-requests/${foreign!.id}`)).status, 404);
});

test('requests of one moment are listed in one order, on pages of any size', async () => {
  const { databaseUrl } = fixture.gateway;
  const place = await offerPlace(fixture, 1);
  const { id: taskId } = await place.api.createTask();
  const seed = { ...place, taskId, agentId: place.agents[0]!.id, createdAt: '2026-01-02T03:04:05.000Z' };
  const ids: number[] = [];
  for (const status of ['expired', 'rejected', 'cancelled', 'expired'] as const)
    ids.push(await seedRequest(databaseUrl, { ...seed, status }));
  const pages: number[] = [];
  for (const page of [1, 2, 3, 4])
    pages.push(...idsOf((await place.api.get<RequestList>(`/assignment-requests?limit=1&page=${page}`)).body.data));
  assert.deepEqual(
    pages,
    ids.toSorted((a, b) => b - a),
  );
});
