import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { deliveryPinOf } from '../../../engine/domain/tasks/delivery-pin.ts';
import { secretOf } from '../../../engine/views/parts/tracking-url.ts';
import { type ApiClient, createApiClient } from '../../support/api-client.ts';
import { seedAgent } from '../../support/seeds/seed.ts';
import { startTestGateway, type TestGateway } from '../../support/system/gateway.ts';
import { useGateway } from '../api-fixture.ts';

/** docs/contract.md §1 "Unknown outcome", at a gateway that stands by while another one owns the organization. */

let second: TestGateway | undefined;
let standBy: ApiClient | undefined;
const own = { own: 'a second gateway runs at its place', organization: { role: 'dispatcher' } } as const;
const fixture = useGateway(own, async ({ gateway }) => {
  second = await startTestGateway({ place: gateway.place, environment: { GATEWAY_ID: 'second' } });
  standBy = createApiClient({ baseUrl: second.baseUrl, key: gateway.key });
});
after(async () => {
  standBy?.close();
  await second?.stop();
});

test('a repeated proof that meets a gateway which stands by is led to another connection', async () => {
  const { api, gateway } = fixture;
  const { agentId } = await seedAgent(gateway.databaseUrl, gateway.organizationId);
  const task = await api.createTask();
  await api.post(`/tasks/${task.id}/assign`, { agentId });
  assert.equal((await api.put(`/tasks/${task.id}/status`, { status: 'accepted' })).status, 200);
  const pin = deliveryPinOf(secretOf(task.trackingUrl));
  const prove = (client: ApiClient) =>
    client.post(`/tasks/${task.id}/proof`, { pin }, { 'idempotency-key': 'the proof' });
  assert.equal((await prove(api)).status, 201);
  const { status, body, headers } = await prove(standBy!);
  assert.deepEqual([status, body.code, headers['connection']], [503, 'OUTCOME_UNKNOWN', 'close']);
  assert.equal((await prove(api)).headers['idempotency-replayed'], 'true');
});
