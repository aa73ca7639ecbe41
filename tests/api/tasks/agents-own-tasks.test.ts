import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seedAgent, seedChannel, withSql } from '../../support/seeds/seed.ts';
import { seedTasks } from '../../support/seeds/seed-task.ts';
import { useGateway } from '../api-fixture.ts';

const fixture = useGateway();

/** An organization with a task of each of two agents, and the clients of one of them and of the staff. */
async function twoAgents() {
  const { databaseUrl } = fixture.gateway;
  const { api: staff, ...owner } = await fixture.organization();
  const { organizationId } = owner;
  const { agentId } = await seedAgent(databaseUrl, organizationId);
  const { agentId: otherId } = await seedAgent(databaseUrl, organizationId);
  const { key, channelId } = await seedChannel(databaseUrl, organizationId, { role: 'agent' });
  await withSql(
    databaseUrl,
    (sql) => sql`
      UPDATE channels c SET user_id = a.user_id FROM agents a
      WHERE c.organization_id = ${organizationId} AND c.id = ${channelId}
        AND a.organization_id = c.organization_id AND a.id = ${agentId}`,
  );
  const [own, foreign] = await seedTasks(databaseUrl, owner, [
    { agentId, status: 'assigned', packages: ['pending'] },
    { agentId: otherId, status: 'assigned', packages: ['pending'] },
  ]);
  return { staff, agent: fixture.clientOf(key), own: own!, foreign: foreign!, otherId };
}

test('an agent with a key of its own finds, exports and reads its own tasks alone', async () => {
  const { agent, staff, own, foreign, otherId } = await twoAgents();
  const list = (await agent.list()).body.data;
  assert.deepEqual([list.items.map(({ id }) => id), list.count], [[own.id], 1]);
  assert.deepEqual((await agent.list(`agentId=${otherId}`)).body.data.items, []);
  const lines = (await agent.get('/tasks/export')).text.trimEnd().split('\n');
  assert.deepEqual(
    lines.map((line) => (JSON.parse(line) as { id: number }).id),
    [own.id],
  );
  assert.equal((await staff.list()).body.data.count, 2);
  for (const path of ['', '/packages', '/history']) {
    assert.equal((await agent.get(`/tasks/${own.id}${path}`)).status, 200, `own ${path}`);
    const refused = await agent.get(`/tasks/${foreign.id}${path}`);
    const unknown = await agent.get(`/tasks/999000111${path}`);
    assert.equal(refused.status, 404, `foreign ${path}`);
    assert.equal(refused.text.replace(`ID ${foreign.id} `, 'ID 999000111 '), unknown.text);
  }
});

test('an agent takes the steps of its own tasks and of no other', async () => {
  const { agent, own, foreign } = await twoAgents();
  assert.equal((await agent.put(`/tasks/${foreign.id}/status`, { status: 'accepted' })).status, 404);
  assert.equal((await agent.patch(`/packages/${foreign.packageIds[0]}`, { status: 'picking_up' })).status, 404);
  const pickUp = () => agent.patch(`/packages/${own.packageIds[0]}`, { status: 'picking_up' });
  const early = await pickUp();
  assert.deepEqual(
    [early.status, early.body.code, early.body.details],
    [409, 'INVALID_PACKAGE_TRANSITION', { from: 'pending', to: 'picking_up', allowed: [] }],
  );
  assert.equal((await agent.put(`/tasks/${own.id}/status`, { status: 'accepted' })).status, 200);
  assert.equal((await pickUp()).status, 200);
});
