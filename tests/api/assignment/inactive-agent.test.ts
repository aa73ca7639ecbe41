import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentView } from '../../../schema/fleet/agent.ts';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import { useGateway } from '../api-fixture.ts';
import { offerPlace } from './offer-place.ts';

const fixture = useGateway();

for (const mode of ['broadcast', 'sequential'] as const) {
  test(`an agent that is made inactive loses its open requests in the same commit (${mode})`, async () => {
    const place = await offerPlace(fixture, mode === 'broadcast' ? 2 : 1, { mode });
    const { api, agents, offer } = place;
    const [own, others] = await offer(agents.map(({ id }) => id));
    const before = (await api.get<TaskView>(`/tasks/${own!.taskId}`)).body.data;
    assert.equal(before.agentId, mode === 'sequential' ? agents[0]!.id : null);
    const { status, body } = await api.patch<AgentView>(`/agents/${agents[0]!.id}`, { isActive: false });
    assert.deepEqual([status, body.data.isActive], [200, false], JSON.stringify(body));

    const closed = (await api.get<{ status: string }>(`/assignment-requests/${own!.id}`)).body.data;
    assert.equal(closed.status, 'cancelled');
    const task = (await api.get<TaskView>(`/tasks/${own!.taskId}`)).body.data;
    assert.deepEqual([task.status, task.agentId], ['awaiting_assignment', null]);
    assert.equal(task.autoAssignmentStatus, mode === 'sequential' ? 'searching' : 'offered');
    if (mode === 'sequential') {
      const { items } = (await api.get<{ items: { reasonCode: string }[] }>(`/tasks/${own!.taskId}/history`)).body.data;
      assert.equal(items.at(-1)!.reasonCode, 'agent_inactive');
    } else {
      const answer = await agents[1]!.api.post(`/assignment-requests/${others!.id}/accept`, undefined);
      assert.equal(answer.status, 200, answer.text);
    }
    const late = await api.post(`/assignment-requests/${own!.id}/accept`, undefined);
    assert.equal(late.status, 409, late.text);
  });
}
