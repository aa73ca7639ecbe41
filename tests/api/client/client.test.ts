import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { createClient } from '../../../gateway/client/create-client.ts';
import type { StreamMessage } from '../../../gateway/client/event-stream.ts';
import { memoryStore, Session } from '../../../gateway/client/session.ts';
import { verifyWebhook, WebhookError } from '../../../gateway/client/webhook-signature.ts';
import { seedUser } from '../../support/seeds/seed.ts';
import { useGateway } from '../api-fixture.ts';

const fixture = useGateway();

async function clientOfNew(role: 'integration' | 'org_admin' = 'integration') {
  const { key } = await fixture.organization({ role });
  return createClient({ baseUrl: fixture.gateway.baseUrl, apiKey: key });
}

const idOf = ({ id }: { readonly id: number }) => id;

const input = (name: string) => ({
  name,
  taskType: 'delivery' as const,
  customer: { name: 'Ada Lovelace', phone: '+442079460001' },
  location: { address: '12 St James Square, London', latitude: 51.5072178, longitude: -0.1357 },
});

test('a task is made once, read, changed under its entity tag, and refused with typed errors', async () => {
  const client = await clientOfNew();
  const call = { body: input('Books'), idempotencyKey: 'order-1' };
  const made = await client.post('/tasks', call);
  const again = await client.post('/tasks', call);
  assert.deepEqual([made.status, made.isReplayed, again.isReplayed], [201, false, true]);
  assert.deepEqual(again.data, made.data);

  const path = { id: made.data.id };
  const { etag } = await client.get('/tasks/{id}', { path });
  const noted = await client.patch('/tasks/{id}', { path, body: { notes: 'Ring twice' }, ifMatch: etag! });
  assert.equal(noted.data.notes, 'Ring twice');
  await assert.rejects(client.patch('/tasks/{id}', { path, body: { notes: 'Knock' }, ifMatch: etag! }), {
    name: 'DispatchError',
    status: 412,
    code: 'PRECONDITION_FAILED',
  });
  await assert.rejects(client.get('/tasks/{id}', { path: { id: 9_999_999 } }), { status: 404, code: 'NOT_FOUND' });
  const invalid = { path, body: { status: 'lost' as 'cancelled' } };
  await assert.rejects(client.put('/tasks/{id}/status', invalid), (error: { code: string; violations: string[] }) => {
    assert.equal(error.code, 'VALIDATION_FAILED');
    assert.match(error.violations.join(), /^status /);
    return true;
  });
});

test('every list is read to its end, by cursor, by page and by position in the log', async () => {
  const client = await clientOfNew('org_admin');
  for (let i = 0; i < 5; i++) await client.post('/tasks', { body: input(`Box ${i}`) });
  const read = async <T>(items: AsyncIterable<T>) => {
    const all: T[] = [];
    for await (const item of items) all.push(item);
    return all;
  };
  const tasks = await read(client.items('/tasks', { query: { limit: 2, status: ['new', 'cancelled'] } }));
  assert.deepEqual(tasks.map(({ name }) => name).sort(), ['Box 0', 'Box 1', 'Box 2', 'Box 3', 'Box 4']);
  const customers = await read(client.items('/customers', { query: { limit: 1 } }));
  assert.equal(customers.length, 1);
  const entries = await read(client.items('/audit-logs', { query: { limit: 2, recordType: 'task' } }));
  assert.deepEqual(entries.map(({ record }) => record.id).sort(), tasks.map(({ id }) => id).sort());
  const events = await read(client.items('/events', { query: { limit: 2, types: ['task.created'] } }));
  assert.deepEqual(
    events.map((event) => event.type === 'task.created' && event.data.task.id).sort(),
    tasks.map(({ id }) => id).sort(),
  );
  assert.deepEqual(await read(client.items('/warehouses')), []);

  const marked = { ...input('Box 5'), integrationData: { onfleetId: 'x~1' } };
  const { data: sixth } = await client.post('/tasks', { body: marked });
  const query = { 'integrationData.onfleetId': 'x~1' };
  assert.deepEqual((await client.get('/tasks', { query })).data.items.map(idOf), [sixth.id]);
  assert.deepEqual((await read(client.items('/tasks', { query: { ...query, limit: 1 } }))).map(idOf), [sixth.id]);
  // @ts-expect-error: other names in the query stay those of the document.
  await assert.rejects(client.get('/tasks', { query: { 'externalData.onfleetId': 'x~1' } }), { status: 400 });
});

test('a stream from the position of a list goes on over cut connections, without a gap and without a double', async () => {
  const { key } = await fixture.organization();
  const options = { baseUrl: fixture.gateway.baseUrl, apiKey: key, retry: { firstPauseMs: 1 } };
  const { position } = await createClient(options).get('/tasks');
  const client = createClient({ ...options, fetch: cutting(2) });
  const making = (async () => {
    for (let i = 0; i < 12; i++) await createClient(options).post('/tasks', { body: input(`Box ${i}`) });
  })();
  const sequences: number[] = [];
  let lost = 0;
  for await (const message of client.follow({ lastEventId: position })) {
    if (message.type === 'stream.lost') lost += 1;
    if (message.type === 'task.created') sequences.push(message.sequence);
    if (sequences.length === 12) break;
  }
  await making;
  assert.deepEqual(
    sequences,
    [...sequences].sort((a, b) => a - b),
  );
  assert.equal(new Set(sequences).size, 12);
  assert.ok(lost > 0, 'no connection was cut');
});

test('a stream from the position of another log tells a resync', async () => {
  const client = await clientOfNew();
  const seen: StreamMessage[] = [];
  for await (const message of client.follow({ lastEventId: 'elsewhere-12' })) {
    seen.push(message);
    if (message.type === 'stream.resync') break;
  }
  assert.deepEqual(
    seen.map((message) => [message.type, 'reason' in message && message.reason]),
    [
      ['stream.ready', false],
      ['stream.resync', 'history_changed'],
    ],
  );
});

test('tabs that share a store refresh a session once, and learn that it has ended', async () => {
  const { gateway } = fixture;
  const user = await seedUser(gateway.databaseUrl, gateway.organizationId, 'dispatcher', 'a few easy words');
  const store = memoryStore();
  const asked: string[] = [];
  const counting: typeof fetch = (target, init) => {
    asked.push(new URL(String(target)).pathname);
    return fetch(target, init);
  };
  const tabs = [1, 2, 3].map(() => {
    const session = new Session({ baseUrl: gateway.baseUrl, store, fetch: counting });
    return { session, client: createClient({ baseUrl: gateway.baseUrl, session, fetch: counting }) };
  });
  const [first, second] = tabs;
  await assert.rejects(first!.client.get('/auth/me'), { code: 'SESSION_ENDED' });
  const signedIn = await first!.session.signIn({ email: user.email, password: 'a few easy words' });
  assert.equal(signedIn.user.id, user.userId);

  const before = await store.read();
  await store.write({ ...before!, accessToken: 'da_void' });
  const answers = await Promise.all(tabs.map(({ client }) => client.get('/auth/me')));
  for (const { data } of answers) assert.equal(data.user?.id, user.userId);
  assert.notEqual((await store.read())!.accessToken, 'da_void');

  await store.write({ ...(await store.read())!, expiresAtMs: Date.now() + 1_000 });
  asked.length = 0;
  const { client } = first!;
  await Promise.all([client.get('/auth/me'), client.get('/auth/me'), client.get('/tasks')]);
  assert.equal(asked.filter((path) => path === '/api/v1/auth/refresh').length, 1);

  await second!.session.signOut();
  assert.equal(await first!.session.isSignedIn(), false);
  await assert.rejects(first!.client.get('/auth/me'), { code: 'SESSION_ENDED' });
});

test('a session that was revoked asks to sign in again', async () => {
  const { gateway } = fixture;
  const user = await seedUser(gateway.databaseUrl, gateway.organizationId, 'dispatcher', 'a few easy words');
  const session = new Session({ baseUrl: gateway.baseUrl });
  await session.signIn({ email: user.email, password: 'a few easy words' });
  const client = createClient({ baseUrl: gateway.baseUrl, session });
  await client.get('/auth/me');
  const elsewhere = new Session({ baseUrl: gateway.baseUrl });
  await elsewhere.signIn({ email: user.email, password: 'a few easy words' });
  const other = createClient({ baseUrl: gateway.baseUrl, session: elsewhere });
  await other.post('/auth/logout', { query: { everywhere: true } });
  await assert.rejects(client.get('/auth/me'), { code: 'SESSION_ENDED', status: 401 });
  assert.equal(await session.isSignedIn(), false);
});

test('a webhook is verified by either secret of a rotation, and by nothing else', async () => {
  const [secret, old] = ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'whsec_OH+PN0cRM7CNQjUPD8ILPZIo2LaLaSwA'];
  const body = JSON.stringify({ type: 'webhook.test', data: { text: 'Grüße, 東京' } });
  const at = new Date('2026-11-25T08:00:00Z');
  const headers = {
    'webhook-id': 'evt_1',
    'webhook-timestamp': `${at.getTime() / 1_000}`,
    'webhook-signature': `${new Webhook(old).sign('evt_1', at, body)} ${new Webhook(secret).sign('evt_1', at, body)}`,
  };
  const now = () => at.getTime() + 200_000;
  const verify = (
    request: Partial<{ headers: object; body: string | Uint8Array }>,
    secrets: string | string[] = secret,
  ) => verifyWebhook({ headers, body, ...request } as Parameters<typeof verifyWebhook>[0], { secret: secrets, now });

  assert.equal((await verify({})).type, 'webhook.test');
  assert.equal((await verify({ headers: new Headers(headers), body: Buffer.from(body) }, old)).type, 'webhook.test');
  assert.equal((await verify({}, ['whsec_AAAA', secret])).type, 'webhook.test');
  for (const wrong of [
    { body: `${body} ` },
    { headers: { ...headers, 'webhook-id': 'evt_2' } },
    { headers: { ...headers, 'webhook-timestamp': `${at.getTime() / 1_000 - 200}` } },
    { headers: { ...headers, 'webhook-timestamp': 'soon' } },
    { headers: { ...headers, 'webhook-signature': headers['webhook-signature'].replaceAll('v1,', 'v2,') } },
    { headers: { ...headers, 'webhook-signature': 'v1,%%%' } },
    { headers: { ...headers, 'webhook-signature': undefined } },
  ])
    await assert.rejects(verify(wrong), WebhookError, JSON.stringify(wrong));
  await assert.rejects(verify({}, 'whsec_AAAA'), WebhookError);
  for (const secret of ['whsec_?', 'whsec_', ''])
    await assert.rejects(verify({}, secret), /the secret of the webhook is empty or not base64/, secret);
});

/** A `fetch` whose event streams are cut after a few parts. */
function cutting(parts: number): typeof fetch {
  return async (target, init) => {
    const response = await fetch(target, init);
    const source = response.body!.getReader();
    let left = parts;
    const body = new ReadableStream({
      async pull(controller) {
        const { value, done } = await source.read();
        if (done) return controller.close();
        controller.enqueue(value);
        if (--left > 0) return;
        await source.cancel();
        controller.error(new Error('the connection was cut'));
      },
      cancel: () => source.cancel(),
    });
    return new Response(body, { headers: response.headers });
  };
}
