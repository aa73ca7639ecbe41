import { integerShown } from '../../schema/shown-as.ts';
import { FREE_FIELD } from '../parse-request.ts';
import type { QuerySchema, Route } from '../route.ts';
import { type Json, jsonSchema } from './json-schema.ts';

const ID = integerShown(1, Number.MAX_SAFE_INTEGER);

/** What a request to the route may carry beside its body. */
export function operationParameters(route: Route): Json[] {
  return [...pathParameters(route), ...queryParameters(route.query), ...headerParameters(route)];
}

function pathParameters(route: Route): Json[] {
  const names = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name);
  const schema = route.kind === 'api' && route.me ? { anyOf: [ID, { const: 'me' }] } : ID;
  return names.map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: route.textParams ? { type: 'string' } : schema,
  }));
}

function queryParameters(query: QuerySchema | undefined): Json[] {
  if (!query) return [];
  const { properties = {}, required = [] } = jsonSchema(query.schema, 'input') as {
    properties?: Record<string, Json>;
    required?: readonly string[];
  };
  return Object.entries(properties).map(([name, schema]) => ({
    ...(name === FREE_FIELD
      ? { name: `${FREE_FIELD}.{key}`, schema: { type: 'string', description: schema['description'] } }
      : { name, schema }),
    in: 'query',
    ...(required.includes(name) ? { required: true } : {}),
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
    schema: ID,
  };
  const { guard } = route;
  const keepsAnswer = route.kind === 'api' && route.method !== 'GET' && !route.keepsNothing;
  return [
    correlation,
    ...(keepsAnswer ? [idempotency] : []),
    ...(guard.kind === 'permission' && guard.scope !== 'platform' ? [organization] : []),
  ];
}
