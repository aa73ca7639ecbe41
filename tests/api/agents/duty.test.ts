import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentView } from '../../../schema/fleet/agent.ts';
import { withSql } from '../../support/seeds/seed.ts';
import { untilPast } from '../../support/until.ts';
import { useGateway } from '../api-fixture.ts';
import { clientOfAgent, createAgent, dispatchersOf } from './agent-place.ts';

const fixture = useGateway();

interface DutyEvent {
  readonly type: string;
  readonly sequence: number;
  readonly channelId: number;
  readonly data: { readonly agent: AgentView; readonly onDuty: boolean; readonly actor: { type: string; id: number } };
}

test('an agent goes on and off duty by itself, once for each request, and each change is an event', async () => {
  const { api, organizationId } = await dispatchersOf(fixture);
  const made = await createAgent(api);
  const agent = await clientOfAgent(fixture, organizationId, made);
  const answers: AgentView[] = [];
  for (const onDuty of [true, true, false]) {
    const { status, body } = await agent.put<AgentView>('/agents/me/duty', { onDuty });
    assert.deepEqual([status, body.data.onDuty], [200, onDuty]);
    answers.push(body.data);
    await untilPast(body.data.updatedAt);
  }
  const [on, again, off] = answers as [AgentView, AgentView, AgentView];
  assert.deepEqual(again, on);
  assert.equal(on.dutyChangedAt, on.updatedAt);
  assert.ok(off.dutyChangedAt! > on.dutyChangedAt!);
  const { items } = (await api.get<{ items: DutyEvent[] }>('/events')).body.data;
  assert.deepEqual(
    items.map(({ type, sequence, data: { agent: told, onDuty, actor } }) => [type, sequence, told, onDuty, actor]),
    [
      ['agent.duty_changed', 1, on, true, { type: 'user', id: made.userId }],
      ['agent.duty_changed', 2, off, false, { type: 'user', id: made.userId }],
    ],
  );
  const [console] = await withSql(
    fixture.gateway.databaseUrl,
    (sql) => sql<{ id: number }[]>`SELECT id FROM channels WHERE organization_id = ${organizationId} AND built_in`,
  );
  assert.deepEqual(new Set(items.map(({ channelId }) => channelId)), new Set([console!.id]));
});

test('an inactive agent does not go on duty', async () => {
  const { api } = await dispatchersOf(fixture);
  const { id } = await createAgent(api);
  await api.patch(`/agents/${id}`, { isActive: false });
  const refused = await api.put(`/agents/${id}/duty`, { onDuty: true });
  assert.deepEqual([refused.status, refused.body.code], [409, 'AGENT_NOT_ACTIVE']);
  assert.equal((await api.put(`/agents/${id}/duty`, { onDuty: false })).status, 200);
});

test('a body without a duty is refused, and a retry with its key gets the first answer', async () => {
  const { api } = await dispatchersOf(fixture);
  const { id } = await createAgent(api);
  assert.deepEqual((await api.put(`/agents/${id}/duty`, { onDuty: 'yes' })).body.message, ['onDuty must be a boolean']);
  const key = { 'idempotency-key': 'on' };
  const first = await api.put<AgentView>(`/agents/${id}/duty`, { onDuty: true }, key);
  await api.put(`/agents/${id}/duty`, { onDuty: false });
  const again = await api.put<AgentView>(`/agents/${id}/duty`, { onDuty: true }, key);
  assert.deepEqual([again.headers['idempotency-replayed'], again.body.data], ['true', first.body.data]);
  assert.equal((await api.get<AgentView>(`/agents/${id}`)).body.data.onDuty, false);
});
