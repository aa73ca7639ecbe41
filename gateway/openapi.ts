import { toJsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import { envelopeOf, plainError, validationError } from '../schema/envelope.ts';
import { FREE_FIELD } from './parse-request.ts';
import type { ApiRoute, QuerySchema, Route } from './route.ts';
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
      securitySchemes: { channelKey: { type: 'apiKey', in: 'header', name: 'x-api-key' } },
      schemas: { Error: jsonSchema(plainError), ValidationError: jsonSchema(validationError) },
    },
  };
}

function operationOf(route: Route): Json {
  const isPublic = route.guard.kind === 'operational' || route.guard.kind === 'public';
  return {
    summary: route.summary,
    security: isPublic ? [] : [{ channelKey: [] }],
    parameters: [...pathParameters(route.path), ...queryParameters(route.query), ...headerParameters(route)],
    ...(route.kind === 'api' && route.body ? { requestBody: requestBody(route) } : {}),
    responses:
      route.kind === 'api' ? responsesOf(route) : { '200': { description: 'OK', content: { [route.answers]: {} } } },
  };
}

function pathParameters(path: string): Json[] {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name);
  return names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'integer', minimum: 1 } }));
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
  return route.method === 'GET' ? [correlation] : [correlation, idempotency];
}

function requestBody(route: ApiRoute): Json {
  return { required: true, content: { 'application/json': { schema: jsonSchema(route.body!.schema, 'input') } } };
}

function responsesOf(route: ApiRoute): Json {
  const reference = (name: 'Error' | 'ValidationError') => ({ $ref: `#/components/schemas/${name}` });
  const error = { 'application/json': { schema: reference('Error') } };
  const responses: Record<string, Json> = {
    [route.success.status]: {
      description: 'Success',
      content: { 'application/json': { schema: jsonSchema(envelopeOf(route.success.data)) } },
    },
    '400': {
      description: 'Validation failed: every violation at once; or malformed JSON or header, as a plain error',
      content: { 'application/json': { schema: { oneOf: [reference('ValidationError'), reference('Error')] } } },
    },
    '401': { description: 'No key, or one that stands for nobody', content: error },
    '403': { description: 'ORGANIZATION_NOT_ACTIVE, HTTPS_REQUIRED, or not permitted', content: error },
    '503': {
      description: 'NOT_APPLIED, OUTCOME_UNKNOWN, OVERLOADED, NOT_OWNER or UNAVAILABLE; with Retry-After',
      content: error,
    },
  };
  if (route.body) {
    responses['413'] = { description: `The body exceeds ${route.body.maxBytes} bytes`, content: error };
    responses['415'] = { description: 'The Content-Type is not application/json', content: error };
  }
  for (const refusal of route.refusals) {
    const [status = '', code = 'Unknown id'] = refusal.split(' ');
    const before = responses[status]?.['description'];
    responses[status] = { description: before ? `${before}; ${code}` : code, content: error };
  }
  return responses;
}

function jsonSchema(schema: v.GenericSchema, typeMode: 'input' | 'output' = 'output'): Json {
  const { $schema: _, ...rest } = toJsonSchema(schema, { typeMode, errorMode: 'ignore' }) as Json;
  return rest;
}
