import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Parser } from '@asyncapi/parser';
import { EVENT_TYPES } from '../../../schema/events.ts';
import { useGateway } from '../api-fixture.ts';

const fixture = useGateway();
const get = (path: string, headers = {}) => fixture.api.raw({ method: 'GET', path, headers });

interface Channel {
  readonly address: string | null;
  readonly messages: Readonly<Record<string, object>>;
}

interface AsyncApi {
  readonly channels: Readonly<Record<string, Channel>>;
  readonly components: {
    readonly messages: Readonly<Record<string, { readonly payload: { readonly $ref: string } }>>;
    readonly schemas: object;
  };
}

interface OpenApi {
  readonly paths: Readonly<Record<string, { readonly get?: { readonly operationId: string } }>>;
  readonly webhooks: object;
}

const readAsyncApi = async () => JSON.parse((await get('/asyncapi.json')).text) as AsyncApi;
const readOpenApi = async () => JSON.parse((await get('/openapi.json')).text) as OpenApi;

const OF_THE_STREAM = ['stream.ready', 'stream.resync', 'stream.reconnect'];

test('the parser of AsyncAPI finds nothing wrong with the document', async () => {
  const { text } = await get('/asyncapi.json');
  const { document, diagnostics } = await new Parser().parse(text);
  assert.equal(document?.version(), '3.0.0');
  // 3.1 adds a protocol that is not ours, and fewer programs read it.
  const others = diagnostics.filter(({ code }) => code !== 'asyncapi-latest-version');
  assert.deepEqual(
    others.map(({ message, path }) => `${path.join('.')}: ${message}`),
    [],
  );
  assert.deepEqual(
    document.operations().map((operation) => [operation.id(), operation.action()]),
    [
      ['watchOrganization', 'send'],
      ['watchOwn', 'send'],
      ['deliverWebhookEvent', 'send'],
    ],
  );
});

test('the parser of AsyncAPI notices a planted fault', async () => {
  const { components: _, ...document } = await readAsyncApi();
  // Without its messages: it takes the parser seconds to look at them.
  const { watchOwn } = document.channels;
  const broken = {
    ...document,
    channels: { watchOwn: { ...watchOwn, messages: {} } },
    operations: { watchOwn: { action: 'shout', channel: { $ref: '#/channels/nowhere' } } },
  };
  const { diagnostics } = await new Parser().parse(JSON.stringify(broken));
  assert.ok(diagnostics.some(({ severity, path }) => severity === 0 && path.includes('watchOwn')));
});

test('each stream is a channel at the path of its operation, with the messages of streams and every event', async () => {
  const [{ channels, components }, { paths }] = [await readAsyncApi(), await readOpenApi()];
  const { deliverWebhookEvent: _, ...streams } = channels;
  assert.deepEqual(Object.keys(streams), ['watchOrganization', 'watchOwn']);
  const expected = [...OF_THE_STREAM, ...EVENT_TYPES, 'agent.locations_updated'];
  assert.deepEqual(Object.keys(components.messages), expected);
  for (const [name, { payload }] of Object.entries(components.messages))
    assert.match(payload.$ref, /^#\/components\/schemas\/\w+$/, name);
  for (const [name, { address, messages }] of Object.entries(streams)) {
    assert.equal(paths[address!]?.get?.operationId, name);
    assert.deepEqual(Object.keys(messages), expected);
  }
});

test('webhooks receive the same messages in AsyncAPI as in OpenAPI', async () => {
  const [{ channels }, { webhooks }] = [await readAsyncApi(), await readOpenApi()];
  const { address, messages } = channels['deliverWebhookEvent']!;
  assert.equal(address, null);
  assert.deepEqual(Object.keys(messages), Object.keys(webhooks));
});

test('every reference of the AsyncAPI document leads to a part of it, and every schema has a reference', async () => {
  const { text } = await get('/asyncapi.json');
  const document = JSON.parse(text) as AsyncApi;
  const named = new Set([...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path!));
  for (const path of named) {
    const found = path.split('/').reduce<unknown>((part, name) => (part as Record<string, unknown>)?.[name], document);
    assert.ok(found, path);
  }
  const schemas = [...named].flatMap((path) => /^components\/schemas\/(.+)$/.exec(path)?.[1] ?? []);
  assert.deepEqual(schemas.toSorted(), Object.keys(document.components.schemas).toSorted());
});

for (const path of ['/openapi.json', '/asyncapi.json', '/docs/openapi.json']) {
  test(`${path} is sent again only to a client that does not have it`, async () => {
    const { status, headers } = await get(path);
    const etag = headers.etag!;
    assert.deepEqual([status, headers['content-type']], [200, 'application/json; charset=utf-8']);
    assert.match(etag, /^"[\w-]{43}"$/);
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await get(path, { 'if-none-match': known });
      assert.deepEqual([again.status, again.text, again.headers.etag], [304, '', etag], known);
    }
    assert.equal((await get(path, { 'if-none-match': '"other"' })).status, 200);
  });
}
