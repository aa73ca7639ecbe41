import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HistoryStepView } from '../../../schema/tasks/task-history.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { withSql } from '../../support/seeds/seed.ts';
import { useGateway } from '../api-fixture.ts';
import { offerPlace } from './offer-place.ts';

/** docs/contract.md §2: an agent sees its own records only, in the history of its tasks as well. */

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
  const step = async (name: string, body: object) =>
    assert.equal((await place.api.post(`/tasks/${id}/${name}`, body)).status, 200);
  await step('assign', { agentId: first!.id });
  const accepting = { status: 'accepted', reason: 'Only for the beer' };
  assert.equal((await first!.api.put(`/tasks/${id}/status`, accepting)).status, 200);
  await place.api.post('/payments/cash', { taskId: id, amount: '5' });
  await step('unassign', { reason: 'Smelled of beer' });
  await step('assign', { agentId: second!.id, reason: 'Sober' });
  const kindsOf = (steps: readonly string[]) => steps.map((one) => (JSON.parse(one) as [string, string | null])[1]);
  assert.deepEqual(kindsOf(await stepsFor(place.api, id)), [
    'new',
    'assigned',
    'accepted',
    null,
    'awaiting_assignment',
    'assigned',
  ]);
  const own = await stepsFor(second!.api, id);
  assert.deepEqual(own, [
    JSON.stringify(['created', 'new', null, null]),
    JSON.stringify(['status_changed', 'assigned', 'Sober', second!.id]),
  ]);
  assert.equal((await first!.api.get(`/tasks/${id}/history`)).status, 404);
});

test('an asked agent reads the history, but neither the other asked agents nor those passed over', async () => {
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
