import { toJsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import { envelopeOf, plainError, validationError } from '../schema/envelope.ts';
import { isPermitted } from '../schema/permissions.ts';
import { ROLES } from '../schema/role.ts';
import { FREE_FIELD } from './parse-request.ts';
import type { ApiRoute, Guard, QuerySchema, RawRoute, Route } from './route.ts';
import { API_PREFIX } from './router.ts';

type Json = Record<string, unknown>;

/**
 * The OpenAPI 3.1 document, made from the route table and from the very schemas that validate and serialize.
 */
export function openApiDocument(routes: readonly Route[], version: string): Json {
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const isApi = route.kind === 'api' || route.place === 'api';
    const path = `${isApi ? API_PREFIX : ''}${route.path.replace(/:(\w+)/g, '{$1}')}`;
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Delivery Task Service', version, description: 'Real-time dispatch for last-mile delivery.' },
    paths,
    components: {
      securitySchemes: {
        channelKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
        session: { type: 'http', scheme: 'bearer', description: 'The accessToken of POST /auth/login' },
        streamToken: { type: 'apiKey', in: 'query', name: 'token', description: 'Of POST /realtime/token, used once' },
      },
      headers: RATE_LIMIT_HEADERS,
      schemas: { Error: jsonSchema(plainError), ValidationError: jsonSchema(validationError) },
    },
  };
}

const RATE_LIMIT_HEADERS: Record<string, Json> = {
  'RateLimit-Policy': { description: 'The bucket: its size `q`, full after `w` seconds', schema: { type: 'string' } },
  RateLimit: {
    description: 'What remains, `r`, and when the bucket is full, in `t` seconds',
    schema: { type: 'string' },
  },
};

function operationOf(route: Route): Json {
  const responses = route.kind === 'api' ? responsesOf(route) : rawResponsesOf(route);
  return {
    summary: route.summary,
    ...accessOf(route),
    parameters: [...pathParameters(route), ...queryParameters(route.query), ...headerParameters(route)],
    ...(route.body ? { requestBody: requestBody(route) } : {}),
    responses: route.guard.kind === 'operational' ? responses : withRateLimit(responses),
  };
}

/** Which credentials a route takes, and the roles that they have to stand for. */
function accessOf(route: Route): Json {
  const { guard } = route;
  const streamToken = route.kind === 'raw' && route.takesStreamToken ? [{ streamToken: [] }] : [];
  switch (guard.kind) {
    case 'operational':
    case 'public':
      return { security: [] };
    case 'session':
      return { security: [{ session: [] }] };
    case 'permission':
      return {
        security: [{ channelKey: [] }, { session: [] }, ...streamToken],
        'x-permission': guard.permission,
        'x-roles': ROLES.filter((role) => isPermitted(role, guard.permission)),
      };
  }
}

function withRateLimit(responses: Record<string, Json>): Record<string, Json> {
  const headers = Object.fromEntries(
    Object.keys(RATE_LIMIT_HEADERS).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => [
      status,
      { ...response, headers: { ...(response['headers'] as Json | undefined), ...headers } },
    ]),
  );
}

function pathParameters(route: Route): Json[] {
  const names = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name);
  const integer = { type: 'integer', minimum: 1 };
  const schema = route.kind === 'api' && route.me ? { anyOf: [integer, { const: 'me' }] } : integer;
  return names.map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: route.textParams ? { type: 'string' } : schema,
  }));
}

function queryParameters(query: QuerySchema | undefined): Json[] {
  if (!query) return [];
  const { properties = {} } = jsonSchema(query.schema) as { properties?: Record<string, Json> };
  return Object.entries(properties).map(([name, schema]) => ({
    ...(name === FREE_FIELD
      ? { name: `${FREE_FIELD}.{key}`, schema: { type: 'string', description: schema['description'] } }
      : { name, schema }),
    in: 'query',
    ...(query.lists.has(name)
      ? { style: 'form', explode: false, description: 'A comma list or repeats: any of them' }
      : {}),
  }));
}

function headerParameters(route: Route): Json[] {
  const correlation = { name: 'X-Correlation-Id', in: 'header', schema: { type: 'string', format: 'uuid' } };
  const idempotency = {
    name: 'Idempotency-Key',
    in: 'header',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  };
  const organization = {
    name: 'X-Organization-Id',
    in: 'header',
    description: 'For super admins, who have to name the organization; ignored from anyone else',
    schema: { type: 'integer', minimum: 1 },
  };
  const { guard } = route;
  const keepsAnswer = route.kind === 'api' && route.method !== 'GET' && !route.keepsNothing;
  return [
    correlation,
    ...(keepsAnswer ? [idempotency] : []),
    ...(guard.kind === 'permission' && guard.scope !== 'platform' ? [organization] : []),
  ];
}

function requestBody(route: Route): Json {
  if (route.kind === 'raw') return { required: true, content: { [route.body!.media]: {} } };
  const required = !route.body!.mayBeAbsent;
  return { required, content: { 'application/json': { schema: jsonSchema(route.body!.schema, 'input') } } };
}

const reference = (name: 'Error' | 'ValidationError') => ({ $ref: `#/components/schemas/${name}` });
const error = { 'application/json': { schema: reference('Error') } };

function responsesOf(route: ApiRoute): Record<string, Json> {
  const responses: Record<string, Json> = {
    [route.success.status]: {
      description: 'Success',
      content: { 'application/json': { schema: jsonSchema(envelopeOf(route.success.data)) } },
    },
    '400': {
      description: 'Validation failed: every violation at once; or malformed JSON or header, as a plain error',
      content: { 'application/json': { schema: { oneOf: [reference('ValidationError'), reference('Error')] } } },
    },
    ...(route.guard.kind === 'public'
      ? {}
      : { '401': { description: 'No credential, or one that stands for nobody', content: error } }),
    '403': { description: forbiddenBy(route.guard), content: error },
    '429': { description: 'RATE_LIMITED, with Retry-After', content: error },
    '503': {
      description: 'NOT_APPLIED, OUTCOME_UNKNOWN, OVERLOADED, NOT_OWNER or UNAVAILABLE; with Retry-After',
      content: error,
    },
  };
  if (route.body) {
    responses['413'] = { description: `The body exceeds ${route.body.maxBytes} bytes`, content: error };
    responses['415'] = { description: 'The Content-Type is not application/json', content: error };
  }
  return withRefusals(route.refusals, responses);
}

function rawResponsesOf({ answers, leadsOn, refusals = [] }: RawRoute): Record<string, Json> {
  const location = { description: 'The address', schema: { type: 'string', format: 'uri-reference' } };
  return withRefusals(refusals, {
    ...(leadsOn?.always ? {} : { '200': { description: 'OK', content: { [answers]: {} } } }),
    ...(leadsOn ? { '303': { description: `Leads ${leadsOn.to}`, headers: { Location: location } } } : {}),
  });
}

/** What a route for people answers instead of an error. */
const PAGE = 'A page that says so';

function withRefusals(refusals: readonly string[], responses: Record<string, Json>): Record<string, Json> {
  for (const refusal of refusals) {
    const [status, code = status === '404' ? 'Unknown id' : 'Whatever was sent stands for nobody'] =
      statusAndCode(refusal);
    const before = responses[status]?.['description'] as string | undefined;
    if (before?.includes(code)) continue;
    const content = code === PAGE ? { 'text/html': {} } : error;
    responses[status] = { description: before ? `${before}; ${code}` : code, content };
  }
  return responses;
}

/** `409 TASK_NOT_PAYABLE` as its two parts; the second may be missing, or be several words. */
function statusAndCode(refusal: string): [status: string, code?: string] {
  const at = refusal.indexOf(' ');
  return at < 0 ? [refusal] : [refusal.slice(0, at), refusal.slice(at + 1)];
}

function forbiddenBy(guard: Guard): string {
  if (guard.kind !== 'permission') return guard.kind === 'session' ? 'HTTPS_REQUIRED, or a key' : 'HTTPS_REQUIRED';
  return 'HTTPS_REQUIRED, ORGANIZATION_NOT_ACTIVE, EMAIL_NOT_VERIFIED, or not permitted';
}

function jsonSchema(schema: v.GenericSchema, typeMode: 'input' | 'output' = 'output'): Json {
  const { $schema: _, ...rest } = toJsonSchema(schema, { typeMode, errorMode: 'ignore' }) as Json;
  return rest;
}
