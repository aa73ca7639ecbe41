import type * as v from 'valibot';
import { WEBHOOK_EVENTS } from '../../schema/event-views.ts';
import { type Json, jsonSchema, Models } from '../openapi/json-schema.ts';
import { accessOf, KEY_OR_SESSION, nameOf, SECURITY_SCHEMES } from '../openapi/openapi-document.ts';
import { OPERATION_TEXTS } from '../openapi/operation-texts.ts';
import { OPERATION_GROUPS } from '../openapi/operations.ts';
import { describeFields, parameterText } from '../openapi/reference-document.ts';
import { WEBHOOK_GROUP, WEBHOOK_HEADERS, WEBHOOK_RESPONSES } from '../openapi/webhooks.ts';
import type { RawRoute, Route } from '../route.ts';
import { API_PREFIX } from '../router.ts';

const DESCRIPTION =
  'What the service sends by itself: event streams, and the requests to the endpoints of webhooks. Calls are in /openapi.json.';

const SSE =
  'Server-sent events. `event` is the name of the message and `data` its payload. `id` is the place in the log: the header Last-Event-ID, or `?lastEventId=`, resumes after it, with nothing lost and nothing twice. The first message is stream.ready. After stream.resync, read the lists again. A comment comes at least every `heartbeatMs`; after `reconnectAfterMs` without a byte, open the stream again.';

/** Nobody knows the address at which a document is read; the client that reads it does. */
const GATEWAY = {
  host: '{host}',
  protocol: 'https',
  description: 'The gateway that this document was read from',
  variables: { host: { description: 'Its name, with its port', default: 'localhost:8080' } },
};

const LICENSE = { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' };
/** The kinds of things that it is about. */
const TAGS = [OPERATION_GROUPS.find(({ name }) => name === 'Events')!, WEBHOOK_GROUP];

/** The name of the channel and the operation of webhooks. */
const DELIVER = 'deliverWebhookEvent';

/** A route whose answer is a stream of messages with schemas. */
type StreamRoute = RawRoute & Required<Pick<RawRoute, 'messages'>>;

interface Parts {
  readonly models: Models;
  /** By name: streams share them. */
  readonly messages: Record<string, Json>;
}

/** Builds the AsyncAPI 3.0 document from the same tables as the OpenAPI document. */
export function asyncApiDocument(routes: readonly Route[], version: string): Json {
  const parts: Parts = { models: new Models(), messages: {} };
  const streams = routes.filter(isStream).map((route) => [nameOf(route).operationId, route] as const);
  const channels = {
    ...Object.fromEntries(streams.map(([name, route]) => [name, streamChannel(route, parts)])),
    [DELIVER]: webhookChannel(parts.models),
  };
  const operations = {
    ...Object.fromEntries(streams.map(([name, route]) => [name, streamOperation(name, route)])),
    [DELIVER]: webhookOperation(),
  };
  const schemas = parts.models.toJson();
  for (const [name, schema] of Object.entries(schemas)) describeFields(name, schema);
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Delivery Task Service',
      version,
      description: DESCRIPTION,
      license: LICENSE,
      tags: TAGS.map(({ name, text }) => ({ name, description: text })),
    },
    defaultContentType: 'application/json',
    servers: { gateway: GATEWAY },
    channels,
    operations,
    components: { securitySchemes: securitySchemes(), messages: parts.messages, schemas },
  };
}

function isStream(route: Route): route is StreamRoute {
  return route.kind === 'raw' && route.messages !== undefined;
}

function streamChannel({ path, summary, messages }: StreamRoute, parts: Parts): Json {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!);
  for (const [name, schema] of messages) parts.messages[name] = messageOf(name, schema, parts.models);
  return {
    address: `${API_PREFIX}${path.replace(/:(\w+)/g, '{$1}')}`,
    title: summary,
    description: SSE,
    servers: [{ $ref: '#/servers/gateway' }],
    ...(names.length > 0
      ? { parameters: Object.fromEntries(names.map((name) => [name, { description: parameterText('path', name) }])) }
      : {}),
    messages: Object.fromEntries([...messages.keys()].map((name) => [name, { $ref: `#/components/messages/${name}` }])),
  };
}

function streamOperation(name: string, route: StreamRoute): Json {
  const { security = KEY_OR_SESSION, ...who } = accessOf(route) as { readonly security?: readonly object[] };
  return {
    action: 'send',
    channel: { $ref: `#/channels/${name}` },
    summary: route.summary,
    description: OPERATION_TEXTS[name],
    security: security.flatMap(Object.keys).map((scheme) => ({ $ref: `#/components/securitySchemes/${scheme}` })),
    bindings: { http: { method: route.method, query: querySchema(route), bindingVersion: '0.3.0' } },
    ...who,
  };
}

function querySchema({ query }: StreamRoute): Json {
  const { properties = {}, ...rest } = jsonSchema(query!.schema, 'input') as { readonly properties?: Json };
  const described = Object.entries(properties as Readonly<Record<string, Json>>).map(([name, schema]) => {
    const text = parameterText('query', name);
    return [name, { ...(text === undefined ? {} : { description: text }), ...schema }];
  });
  return { ...rest, properties: Object.fromEntries(described) };
}

function webhookChannel(models: Models): Json {
  const headers = {
    type: 'object',
    properties: Object.fromEntries(
      WEBHOOK_HEADERS.map(({ name, description, schema }) => [name, { ...(schema as Json), description }]),
    ),
    required: WEBHOOK_HEADERS.map(({ name }) => name),
  };
  const shared = models.add('WebhookHeaders', headers);
  return {
    // The endpoint of each webhook.
    address: null,
    title: WEBHOOK_GROUP.name,
    description: WEBHOOK_GROUP.text,
    messages: Object.fromEntries(
      [...WEBHOOK_EVENTS].map(([name, schema]) => [name, { ...messageOf(name, schema, models), headers: shared }]),
    ),
  };
}

function webhookOperation(): Json {
  const answers = WEBHOOK_RESPONSES.map(([status, , text]) => `${status}: ${text}`);
  return {
    action: 'send',
    channel: { $ref: `#/channels/${DELIVER}` },
    summary: 'One event, sent to the endpoint of a webhook',
    description: `The endpoint answers with one of these. ${answers.join('. ')}.`,
    bindings: { http: { method: 'POST', bindingVersion: '0.3.0' } },
  };
}

function messageOf(name: string, schema: v.GenericSchema, models: Models): Json {
  return { name, payload: jsonSchema(schema, 'output', models) };
}

/** The same as in OpenAPI, where a key in a header has another type. */
function securitySchemes(): Json {
  return Object.fromEntries(
    Object.entries(SECURITY_SCHEMES).map(([name, scheme]) => [
      name,
      scheme.type === 'apiKey' ? { ...scheme, type: 'httpApiKey' } : scheme,
    ]),
  );
}
