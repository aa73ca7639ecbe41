import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { OPERATION_GROUPS } from '../../../gateway/openapi/operations.ts';
import { EVENT_TYPES } from '../../../schema/events.ts';
import { taskInput } from '../../support/api-client.ts';
import { dereferenced } from '../../support/contract/openapi.ts';
import { useGateway } from '../api-fixture.ts';

// Schemas are compiled on the gateway's own thread, for longer than it may be silent on a busy machine.
const fixture = useGateway({ environment: { LEASE_MS: '60000' } });
const get = (path: string) => fixture.api.raw({ method: 'GET', path });

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly security?: readonly object[];
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema: object;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: object }>> };
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly description: string;
        readonly content: Readonly<Record<string, { readonly schema?: object }>>;
        readonly headers?: object;
      }
    >
  >;
}

interface OpenApi {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly security: readonly object[];
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>;
    readonly securitySchemes: Readonly<Record<string, object>>;
  };
}

const readRaw = async (path = '/openapi.json') => JSON.parse((await get(path)).text) as OpenApi;
/** With what its references lead to. */
const readOpenApi = async (path?: string) => dereferenced({ ...(await readRaw(path)) }) as unknown as OpenApi;
/** With the pages for people. */
const readReference = () => readOpenApi('/docs/openapi.json');

test('the OpenAPI document says where pages lead on, and what they answer instead of errors', async () => {
  const { paths } = await readReference();
  const leading = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, { responses }]) =>
      '303' in responses ? [[`${method} ${path}`, '200' in responses, responses['303']!.description] as const] : [],
    ),
  );
  assert.deepEqual(leading, [
    ['get /api/v1/payments/checkout/{link}', true, "Leads on to the provider's page, while the payment is open"],
    ['post /api/v1/payments/test-provider/checkout/{session}', false, 'Leads back to the checkout'],
    ['post /t/{token}/rating', false, 'Leads back to the page'],
  ]);
  const { '303': away, '404': unknown } = paths['/api/v1/payments/checkout/{link}']!['get']!.responses;
  assert.deepEqual(Object.keys(away!.headers!), ['Location']);
  assert.deepEqual([unknown!.description, Object.keys(unknown!.content!)], ['A page that says so', ['text/html']]);
});

/** That it names every route, with those who may call it, is for tests/api/guards/route-walk.test.ts. */
test('the OpenAPI document is 3.1, and complete in each of its operations', async () => {
  const { openapi, info, paths, components, security } = await readOpenApi();
  assert.match(openapi, /^3\.1\.\d+$/);
  assert.ok(info.title && info.version);
  for (const [path, item] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(item)) {
      const place = `${method} ${path}`;
      assert.ok(operation.summary, place);
      for (const scheme of (operation.security ?? security).flatMap((each) => Object.keys(each)))
        assert.ok(scheme in components.securitySchemes, place);
      const inPath = operation.parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
      assert.deepEqual(
        inPath,
        [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
        place,
      );
      assert.ok(
        Object.keys(operation.responses).some((status) => /^[23]/.test(status)),
        place,
      );
      for (const [status, response] of Object.entries(operation.responses)) {
        assert.match(status, /^([1-5]\d\d|default)$/, place);
        assert.ok(response.description, place);
      }
    }
  }
});

test('operations have names that generated clients can use, each its own, and the list of names has no others', async () => {
  const { paths, webhooks } = await readReference();
  const namesIn = (some: OpenApi['paths']) =>
    Object.values(some).flatMap((item) => Object.values(item).map(({ operationId }) => operationId));
  const names = [...namesIn(paths), ...namesIn(webhooks)];
  assert.equal(new Set(names.map((name) => name.toLowerCase())).size, names.length);
  for (const name of names) assert.match(name, /^[a-z]+([A-Z][a-z]+)*$/);
  const listed = OPERATION_GROUPS.flatMap(({ operations }) => Object.values(operations));
  assert.deepEqual(namesIn(paths).toSorted(), listed.toSorted());
});

test('every object of a request or an answer is a named model, and the document stays small', async () => {
  const { paths, webhooks, components } = await readRaw();
  const isReference = (schema: object | undefined) => !schema || '$ref' in schema;
  for (const [path, item] of Object.entries({ ...paths, ...webhooks })) {
    for (const [method, { requestBody, responses }] of Object.entries(item)) {
      for (const part of [requestBody, ...Object.values(responses)])
        for (const { schema } of Object.values(part?.content ?? {}))
          assert.ok(isReference(schema) || isUnion(schema!), `${method} ${path}: ${JSON.stringify(schema)}`);
    }
  }
  const inner = /"(?:items|data)":\{"type":"object","properties"|"additionalProperties":\{"type":"object"/;
  for (const [name, schema] of Object.entries(components.schemas))
    assert.doesNotMatch(JSON.stringify(schema).slice(1), inner, name);
  for (const name of ['Task', 'Agent', 'Customer', 'Package', 'Location', 'Payment', 'Webhook', 'Event', 'Error'])
    assert.ok(name in components.schemas, name);
  const { text } = await get('/openapi.json');
  assert.ok(Buffer.byteLength(text) < 255_000, `${Buffer.byteLength(text)} bytes`);
});

test('pages for people are in the reference, and not in the document for generators', async () => {
  const [document, reference] = [await readRaw(), await readRaw('/docs/openapi.json')];
  const pages = Object.keys(reference.paths).filter((path) => !(path in document.paths));
  const places = new Set(pages.map((path) => path.split('/')[1]));
  assert.deepEqual(places, new Set(['', 'favicon.ico', 'docs', 'console', 't', 'account']));
  for (const [path, item] of Object.entries(document.paths))
    assert.deepEqual(Object.keys(item), Object.keys(reference.paths[path]!), path);
});

test('every type of event has a webhook with its own schema', async () => {
  const { webhooks } = await readRaw();
  assert.deepEqual(Object.keys(webhooks), [...EVENT_TYPES, 'agent.locations_updated', 'webhook.test']);
  const schemas = Object.values(webhooks).map(({ post }) => post!.requestBody!.content['application/json']!.schema);
  assert.equal(new Set(schemas.map((schema) => JSON.stringify(schema))).size, schemas.length);
});

test('paths begin at the server that the document names, wherever it was read', async () => {
  const { servers } = await readOpenApi();
  const source = `${fixture.gateway.baseUrl}/openapi.json`;
  assert.deepEqual(
    servers.map(({ url }) => new URL(url, source).href),
    [`${fixture.gateway.baseUrl}/`],
  );
});

const isUnion = (schema: object) => 'oneOf' in schema && Object.keys(schema).length === 1;

test('every reference of the document leads to a part of it, and every component has a reference', async () => {
  const { text } = await get('/openapi.json');
  const { components } = JSON.parse(text) as { readonly components: Record<string, Record<string, unknown>> };
  const named = new Set([...text.matchAll(/"\$ref":"#\/components\/([^"]+)"/g)].map(([, name]) => name!));
  const { headers, parameters, responses, schemas } = components;
  const parts = Object.entries({ headers, parameters, responses, schemas }).flatMap(([kind, some]) =>
    Object.keys(some!).map((name) => `${kind}/${name}`),
  );
  assert.deepEqual([...named].sort(), parts.sort());
});

test('every route that the document names answers, and no method besides', async () => {
  for (const [path, item] of Object.entries((await readReference()).paths)) {
    const concrete = path.replace(/\{\w+\}/g, '999000111');
    for (const method of ['get', 'post', 'put', 'patch', 'delete']) {
      const reply = await fixture.api.raw({ method: method.toUpperCase(), path: concrete });
      assert.equal(reply.status === 405, !(method in item), `${method} ${path}: ${reply.status}`);
    }
  }
});

/** Compiles schemas; one that is not valid JSON Schema 2020-12 throws. */
function compiler(): (schema: object) => ValidateFunction {
  const formats = { uuid: true, 'date-time': true, int64: true } as const;
  // Each of many schemas is compiled for a few values at most: quick to make, not quick to run.
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, formats, code: { optimize: false } });
  return (schema) => ajv.compile(schema);
}

test('all schemas of the document are valid', async () => {
  const document = await readReference();
  const compile = compiler();
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
  const schemas = operations.flatMap(({ parameters, requestBody, responses }) => [
    ...parameters.map(({ schema }) => schema),
    ...[requestBody, ...Object.values(responses)].flatMap((part) =>
      Object.values(part?.content ?? {}).flatMap(({ schema }) => schema ?? []),
    ),
  ]);
  // Most are there many times, and compiling takes its time.
  for (const text of new Set(schemas.map((schema) => JSON.stringify(schema))))
    assert.ok(compile(JSON.parse(text) as object));
});

test('the request schema of the document accepts what the API accepts', async () => {
  const document = await readOpenApi();
  const { schema } = document.paths['/api/v1/tasks']!['post']!.requestBody!.content['application/json']!;
  const validate = compiler()(schema);
  for (const body of [
    taskInput(),
    taskInput({ notes: null, packages: [{ description: 'x' }] }),
    taskInput({ scheduledAt: '2031-01-01T00:00:00Z', timeToServe: 'scheduled' }),
  ]) {
    assert.equal((await fixture.api.post('/tasks', body)).status, 201);
    assert.ok(validate(body), JSON.stringify(validate.errors));
  }
  for (const body of [taskInput({ taskType: 'boat' }), taskInput({ name: 5 }), taskInput({ packages: {} })]) {
    assert.equal((await fixture.api.post('/tasks', body)).status, 400);
    assert.ok(!validate(body), JSON.stringify(body));
  }
});
