import { issueToken } from '../../../engine/store/accounts/user-token-store.ts';
import type { Json } from '../../../gateway/openapi/json-schema.ts';
import { type Call, ExchangeRecorder } from '../../support/contract/exchanges.ts';
import { seedChannel, seedSession, seedUser, withSql } from '../../support/seeds/seed.ts';
import { until } from '../../support/until.ts';
import { sessionOfAgent } from '../agents/agent-place.ts';
import type { ApiFixture } from '../api-fixture.ts';
import { askAgents } from '../assignment/offer-place.ts';
import { seedDelivery } from '../webhooks/seed-delivery.ts';
import { firstMessages } from './first-messages.ts';
import { walkPages } from './page-walk.ts';
import { walkOnlinePayments } from './payment-walk.ts';
import { type Cast, CUSTOMER, DOCK, idOf, PASSWORD, PLACE, SOON, tokenOf } from './walk-cast.ts';

/** A point of an agent, half a mile from the place. */
const onTheWay = () => ({
  latitude: 51.4985,
  longitude: -0.1302,
  recordedAt: new Date().toISOString(),
  accuracy: 8,
  speed: 4.5,
});
/** A PNG of one white point. */
const SIGNATURE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mP8/x8AAwMCAO+ip1sAAAAASUVORK5CYII=';

/** Calls every operation, as the days of an organization would. The gateway knows Stripe and has a map file. */
export async function walkAllOperations(fixture: ApiFixture): Promise<ExchangeRecorder> {
  const { databaseUrl } = fixture.gateway;
  const recorder = new ExchangeRecorder(fixture.api);
  const { organizationId, key } = await fixture.organization({ name: 'Thames Couriers', role: 'org_admin' });
  const { userId } = await seedUser(databaseUrl, 0, 'super_admin');
  const cast: Cast = {
    fixture,
    organizationId,
    recorder,
    admin: recorder.caller(key),
    integration: recorder.caller((await seedChannel(databaseUrl, organizationId)).key),
    superAdmin: recorder.caller(await seedSession(databaseUrl, 0, userId)),
    nobody: recorder.caller(),
  };
  const fleet = await walkFleet(cast);
  const task = await walkTasks(cast, fleet);
  await walkDelivery(cast, fleet, task);
  await walkExceptions(cast, fleet);
  await walkOffers(cast, fleet);
  await walkMoney(cast, task);
  await walkEvents(cast, fleet);
  await walkWebhooks(cast);
  await walkPeople(cast);
  await walkOrganizations(cast);
  await walkOnlinePayments(cast);
  await walkPages(cast, fleet.first, idOf(task));
  return recorder;
}

interface Fleet {
  readonly first: number;
  readonly second: number;
  readonly own: Call;
  readonly warehouseId: number;
}

async function walkFleet({ admin, integration, recorder, fixture, organizationId }: Cast): Promise<Fleet> {
  const warehouseId = idOf(await admin('POST', '/warehouses', { name: 'Dock Road', location: DOCK }));
  await admin('GET', '/warehouses');
  await admin('GET', `/warehouses/${warehouseId}`);
  await admin('PATCH', `/warehouses/${warehouseId}`, { name: 'Dock Road, gate 2' });
  const input = {
    name: 'Amina Diallo',
    email: 'amina@example.com',
    phone: '+447700900123',
    agentType: 'employee',
    vehicle: { type: 'cargo bike', maxWeightKg: 80, maxVolumeM3: 0.6, maxPackages: 20 },
    skills: ['cold chain'],
  };
  const agent = await admin('POST', '/agents', input);
  const first = idOf(agent);
  const second = idOf(await admin('POST', '/agents', { ...input, name: 'Ben Okri', email: 'ben@example.com' }));
  await admin('GET', '/agents?onDuty=false&limit=2');
  await admin('GET', `/agents/${first}`);
  await admin('PATCH', `/agents/${first}`, { skills: ['cold chain', 'heavy'] });
  for (const id of [first, second]) await admin('PUT', `/agents/${id}/duty`, { onDuty: true });
  const day = { from: '2031-03-05T00:00:00.000Z', to: '2031-03-06T00:00:00.000Z' };
  const shift = { startsAt: '2031-03-05T08:00:00.000Z', endsAt: '2031-03-05T16:00:00.000Z' };
  await admin('PUT', `/agents/${second}/shifts`, { ...day, shifts: [shift] });
  await admin('GET', `/agents/${second}/shifts?from=${day.from}&to=${day.to}`);
  const own = recorder.caller(await sessionOfAgent(fixture, organizationId, Number(agent['userId'])));
  await own('POST', '/agents/me/heartbeat', { battery: 80 });
  await integration('POST', '/agents/locations', { points: [{ ...onTheWay(), agentId: second }] });
  await admin('GET', `/agents/locations/current?agentIds=${second}`);
  return { first, second, own, warehouseId };
}

async function walkTasks({ admin }: Cast, { first, warehouseId }: Fleet): Promise<Json> {
  const customerId = idOf(await admin('POST', '/customers', CUSTOMER));
  await admin('GET', '/customers?search=ada');
  await admin('PATCH', `/customers/${customerId}`, { address: PLACE.address });
  const task = await admin('POST', '/tasks', {
    name: 'Two boxes of books',
    taskType: 'delivery',
    customerId,
    location: PLACE,
    pickupWarehouseId: warehouseId,
    packages: [{ name: 'Box of books', quantity: 2, weight: 4.5, barcode: '4006381333931' }],
  });
  const id = idOf(task);
  await admin('GET', `/customers/${customerId}`);
  await admin('GET', '/tasks?status=new&limit=1');
  await admin('GET', '/tasks/export?status=new');
  await admin('GET', `/tasks/${id}`);
  await admin('PATCH', `/tasks/${id}`, { notes: 'Ring twice' });
  await admin('GET', `/tasks/${id}/history`);
  await admin('POST', `/tasks/${id}/packages`, { name: 'Book that was forgotten' });
  await admin('GET', `/tasks/${id}/packages`);
  await admin('GET', '/packages?barcode=4006381333931');
  const one = { name: 'Flowers', taskType: 'delivery', customerId, location: PLACE };
  const batch = await admin('POST', '/tasks/batch', { tasks: [one, { ...one, name: 'More flowers' }] });
  const ids = (batch['items'] as { readonly task: Json }[]).map((item) => idOf(item.task));
  await admin('POST', '/tasks/actions', { action: 'cancel', taskIds: ids, reason: 'The shop is closed' });
  await admin('POST', `/tasks/${id}/assign`, { agentId: first });
  await admin('POST', `/tasks/${id}/unassign`, { reason: 'Given by mistake' });
  await admin('POST', `/tasks/${id}/assign`, { agentId: first });
  await admin('GET', `/agents/${first}/tasks`);
  await admin('GET', `/agents/${first}/schedule`);
  return task;
}

async function walkDelivery({ admin, nobody }: Cast, { first, own }: Fleet, task: Json): Promise<void> {
  const id = idOf(task);
  await own('PUT', `/tasks/${id}/status`, { status: 'accepted' });
  await own('POST', `/tasks/${id}/picked-up`, {});
  await own('POST', `/tasks/${id}/scans`, { barcode: '4006381333931' });
  await own('PATCH', `/packages/${idOf((task['packages'] as Json[])[0]!)}`, { status: 'picking_up' });
  await own('PUT', `/tasks/${id}/status`, { status: 'in_transit' });
  await own('POST', '/agents/me/locations', { points: [onTheWay()] });
  await until('there is an ETA', async () => (await admin('GET', `/tasks/${id}`))['etaAt'] !== null);
  const token = tokenOf(task);
  await nobody('GET', `/tracking/tasks?token=${token}`);
  await nobody('GET', `/tracking/tasks/${id}?token=${token}`);
  await nobody('GET', `/tracking/tasks/${id}/location?token=${token}`);
  await own('POST', `/tasks/${id}/proof`, { signature: SIGNATURE });
  const { items: proofs } = await admin('GET', `/tasks/${id}/proof`);
  await admin('GET', `/tasks/${id}/proof/${idOf((proofs as Json[])[0]!)}`);
  await admin('POST', '/payments/cash', { taskId: id, amount: 12.5, currency: 'EUR', reference: 'R-1' });
  await admin('GET', `/agents/${first}/cash`);
  await own('PUT', `/tasks/${id}/status`, { status: 'completed' });
  await nobody('POST', `/tracking/tasks/${id}/rating?token=${token}`, { score: 5, comment: 'Friendly and on time' });
  await admin('GET', '/ratings');
  // A moment later than the points arrive.
  const trail = async () => (await admin('GET', `/agents/${first}/trail`))['count'] !== 0;
  await until('the trail is written', trail);
}

async function walkExceptions({ admin }: Cast, { first, second }: Fleet): Promise<void> {
  const task = { name: 'A lamp', taskType: 'delivery', customer: CUSTOMER, location: PLACE, pickupLocation: DOCK };
  const id = idOf(await admin('POST', '/tasks', task));
  await admin('POST', `/tasks/${id}/assign`, { agentId: first });
  await admin('POST', `/tasks/${id}/amend`, { contact: { name: 'The neighbour', phone: '+442079460002' } });
  await admin('POST', `/tasks/${id}/reassign`, { agentId: second, reason: 'Flat tyre', fromAgentId: first });
  for (const step of [
    { status: 'accepted' },
    { status: 'in_transit' },
    { status: 'completed', outcome: 'failed', failureReason: 'Nobody at home' },
  ])
    await admin('PUT', `/tasks/${id}/status`, step);
  await admin('POST', `/tasks/${id}/reattempt`, { windowStart: SOON, windowEnd: '2031-03-05T12:00:00.000Z' });
  const waiting = idOf(await admin('POST', '/tasks', task));
  await admin('POST', `/tasks/${waiting}/auto-assign`);
  await admin('POST', '/dispatch/preview', {});
  await admin('PUT', `/tasks/${waiting}/status`, { status: 'cancelled', reason: 'Ordered twice' });
}

async function walkOffers({ admin, fixture, organizationId }: Cast, { first }: Fleet): Promise<void> {
  const place = { organizationId, api: fixture.clientOf(await keyOf(fixture, organizationId)) };
  const [turnedDown] = await askAgents(fixture, place, [first]);
  await admin('GET', '/assignment-requests?status=pending');
  await admin('GET', `/assignment-requests/${turnedDown!.id}`);
  await admin('POST', `/assignment-requests/${turnedDown!.id}/reject`, { reason: 'Too far' });
  const [taken] = await askAgents(fixture, place, [first]);
  await admin('POST', `/assignment-requests/${taken!.id}/accept`);
}

async function keyOf({ gateway }: ApiFixture, organizationId: number): Promise<string> {
  return (await seedChannel(gateway.databaseUrl, organizationId, { role: 'dispatcher' })).key;
}

async function walkMoney({ admin }: Cast, task: Json): Promise<void> {
  const customerId = Number(task['customerId']);
  const order = { name: 'A kettle', taskType: 'delivery', customerId, location: PLACE };
  await admin('POST', `/wallets/${customerId}/top-ups`, { amount: 50, reference: 'Desk 3' });
  const paid = idOf(await admin('POST', '/tasks', order));
  const payment = idOf(await admin('POST', '/payments/wallet', { taskId: paid, amount: 19.9 }));
  await admin('GET', `/wallets/${customerId}`);
  await admin('GET', `/wallets/${customerId}/statement`);
  await admin('GET', `/payments?taskId=${paid}`);
  await admin('GET', `/payments/${payment}`);
  await admin('POST', `/payments/${payment}/refund`, { reason: 'The kettle leaks' });
  await admin('GET', `/payments/${payment}/audit-logs`);
}

async function walkEvents(cast: Cast, { own }: Fleet): Promise<void> {
  const { admin, organizationId } = cast;
  await admin('GET', '/events?after=0&types=task.created&limit=1');
  await admin('POST', '/realtime/token');
  await own('POST', '/agents/me/heartbeat', { battery: 79 });
  await recordStream(cast, `/realtime/organizations/${organizationId}/events`);
  await recordStream(cast, '/realtime/me/events');
}

/** The beginning of a stream that resumes after the first task was created. */
async function recordStream({ admin, fixture, recorder }: Cast, stream: string): Promise<void> {
  const { token } = await admin('POST', '/realtime/token');
  const { items } = await admin('GET', '/events?types=task.created&limit=1');
  const [{ id, sequence }] = items as [{ readonly id: string; readonly sequence: number }];
  const history = id.split('_')[1];
  const path = `/api/v1${stream}?types=task.created&lastEventId=${history}-${sequence - 1}`;
  const { status, text } = await firstMessages(`${fixture.gateway.baseUrl}${path}&token=${token}`, 2);
  recorder.keep('GET', path, { status, media: 'text/event-stream', response: text });
}

async function walkWebhooks({ admin, fixture, organizationId }: Cast): Promise<void> {
  const input = { url: 'https://1.1.1.1/hook', events: ['task.*'], description: 'The shop' };
  const webhookId = idOf(await admin('POST', '/webhooks', input));
  await admin('GET', '/webhooks');
  await admin('GET', `/webhooks/${webhookId}`);
  await admin('PATCH', `/webhooks/${webhookId}`, { events: ['task.status_changed'], statuses: ['completed'] });
  await admin('POST', `/webhooks/${webhookId}/rotate-secret`);
  await admin('POST', `/webhooks/${webhookId}/test`);
  await admin('POST', `/webhooks/${webhookId}/replay`, { from: '2026-01-01T00:00:00.000Z' });
  const { items } = await admin('GET', '/events?types=task.created&limit=1');
  const [{ id: eventId, sequence }] = items as [{ readonly id: string; readonly sequence: number }];
  const attempts = [{ at: SOON, status: 204, error: null, excerpt: null, durationMs: 12 }];
  const seed = { organizationId, webhookId, eventId, sequence, attempts };
  const delivery = await seedDelivery(fixture.gateway.databaseUrl, seed);
  await admin('GET', `/webhooks/${webhookId}/deliveries`);
  await admin('GET', `/webhooks/deliveries/${delivery}`);
  await admin('POST', `/webhooks/deliveries/${delivery}/redeliver`);
  await admin('DELETE', `/webhooks/${webhookId}`);
}

async function walkPeople({ admin, nobody, fixture, recorder, organizationId }: Cast): Promise<void> {
  const { databaseUrl } = fixture.gateway;
  const user = await admin('POST', '/users', { name: 'Grace Hopper', email: 'grace@example.com', role: 'dispatcher' });
  const id = idOf(user);
  await admin('GET', '/users?limit=2');
  await admin('GET', `/users/${id}`);
  await admin('PATCH', `/users/${id}`, { role: 'org_admin' });
  await admin('POST', `/users/${id}/invitation`);
  const email = 'grace@example.com';
  const tokenFor = async (purpose: 'verify_email' | 'reset_password') => {
    const issued = await withSql(databaseUrl, (sql) => issueToken(sql, purpose, email, Date.now()));
    return issued!.token;
  };
  await nobody('POST', '/auth/resend-verification', { email });
  await nobody('POST', '/auth/verify-email', { token: await tokenFor('verify_email') });
  await nobody('POST', '/auth/password-reset/request', { email });
  await nobody('POST', '/auth/password-reset/complete', {
    token: await tokenFor('reset_password'),
    password: PASSWORD,
  });
  const pair = await nobody('POST', '/auth/login', { email, password: PASSWORD });
  const next = await nobody('POST', '/auth/refresh', { refreshToken: pair['refreshToken'] });
  const grace = recorder.caller(String(next['accessToken']));
  await grace('GET', '/auth/me');
  await grace('GET', '/notifications/web-push-key');
  await grace('POST', '/notifications/push-token', { token: 'fcm-token', platform: 'android', deviceId: 'phone-1' });
  await grace('DELETE', '/notifications/push-token/phone-1');
  await grace('POST', '/auth/logout');
  await admin('GET', '/notifications/settings');
  await admin('PUT', '/notifications/settings', { customerMail: { onTheWay: true, completed: true } });
  await seedNotice(fixture.gateway.databaseUrl, organizationId, id);
  await admin('GET', '/notifications');
  const channel = idOf(await admin('POST', '/channels', { name: 'Web shop', rateLimit: 50 }));
  await admin('GET', '/channels?limit=2');
  await admin('GET', `/channels/${channel}`);
  await admin('PATCH', `/channels/${channel}`, { rateLimit: 100 });
  await admin('POST', `/channels/${channel}/regenerate-key`);
  await admin('GET', '/audit-logs?recordType=channel&limit=1');
}

/** A push as the workers leave it. */
async function seedNotice(databaseUrl: string, organizationId: number, userId: number): Promise<void> {
  await withSql(
    databaseUrl,
    (sql) => sql`
      INSERT INTO notifications (organization_id, id, kind, channel, task_id, agent_id, user_id, push_token_id, platform,
        status, attempts, expires_at, settled_at)
      VALUES (${organizationId}, nextval('notification_ids'), 'task_assigned', 'push', 1, 1, ${userId}, 1, 'android',
        'sent', 1, now() + interval '1 hour', now())`,
  );
}

async function walkOrganizations({ admin, superAdmin, organizationId }: Cast): Promise<void> {
  await admin('GET', `/organizations/${organizationId}`);
  await admin('PATCH', `/organizations/${organizationId}`, { settings: { assignment: { requestTtlSeconds: 45 } } });
  const id = idOf(await superAdmin('POST', '/organizations', { name: 'Avon Couriers', currency: 'GBP' }));
  await superAdmin('GET', '/organizations?search=couriers');
  await superAdmin('DELETE', `/organizations/${id}/hard`, { confirm: 'Avon Couriers' });
}
