import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HistoryStepView } from '../../../schema/task-history.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { withSql } from '../../support/seed.ts';
import { useGateway } from '../api-fixture.ts';
import { offerPlace } from './offer-place.ts';

/** decisions.md §2: an agent sees its own records only, in the history of its tasks as well. */

const fixture = useGateway();

async function stepsFor(api: ApiClient, taskId: number): Promise<string[]> {
  const { status, body } = await api.get<{ items: HistoryStepView[] }>(`/tasks/${taskId}/history`);
  assert.equal(status, 200);
  return body.data.items.map(({ kind, toStatus, reason, details }) =>
    JSON.stringify([kind, toStatus, reason, details?.['agentId'] ?? details?.['previousAgentId'] ?? details]),
  );
}

test('an agent reads who had its task before it as little as what was said of them, or paid', async () => {
  const place = await offerPlace(fixture, 2);
  const [first, second] = place.agents;
  const { id } = await place.api.createTask();
  const steps = [
    ['assign', { agentId: first!.id }],
    ['unassign', { reason: 'Smelled of beer' }],
    ['assign', { agentId: second!.id, reason: 'Sober' }],
  ] as const;
  for (const [step, body] of steps) assert.equal((await place.api.post(`/tasks/${id}/${step}`, body)).status, 200);
  assert.equal((await place.api.post('/payments/initialize', { taskId: id, amount: '5' })).status, 201);
  assert.equal((await place.api.post('/payments/cash', { taskId: id, amount: '5' })).status, 201);
  const all = await stepsFor(place.api, id);
  assert.ok(all.some((step) => step.includes('Smelled of beer')) && all.some((step) => step.includes('online')));
  const own = await stepsFor(second!.api, id);
  assert.deepEqual(
    own,
    all.filter((step) => !step.includes('beer') && !step.includes('online') && !step.includes(`,${first!.id}]`)),
  );
  assert.ok(own.length >= 3 && own.length <= all.length - 3, own.join());
  assert.equal((await first!.api.get(`/tasks/${id}/history`)).status, 404);
});

test('whoever is asked reads the history, and neither who else is asked nor who was passed over', async () => {
  const place = await offerPlace(fixture, 3, { mode: 'broadcast' });
  const [one, two, three] = place.agents;
  const { taskId } = (await place.offer([one!.id, two!.id]))[0]!;
  await withSql(
    fixture.gateway.databaseUrl,
    (sql) => sql`
      UPDATE task_history SET details = '{"reason":"skills","counts":{"skills":1},"nearest":[{"agentId":7}]}'
      WHERE organization_id = ${place.organizationId} AND task_id = ${taskId} AND kind = 'created'`,
  );
  const [created, ...requests] = await stepsFor(one!.api, taskId);
  assert.equal(created, JSON.stringify(['created', 'new', null, { reason: 'skills' }]));
  assert.deepEqual(
    requests.filter((step) => step.startsWith('["assignment_request"')),
    [JSON.stringify(['assignment_request', null, null, one!.id])],
  );
  assert.equal((await three!.api.get(`/tasks/${taskId}/history`)).status, 404);
});
