import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import { type ApiClient, type ApiReply, taskInput } from '../../support/api-client.ts';
import { seedAgent, seedSession, seedUser } from '../../support/seeds/seed.ts';
import { useGateway } from '../api-fixture.ts';

const fixture = useGateway();

const ORDER = { packages: [{ name: 'box', barcode: 'BOX-1' }], requirements: { barcodes: true } };
const ELSEWHERE = { address: 'Elsewhere', latitude: 51.6, longitude: -0.2 };

interface Scene {
  readonly api: ApiClient;
  readonly task: TaskView;
  readonly agentId: number;
}

type Change = (scene: Scene) => Promise<ApiReply<unknown>>;

/** Each thing that a task shows, changed once: the task's own row, and rows that it shares with others. */
const BEFORE_IT_IS_GIVEN: Readonly<Record<string, Change>> = {
  'the task': ({ api, task }) => api.patch(`/tasks/${task.id}`, { name: 'Another name' }),
  'its customer': ({ api, task }) => api.patch(`/customers/${task.customerId}`, { name: 'Grace Hopper' }),
  'the number of its packages': ({ api, task }) => api.post(`/tasks/${task.id}/packages`, { name: 'bag' }),
  'a package': ({ api, task }) => api.patch(`/packages/${task.packages[0]!.id}`, { status: 'picking_up' }),
  'its status': ({ api, task }) => api.put(`/tasks/${task.id}/status`, { status: 'cancelled' }),
};
const WHEN_IT_IS_ACCEPTED: Readonly<Record<string, Change>> = {
  'its place': ({ api, task }) => api.post(`/tasks/${task.id}/amend`, { location: ELSEWHERE }),
  'its agent': ({ api, agentId }) => api.patch(`/agents/${agentId}`, { name: 'Mary Jackson' }),
  'the agent who has it': ({ api, task }) => api.post(`/tasks/${task.id}/unassign`, {}),
  'a proof of it': ({ api, task }) => api.post(`/tasks/${task.id}/scans`, { barcode: 'BOX-1' }),
};

/** The first page keeps the texts, the next three tell that they are shown again, and the last is made of them. */
const FURTHER_PAGES = [2, 3, 4, 5];

/** A task of an organization of its own, as a dispatcher sees it. */
async function openScene(): Promise<Scene> {
  const { organizationId, api } = await fixture.organization();
  const { databaseUrl } = fixture.gateway;
  const { agentId } = await seedAgent(databaseUrl, organizationId);
  const { userId } = await seedUser(databaseUrl, organizationId, 'org_admin');
  const task = await api.createTask(ORDER);
  return { api: fixture.clientOf(await seedSession(databaseUrl, organizationId, userId)), task, agentId };
}

async function assertListed({ api, ...scene }: Scene, { id }: TaskView, change: Change): Promise<void> {
  const listed = async () => (await api.list('limit=100')).body.data.items.find((item) => item.id === id);
  const before = await listed();
  for (const _ of FURTHER_PAGES) assert.deepEqual(await listed(), before);
  const { status, text } = await change({ api, ...scene });
  assert.ok(status < 300, text);
  const after = (await api.get(`/tasks/${id}`)).body.data;
  assert.notDeepEqual(after, before);
  assert.deepEqual(await listed(), after);
}

for (const [what, change] of Object.entries(BEFORE_IT_IS_GIVEN)) {
  test(`a page shows a new task as before until ${what} changes, and then as it is`, async () => {
    const scene = await openScene();
    await assertListed(scene, scene.task, change);
  });
}

for (const [what, change] of Object.entries(WHEN_IT_IS_ACCEPTED)) {
  test(`a page shows an accepted task as before until ${what} changes, and then as it is`, async () => {
    const scene = await openScene();
    const { api, task, agentId } = scene;
    assert.equal((await api.post(`/tasks/${task.id}/assign`, { agentId })).status, 200);
    assert.equal((await api.put(`/tasks/${task.id}/status`, { status: 'accepted' })).status, 200);
    await assertListed(scene, task, change);
  });
}

for (const [what, change] of Object.entries({
  'a part': BEFORE_IT_IS_GIVEN['the task']!,
  'the customer of a part': BEFORE_IT_IS_GIVEN['its customer']!,
  'a package of a part': BEFORE_IT_IS_GIVEN['a package']!,
})) {
  test(`a page shows a job as before until ${what} changes, and then as it is`, async () => {
    const scene = await openScene();
    const job = await scene.api.createTask({ children: [taskInput(ORDER), taskInput()] });
    const [task] = job.children;
    await assertListed({ ...scene, task: task as TaskView }, job, change);
  });
}
