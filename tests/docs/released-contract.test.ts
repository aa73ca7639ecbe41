import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../../gateway/openapi/json-schema.ts';
import { DOCUMENT, STREAM_DOCUMENT } from '../support/contract/described-api.ts';
import { documentNarrowings } from '../support/contract/document-narrowings.ts';
import { messageNarrowings } from '../support/contract/message-narrowings.ts';
import { readReleased } from '../support/contract/released-document.ts';

/** The API only grows inside v1. Source: docs/contract.md §1 "Paths". */

test('nothing that the last release offered is removed or narrowed', () => {
  assert.deepEqual(documentNarrowings(readReleased('openapi'), DOCUMENT), []);
});

test('no message of the last release is removed or narrowed', () => {
  assert.deepEqual(messageNarrowings(readReleased('asyncapi'), STREAM_DOCUMENT), []);
});

/** Any object of the document, as a planted change sees it. */
interface Part extends Record<string, Part> {}

const operation = ({ paths }: Part, path: string, method: string): Part => paths![`/api/v1${path}`]![method]!;
const model = ({ components }: Part, name: string): Part => components!['schemas']![name]!;
const field = (document: Part, name: string, of: string): Part => model(document, name)['properties']![of]!;
const list = (part: Part | undefined) => part as unknown as unknown[];
const without = (part: Part, key: string, value: unknown) =>
  Object.assign(part, { [key]: list(part[key]).filter((each) => each !== value) });

/** Planted changes, each with what is said of it; undefined for changes that hurt nobody. */
const CHANGES: readonly (readonly [change: string, plant: (document: Part) => unknown, said: RegExp | undefined])[] = [
  ['nothing changes', () => {}, undefined],
  ['a path is removed', ({ paths }) => delete paths!['/api/v1/tasks'], /^GET \/api\/v1\/tasks: is gone$/],
  ['a method is removed', ({ paths }) => delete paths!['/api/v1/tasks/{id}']!['patch'], /^PATCH .*: is gone$/],
  [
    'an operation gets another name',
    (document) => Object.assign(operation(document, '/tasks', 'post'), { operationId: 'addTask' }),
    /createTask is now addTask$/,
  ],
  [
    'a model gets another name',
    (document) => {
      document['components']!['schemas']!['Rider'] = model(document, 'Agent');
      Object.assign(list(model(document, 'AgentResponse')['allOf'])[1] as Part, {
        properties: { data: { $ref: '#/components/schemas/Rider' } },
      });
    },
    /the model Agent has another name, Rider$/,
  ],
  [
    'a parameter is removed',
    (document) => list(operation(document, '/tasks', 'get')['parameters']).pop(),
    /^GET \/api\/v1\/tasks .* parameter \S+: is gone$/,
  ],
  [
    'a parameter takes a list of what it took',
    ({ components }) => {
      const parameter = Object.values(components!['parameters']!).find(({ name }) => `${name}` === 'taskId')!;
      Object.assign(parameter, { schema: { type: 'array', items: parameter['schema'] } });
    },
    undefined,
  ],
  [
    'a parameter takes a list of something else',
    ({ components }) => {
      const parameter = Object.values(components!['parameters']!).find(({ name }) => `${name}` === 'taskId')!;
      Object.assign(parameter, { schema: { type: 'array', items: { type: 'boolean' } } });
    },
    /query parameter taskId: the type integer is now boolean$/,
  ],
  [
    'a required parameter is added',
    (document) =>
      list(operation(document, '/tasks', 'get')['parameters']).push({
        name: 'x',
        in: 'query',
        required: true,
        schema: {},
      }),
    /query parameter x: is now required$/,
  ],
  [
    'an optional parameter is added',
    (document) => list(operation(document, '/tasks', 'get')['parameters']).push({ name: 'x', in: 'query', schema: {} }),
    undefined,
  ],
  [
    'a body becomes required',
    (document) =>
      Object.assign(operation(document, '/tasks/{id}/unassign', 'post')['requestBody']!, { required: true }),
    /the body is now required$/,
  ],
  [
    'a field of a request becomes required',
    (document) => Object.assign(model(document, 'UpdateCustomerInput'), { required: ['email'] }),
    /^UpdateCustomerInput.email: is now required$/,
  ],
  [
    'a field of a request is removed',
    (document) => delete model(document, 'UpdateCustomerInput')['properties']!['email'],
    /^UpdateCustomerInput.email: is gone$/,
  ],
  [
    'a field of a request is added',
    (document) => Object.assign(model(document, 'UpdateCustomerInput')['properties']!, { x: { type: 'string' } }),
    undefined,
  ],
  [
    'a request takes shorter texts',
    (document) => Object.assign(field(document, 'CreateWarehouseInput', 'name'), { maxLength: 20 }),
    /^CreateWarehouseInput.name: maxLength is now 20$/,
  ],
  [
    'a request takes longer texts',
    (document) => Object.assign(field(document, 'CreateWarehouseInput', 'name'), { maxLength: 2000 }),
    undefined,
  ],
  [
    'a request no longer takes null',
    (document) => Object.assign(field(document, 'UpdateCustomerInput', 'email'), { type: 'string' }),
    /^UpdateCustomerInput.email: the type string or null is now string$/,
  ],
  [
    'a request no longer takes a value',
    (document) => without(model(document, 'AgentType'), 'enum', 'freelancer'),
    /^AgentType: no longer accepts freelancer$/,
  ],
  ['a list of values grows', (document) => list(model(document, 'AgentType')['enum']).push('robot'), undefined],
  [
    'a field of an answer is removed',
    (document) => delete model(document, 'Agent')['properties']!['vehicle'],
    /^Agent.vehicle: is gone$/,
  ],
  [
    'a field of an answer may be absent',
    (document) => without(model(document, 'Agent'), 'required', 'vehicle'),
    /^Agent.vehicle: may now be absent$/,
  ],
  [
    'a field of an answer gets another type',
    (document) => Object.assign(field(document, 'Agent', 'onDuty'), { type: 'string' }),
    /^Agent.onDuty: the type boolean is now string$/,
  ],
  [
    'a field of an answer may be null',
    (document) => Object.assign(field(document, 'Agent', 'createdAt'), { type: ['string', 'null'] }),
    /^Agent.createdAt: the type string is now string or null$/,
  ],
  [
    'a field of an answer has another format',
    (document) => delete field(document, 'Agent', 'createdAt')['format'],
    /^Agent.createdAt: the format date-time is now undefined$/,
  ],
  [
    'a field of an answer is added',
    (document) => Object.assign(model(document, 'Agent')['properties']!, { x: { type: 'string' } }),
    undefined,
  ],
  [
    'a success has another status',
    (document) => {
      const { responses } = operation(document, '/agents', 'post');
      Object.assign(responses!, { '200': responses!['201'] });
      delete responses!['201'];
    },
    /^POST \/api\/v1\/agents 201: is gone$/,
  ],
  [
    'a refusal no longer comes',
    (document) => delete operation(document, '/tasks', 'post')['responses']!['409'],
    undefined,
  ],
  [
    'an answer has another media type',
    (document) => {
      const { responses } = operation(document, '/tasks/export', 'get');
      Object.assign(responses!['200']!, { content: { 'text/csv': {} } });
    },
    /^GET \/api\/v1\/tasks\/export 200: application\/x-ndjson is gone$/,
  ],
  ['a webhook is removed', ({ webhooks }) => delete webhooks!['task.rated'], /^POST task.rated: is gone$/],
  [
    'a field of an event is removed',
    (document) => delete model(document, 'TaskRatedEventData')['properties']!['rating'],
    /^TaskRatedEventData.rating: is gone$/,
  ],
];

for (const [change, plant, said] of CHANGES) {
  test(`the comparison with the last release ${said ? 'notices' : 'accepts'} that ${change}`, () => {
    const document = structuredClone(DOCUMENT);
    plant(document as Part);
    const found = documentNarrowings(DOCUMENT, document as Json);
    if (!said) return assert.deepEqual(found, []);
    assert.ok(
      found.some((narrowing) => said.test(narrowing)),
      `found: ${found.join('\n')}`,
    );
  });
}

/** As above, for messages. */
const MESSAGE_CHANGES: typeof CHANGES = [
  ['nothing changes', () => {}, undefined],
  ['a channel is removed', ({ channels }) => delete channels!['watchOwn'], /^watchOwn: .* is gone$/],
  [
    'a stream moves',
    ({ channels }) => Object.assign(channels!['watchOwn']!, { address: '/mine' }),
    /^watchOwn: \/api\/v1\/realtime\/me\/events is \/mine$/,
  ],
  ['an operation is removed', ({ operations }) => delete operations!['watchOwn'], /^the operation watchOwn is gone$/],
  [
    'a stream no longer carries a message',
    ({ channels }) => delete channels!['watchOwn']!['messages']!['task.rated'],
    /^watchOwn task.rated: is gone$/,
  ],
  [
    'a field of a message is removed',
    (document) => delete model(document, 'StreamReady')['properties']!['heartbeatMs'],
    /^StreamReady.heartbeatMs: is gone$/,
  ],
  [
    'a header of webhooks may be absent',
    (document) => without(model(document, 'WebhookHeaders'), 'required', 'webhook-id'),
    /^WebhookHeaders.webhook-id: may now be absent$/,
  ],
  [
    'a message is added',
    ({ channels }) => Object.assign(channels!['watchOwn']!['messages']!, { x: { payload: {} } }),
    undefined,
  ],
];

for (const [change, plant, said] of MESSAGE_CHANGES) {
  test(`the comparison of messages ${said ? 'notices' : 'accepts'} that ${change}`, () => {
    const document = structuredClone(STREAM_DOCUMENT);
    plant(document as Part);
    const found = messageNarrowings(STREAM_DOCUMENT, document);
    if (!said) return assert.deepEqual(found, []);
    assert.ok(
      found.some((narrowing) => said.test(narrowing)),
      `found: ${found.join('\n')}`,
    );
  });
}
