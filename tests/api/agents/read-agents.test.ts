import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentView } from '../../../schema/fleet/agent.ts';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import { useGateway } from '../api-fixture.ts';
import { type AgentList, assignedTask, clientOfAgent, createAgent, dispatchersOf } from './agent-place.ts';

const fixture = useGateway();

const UNKNOWN_ID = 999_000_111;

test('agents are listed newest first, page by page, and counted exactly', async () => {
  const { api } = await dispatchersOf(fixture);
  const made: AgentView[] = [];
  for (let number = 0; number < 5; number++) made.push(await createAgent(api));
  const newestFirst = made.toReversed();
  const all = await api.get<AgentList>('/agents');
  assert.deepEqual(all.body.data, { items: newestFirst, count: 5, nextCursor: null });
  assert.match(all.body.metadata.position, /^[a-z0-9]+-\d+$/);
  const second = await api.get<AgentList>('/agents?limit=2&page=2');
  assert.deepEqual([second.body.data.items, second.body.data.count], [newestFirst.slice(2, 4), 5]);
  assert.deepEqual((await api.get<AgentList>('/agents?page=9000000000')).body.data, {
    items: [],
    count: 5,
    nextCursor: null,
  });
  for (const bad of ['limit=101', 'page=0', 'onDuty=yes', 'isActive=1', 'onDuty=true&onDuty=false'])
    assert.equal((await api.get(`/agents?${bad}`)).status, 400, bad);
});

test('agents are found by duty, by activity and by parts of what they are called', async () => {
  const { api } = await dispatchersOf(fixture);
  const ada = await createAgent(api, { name: 'Ada Lovelace', email: 'countess@find.example', phone: '+442079460001' });
  const grace = await createAgent(api, { name: 'Grace O%Neill', email: 'grace@find.example', phone: '+12025550123' });
  const zoe = await createAgent(api, { name: 'ZOË', email: 'zoe@find.example', phone: '+4930999999' });
  await api.put(`/agents/${ada.id}/duty`, { onDuty: true });
  await api.patch(`/agents/${zoe.id}`, { isActive: false });
  const found = async (query: string) => {
    const { items, count } = (await api.get<AgentList>(`/agents?${query}`)).body.data;
    assert.equal(items.length, count);
    return items.map(({ id }) => id).sort((a, b) => a - b);
  };
  const expected: Readonly<Record<string, readonly AgentView[]>> = {
    'onDuty=true': [ada],
    'onDuty=false': [grace, zoe],
    'isActive=false': [zoe],
    'isActive=true&onDuty=false': [grace],
    'search=lovelace': [ada],
    'search=a%20love': [ada],
    'search=FIND.example': [ada, grace, zoe],
    'search=zo%C3%AB': [zoe],
    'search=%25': [grace],
    'search=_': [],
    'search=%2B44%2020%207946': [ada],
    'search=555-01': [grace],
    'search=e&onDuty=true': [ada],
  };
  for (const [query, agents] of Object.entries(expected))
    assert.deepEqual(
      await found(query),
      agents.map(({ id }) => id),
      query,
    );
});

test('an agent reads back as it was answered', async () => {
  const { api } = await dispatchersOf(fixture);
  const made = await createAgent(api, { vehicle: { type: 'bike' }, home: { latitude: 1, longitude: 2, address: 'X' } });
  const { status, body, headers } = await api.get<AgentView>(`/agents/${made.id}`);
  assert.deepEqual([status, body.data], [200, made]);
  const same = await api.get(`/agents/${made.id}`, { 'if-none-match': headers.etag! });
  assert.deepEqual([same.status, same.text], [304, '']);
});

test("another organization's agent is refused as one that nobody has", async () => {
  const { api } = await dispatchersOf(fixture);
  const foreign = await createAgent((await dispatchersOf(fixture)).api);
  const task = await api.createTask();
  const requests = {
    read: (id: number) => api.get(`/agents/${id}`),
    tasks: (id: number) => api.get(`/agents/${id}/tasks`),
    change: (id: number) => api.patch(`/agents/${id}`, { name: 'Eve', isActive: false }),
    duty: (id: number) => api.put(`/agents/${id}/duty`, { onDuty: true }),
    assign: (agentId: number) => api.post(`/tasks/${task.id}/assign`, { agentId }),
  };
  for (const [name, send] of Object.entries(requests)) {
    const refused = await send(foreign.id);
    assert.deepEqual([refused.status, refused.body.message], [404, `Agent with ID ${foreign.id} not found`], name);
    const unknown = await send(UNKNOWN_ID);
    assert.equal(refused.text.replace(`ID ${foreign.id} `, `ID ${UNKNOWN_ID} `), unknown.text, name);
  }
});

test('an agent finds itself, by `me` too, and nobody else', async () => {
  const { api, organizationId } = await dispatchersOf(fixture);
  const [own, other] = [await createAgent(api), await createAgent(api)];
  const agent = await clientOfAgent(fixture, organizationId, own);
  for (const id of ['me', own.id]) {
    assert.deepEqual((await agent.get<AgentView>(`/agents/${id}`)).body.data, own);
    assert.equal((await agent.get(`/agents/${id}/tasks`)).status, 200);
  }
  assert.deepEqual((await agent.get<AgentList>('/agents')).body.data, { items: [own], count: 1, nextCursor: null });
  for (const path of ['', '/tasks']) {
    const refused = await agent.get(`/agents/${other.id}${path}`);
    assert.equal(refused.status, 404);
    const unknown = await agent.get(`/agents/${UNKNOWN_ID}${path}`);
    assert.equal(refused.text.replace(`ID ${other.id} `, `ID ${UNKNOWN_ID} `), unknown.text);
  }
  assert.equal((await agent.put(`/agents/${other.id}/duty`, { onDuty: true })).status, 404);
  assert.equal((await agent.patch(`/agents/${own.id}`, { name: 'Me' })).status, 403);
  assert.equal((await agent.patch('/agents/me', { name: 'Me' })).status, 403);
});

test('`me` is nobody to a caller who is no agent', async () => {
  const { api } = await dispatchersOf(fixture);
  for (const path of ['/agents/me', '/agents/me/tasks']) {
    const { status, body } = await api.get(path);
    assert.deepEqual([status, body.message], [404, 'Agent with ID me not found']);
  }
  assert.equal((await api.put('/agents/me/duty', { onDuty: true })).status, 404);
  assert.equal((await api.put('/agents/me/duty', {})).status, 400, 'what is wrong with the request comes first');
  assert.equal((await api.get('/agents/you')).status, 400);
  assert.equal((await api.get('/tasks/me')).status, 400);
});

test('the tasks of an agent are listed as all tasks are', async () => {
  const { api, organizationId } = await dispatchersOf(fixture);
  const [own, other] = [await createAgent(api), await createAgent(api)];
  const tasks: number[] = [];
  for (let number = 0; number < 3; number++) tasks.push(await assignedTask(api, own.id));
  await assignedTask(api, other.id);
  await api.createTask();
  const list = async (query: string, client = api, id: number | 'me' = own.id) => {
    const reply = await client.get<{ items: TaskView[]; count: number; nextCursor: string | null }>(
      `/agents/${id}/tasks?${query}`,
    );
    assert.equal(reply.status, 200, reply.text);
    const { items, count, nextCursor } = reply.body.data;
    return { ids: items.map((task) => task.id), count, nextCursor };
  };
  assert.deepEqual((await list('sortBy=createdAt')).ids, tasks.toReversed());
  const first = await list('limit=2&sortBy=createdAt&sortOrder=ASC');
  assert.deepEqual([first.ids, first.count], [tasks.slice(0, 2), 3]);
  const second = await list(`limit=2&sortBy=createdAt&sortOrder=ASC&cursor=${first.nextCursor}`);
  assert.deepEqual([second.ids, second.nextCursor], [tasks.slice(2), null]);
  assert.deepEqual((await list('status=completed')).ids, []);
  assert.deepEqual((await list(`agentId=${other.id}`)).ids, []);
  const agent = await clientOfAgent(fixture, organizationId, own);
  assert.equal((await list('', agent, 'me')).count, 3);
});
