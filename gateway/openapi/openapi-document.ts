import { isPermitted } from '../../schema/accounts/permissions.ts';
import { ROLES } from '../../schema/accounts/role.ts';
import { plainError, validationError } from '../../schema/fields/envelope.ts';
import { isBelowApi, type Route } from '../route.ts';
import { API_PREFIX } from '../router.ts';
import { type Json, jsonSchema } from './json-schema.ts';
import { operationParameters } from './operation-parameters.ts';
import { operationResponses, RESPONSE_HEADERS } from './operation-responses.ts';

const DESCRIPTION =
  'Real-time dispatch for last-mile delivery. A query parameter that a call below /api/v1 does not list is refused with 400.';

/** Builds the OpenAPI 3.1 document from the route table and the schemas that validate and serialize. */
export function openApiDocument(routes: readonly Route[], version: string): Json {
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = `${isBelowApi(route) ? API_PREFIX : ''}${route.path.replace(/:(\w+)/g, '{$1}')}`;
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Delivery Task Service', version, description: DESCRIPTION },
    // Relative to the document itself: all paths share the part before the prefix.
    servers: [{ url: '/' }],
    paths,
    components: {
      securitySchemes: {
        channelKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
        session: { type: 'http', scheme: 'bearer', description: 'The accessToken of POST /auth/login' },
        streamToken: { type: 'apiKey', in: 'query', name: 'token', description: 'Of POST /realtime/token, used once' },
      },
      headers: RESPONSE_HEADERS,
      schemas: { Error: jsonSchema(plainError), ValidationError: jsonSchema(validationError) },
    },
  };
}

function operationOf(route: Route): Json {
  return {
    operationId: operationId(route),
    summary: route.summary,
    ...accessOf(route),
    parameters: operationParameters(route),
    ...(route.body ? { requestBody: requestBody(route) } : {}),
    responses: operationResponses(route),
  };
}

/** Names an operation after its route, so that the name is stable: `GET /tasks/:id/proof` → `getTasksByIdProof`. */
function operationId({ method, path }: Route): string {
  const words = path.replaceAll(':', '/by/').split(/[^A-Za-z0-9]+/);
  return method.toLowerCase() + words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join('');
}

/** The credentials that a route accepts, and the roles that they need. */
function accessOf(route: Route): Json {
  const { guard } = route;
  const streamToken = route.kind === 'raw' && route.takesStreamToken ? [{ streamToken: [] }] : [];
  switch (guard.kind) {
    case 'operational':
    case 'public':
      return { security: [] };
    case 'session':
      return { security: [{ session: [] }] };
    case 'caller':
      return { security: [{ channelKey: [] }, { session: [] }], 'x-roles': ROLES };
    case 'permission':
      return {
        security: [{ channelKey: [] }, { session: [] }, ...streamToken],
        'x-permission': guard.permission,
        'x-roles': ROLES.filter((role) => isPermitted(role, guard.permission)),
      };
  }
}

function requestBody(route: Route): Json {
  if (route.kind === 'raw') return { required: true, content: { [route.body!.media]: {} } };
  const { schema, described = schema, mayBeAbsent } = route.body!;
  return { required: !mayBeAbsent, content: { 'application/json': { schema: jsonSchema(described, 'input') } } };
}
