import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createRoundStore, type RoundStore } from '../../../engine/store/planning/round-store.ts';
import { connectPostgres, type Sql } from '../../../engine/store/postgres.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import { createAgent, dispatchersOf } from '../../api/agents/agent-place.ts';
import { useGateway } from '../../api/api-fixture.ts';
import { type ApiClient, taskInput } from '../../support/api-client.ts';
import { withSql } from '../../support/seeds/seed.ts';

const fixture = useGateway({ own: 'its rounds are those of all organizations' });
let sql: Sql;
let store: RoundStore;
after(() => sql?.end({ timeout: 5 }));

async function organization() {
  sql ??= connectPostgres(fixture.gateway.databaseUrl, { name: 'test', connections: 3, statementTimeoutMs: 10_000 });
  store ??= createRoundStore(sql);
  return dispatchersOf(fixture);
}

const PICKUP = { address: 'There', latitude: 51.6, longitude: -0.2 };
const PACKAGES = [{ name: 'Books', weight: 2.5, quantity: 4, width: 100, height: 50, length: 20 }, { name: 'Letter' }];

async function createTask(api: ApiClient, fields: object = {}): Promise<TaskView> {
  return (await api.post<TaskView>('/tasks', taskInput(fields))).body.data;
}

test('a round sees the tasks that look for somebody, with their places and loads', async () => {
  const { api, organizationId } = await organization();
  await createTask(api);
  const { id } = await createTask(api, {
    autoAssign: true,
    pickupLocation: PICKUP,
    packages: PACKAGES,
    requiredSkills: ['cold'],
  });
  const { tasks } = await store.readRound(organizationId, { after: 0 });
  assert.equal(tasks.length, 1);
  const [{ taskId, pickupLatitude, longitude, weightKg, volumeM3, packages, requiredSkills, search, createdAt }] =
    tasks as [(typeof tasks)[number]];
  assert.deepEqual([taskId, pickupLatitude, longitude, requiredSkills], [id, 51.6, -0.1357, ['cold']]);
  assert.deepEqual([weightKg, volumeM3, packages], [10, 0.4, 5]);
  assert.deepEqual([search?.startsAt, search?.attempts], [null, 0]);
  assert.match(createdAt, /^\d{4}-.*Z$/);
  assert.equal((await store.readRound(organizationId, { after: id })).tasks.length, 0);
});

test('named tasks are read whether or not anybody is looked for, those of others never', async () => {
  const { api, organizationId } = await organization();
  const other = await organization();
  const { id } = await createTask(api);
  const foreign = await createTask(other.api, { autoAssign: true });
  const { tasks } = await store.readRound(organizationId, { taskIds: [id, foreign.id, 999] });
  assert.deepEqual(
    tasks.map(({ taskId, search }) => [taskId, search]),
    [[id, null]],
  );
});

test('a round sees active agents on duty with what they have to do, of which cancelled packages weigh nothing', async () => {
  const { api, organizationId } = await organization();
  const vehicle = { type: 'van', maxWeightKg: 100 };
  const [busy, away, inactive] = [
    await createAgent(api, { vehicle, skills: ['cold'] }),
    await createAgent(api),
    await createAgent(api),
  ];
  for (const { id } of [busy, inactive]) await api.put(`/agents/${id}/duty`, { onDuty: true });
  await api.patch(`/agents/${inactive.id}`, { isActive: false });
  const task = await createTask(api, { packages: PACKAGES, pickupLocation: PICKUP });
  await api.post(`/tasks/${task.id}/assign`, { agentId: busy.id });
  const ended = await createTask(api);
  await api.post(`/tasks/${ended.id}/assign`, { agentId: busy.id });
  await api.put(`/tasks/${ended.id}/status`, { status: 'cancelled' });
  await withSql(
    fixture.gateway.databaseUrl,
    (direct) =>
      direct`UPDATE packages SET status = 'cancelled' WHERE organization_id = ${organizationId} AND name = 'Letter'`,
  );
  const { agents, carried } = await store.readRound(organizationId, { after: 0 });
  const shown = { type: 'van', maxWeightKg: 100, maxVolumeM3: null, maxPackages: null };
  assert.deepEqual(
    agents.map((one) => [one.agentId, one.vehicle, one.skills]),
    [[busy.id, shown, ['cold']]],
  );
  assert.deepEqual(
    carried.map((one) => [one.taskId, one.agentId, one.status, one.packages, one.pickupLongitude]),
    [[task.id, busy.id, 'assigned', 4, -0.2]],
  );
  assert.equal(away.onDuty, false);
});

test('of an organization with a long window the first end of a search within it is known', async () => {
  const { api, organizationId } = await organization();
  const direct = (change: (one: Sql) => Promise<unknown>) => withSql(fixture.gateway.databaseUrl, change);
  const windowOf = (batchingWindowMs: number) =>
    direct(
      (one) => one`UPDATE organizations SET settings = ${one.json({ assignment: { batchingWindowMs } })}
        WHERE organization_id = ${organizationId}`,
    );
  const endsInMs = async () => (await store.findSearchingOf([organizationId]))[0]!.endsInMs;
  const endingIn = (seconds: number) => ({ windowEnd: new Date(Date.now() + seconds * 1_000).toISOString() });
  await createTask(api, { autoAssign: true });
  await createTask(api, endingIn(30));
  await windowOf(60_000);
  assert.equal(await endsInMs(), null, 'the end is behind the window');
  await createTask(api, { autoAssign: true, ...endingIn(50) });
  await createTask(api, { autoAssign: true, ...endingIn(40) });
  for (const settled of ['moving_while_open', 'NOT moving_while_open']) {
    const ms = await endsInMs();
    assert.ok(ms !== null && ms > 0 && ms <= 40_000, `${settled}: it ends in ${ms} ms`);
    await direct((one) =>
      one.unsafe(
        `UPDATE tasks SET moving_while_open = NOT moving_while_open WHERE organization_id = ${organizationId}`,
      ),
    );
  }
  await windowOf(LIMITS.roundBeforeEndMs);
  assert.equal(await endsInMs(), null, 'the next round is near in any case');
});

test('organizations whose tasks look for somebody are found page by page, with their settings', async () => {
  const first = await organization();
  const second = await organization();
  const idle = await organization();
  for (const { api } of [first, second]) await createTask(api, { autoAssign: true });
  await withSql(
    fixture.gateway.databaseUrl,
    (direct) => direct`
      UPDATE organizations SET settings = '{"assignment": {"mode": "broadcast", "batchingWindowMs": 70}, "leadMinutes": 5}'
      WHERE organization_id = ${second.organizationId}`,
  );
  const page = await store.findSearching(first.organizationId - 1, 1);
  assert.deepEqual(page, { lagging: [first.organizationId], next: first.organizationId });
  const rest = await store.findSearching(first.organizationId, 10);
  assert.deepEqual(rest, { lagging: [second.organizationId], next: undefined });
  const found = await store.findSearchingOf([first, second, idle].map(({ organizationId }) => organizationId));
  const shown = new Map(found.map(({ organizationId, settings }) => [organizationId, settings]));
  assert.deepEqual(
    [...shown.keys()].sort((a, b) => a - b),
    [first.organizationId, second.organizationId],
  );
  const { mode, batchingWindowMs, leadMinutes } = shown.get(second.organizationId)!;
  assert.deepEqual([mode, batchingWindowMs, leadMinutes], ['broadcast', 70, 5]);
  assert.equal(shown.get(first.organizationId)?.mode, 'sequential');
});
