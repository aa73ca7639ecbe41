import type { ApiClient } from '../../support/api-client.ts';
import { type SeededOrganization, seedAgent, seedChannel } from '../../support/seeds/seed.ts';
import { seedRequest } from '../assignment/seed-request.ts';
import { seedDelivery } from '../webhooks/seed-delivery.ts';
import type { RecordKind } from './expected-guards.ts';

export type Records = Readonly<Record<RecordKind, number>>;

export const HOOK = { url: 'https://1.1.1.1/hook', events: ['*'] };

/** The other parts of a request whose path names its record; it may name own records. */
const BODIES: Readonly<Record<string, object | ((own: Records) => object)>> = {
  'PATCH /tasks/:id': { notes: 'n' },
  'PUT /tasks/:id/status': { status: 'awaiting_assignment' },
  'POST /tasks/:id/picked-up': {},
  'POST /tasks/:id/scans': { barcode: '4006381333931' },
  'POST /tasks/:id/packages': { name: 'one more' },
  'PATCH /packages/:id': { status: 'cancelled' },
  'POST /tasks/:id/proof': { pin: '0000' },
  'POST /tasks/:id/assign': ({ agent }) => ({ agentId: agent }),
  'POST /tasks/:id/unassign': {},
  'POST /tasks/:id/amend': { notes: 'n' },
  'POST /tasks/:id/reassign': ({ agent }) => ({ agentId: agent }),
  'POST /tasks/:id/reattempt': {},
  'POST /assignment-requests/:id/reject': {},
  'POST /payments/:id/refund': { reason: 'r' },
  'POST /wallets/:customerId/top-ups': { amount: 5 },
  'PATCH /agents/:id': { name: 'Grace Hopper' },
  'PUT /agents/:id/duty': { onDuty: true },
  'PUT /agents/:id/shifts': { from: '2030-01-01T00:00:00Z', to: '2030-01-02T00:00:00Z', shifts: [] },
  'PATCH /customers/:id': { name: 'Grace Hopper' },
  'PATCH /warehouses/:id': { name: 'Yard' },
  'PATCH /users/:id': { name: 'Grace Hopper' },
  'PATCH /channels/:id': { name: 'another name' },
  'PATCH /webhooks/:id': { description: 'another one' },
  'POST /webhooks/:id/replay': { from: '2026-01-01T00:00:00Z' },
  'PATCH /organizations/:id': { name: 'another name' },
};

/** One record of each kind. */
export async function makeRecords(
  databaseUrl: string,
  organization: SeededOrganization,
  client: ApiClient,
): Promise<Records> {
  const { organizationId } = organization;
  const { agentId } = await seedAgent(databaseUrl, organizationId);
  const { channelId, userId } = await seedChannel(databaseUrl, organizationId);
  const task = await client.createTask({ packages: [{ name: 'box' }], channelId });
  const depot = { name: 'Depot', location: { address: 'Dock 1', latitude: 1, longitude: 2 } };
  const warehouse = await client.post<{ id: number }>('/warehouses', depot);
  const webhook = await client.post<{ id: number }>('/webhooks', HOOK);
  const payment = await client.post<{ id: number }>('/payments/cash', { taskId: task.id, amount: 5 });
  const webhookId = webhook.body.data.id;
  return {
    webhook: webhookId,
    delivery: await seedDelivery(databaseUrl, { organizationId, webhookId, sequence: 1 }),
    organization: organizationId,
    channel: channelId,
    user: userId,
    agent: agentId,
    request: await seedRequest(databaseUrl, { ...organization, taskId: task.id, agentId, status: 'rejected' }),
    payment: payment.body.data.id,
    task: task.id,
    package: task.packages[0]!.id,
    customer: task.customerId!,
    location: task.locationId!,
    warehouse: warehouse.body.data.id,
  };
}

export function bodyOf(name: string, own: Records): object | undefined {
  const body = BODIES[name];
  return typeof body === 'function' ? body(own) : body;
}
