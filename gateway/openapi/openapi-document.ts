import { isPermitted, PERMISSIONS, type Permission } from '../../schema/accounts/permissions.ts';
import { ROLES } from '../../schema/accounts/role.ts';
import { isBelowApi, type Route } from '../route.ts';
import { API_PREFIX } from '../router.ts';
import { type Json, jsonSchema, Models } from './json-schema.ts';
import { operationParameters, sharedParameterName } from './operation-parameters.ts';
import { operationResponses, RESPONSE_HEADERS, refusalOfAnyCall, sharedResponseName } from './operation-responses.ts';
import { OPERATION_GROUPS } from './operations.ts';
import { type DocumentParts, SharedParts } from './shared-parts.ts';
import { WEBHOOK_GROUP, webhooksOf } from './webhooks.ts';

const DESCRIPTION =
  'Real-time dispatch for last-mile delivery. A query parameter that a call below /api/v1 does not list is refused with 400. With the setting CORS_ORIGINS, pages of the listed origins may make every call, and OPTIONS answers their preflights.';

const LICENSE = { name: 'Apache-2.0', identifier: 'Apache-2.0' };

/** The kinds of credentials. */
export const SECURITY_SCHEMES = {
  channelKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'The key of a channel' },
  session: { type: 'http', scheme: 'bearer', description: 'The accessToken of POST /auth/login' },
  streamToken: { type: 'apiKey', in: 'query', name: 'token', description: 'Of POST /realtime/token, used once' },
};

/** The credentials of most operations. */
export const KEY_OR_SESSION = [{ channelKey: [] }, { session: [] }];

/** Builds the OpenAPI 3.1 document from the route table and the schemas that validate and serialize. */
export function openApiDocument(routes: readonly Route[], version: string): Json {
  const parts: DocumentParts = {
    models: new Models(),
    parameters: new SharedParts('parameters'),
    responses: new SharedParts('responses'),
  };
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = `${isBelowApi(route) ? API_PREFIX : ''}${route.path.replace(/:(\w+)/g, '{$1}')}`;
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, parts) };
  }
  const webhooks = webhooksOf(parts);
  const responses = { Refusal: refusalOfAnyCall(parts.models), ...parts.responses.toJson() };
  return {
    openapi: '3.1.0',
    info: { title: 'Delivery Task Service', version, description: DESCRIPTION, license: LICENSE },
    // Relative to the document itself: all paths share the part before the prefix.
    servers: [{ url: '/' }],
    tags: [...OPERATION_GROUPS, WEBHOOK_GROUP].map(({ name, text }) => ({ name, description: text })),
    security: KEY_OR_SESSION,
    // The roles that each `x-permission` of an operation is for.
    'x-permissions': rolesByPermission(),
    paths,
    webhooks,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      headers: headersIn([paths, webhooks, responses]),
      parameters: parts.parameters.toJson(),
      responses,
      schemas: parts.models.toJson(),
    },
  };
}

/** The headers that some parts of the document refer to: a document without the pages has no use for some. */
function headersIn(parts: readonly Json[]): Json {
  const text = JSON.stringify(parts);
  return Object.fromEntries(
    Object.entries(RESPONSE_HEADERS).filter(([name]) => text.includes(`"#/components/headers/${name}"`)),
  );
}

function rolesByPermission(): Json {
  const permissions = Object.keys(PERMISSIONS) as Permission[];
  return Object.fromEntries(
    permissions.map((permission) => [permission, ROLES.filter((role) => isPermitted(role, permission))]),
  );
}

function operationOf(route: Route, { models, parameters, responses }: DocumentParts): Json {
  const { operationId, tag } = nameOf(route);
  const ownParameters: Json[] = [];
  parameters.addAll(operationParameters(route), sharedParameterName, ownParameters);
  const ownResponses: Record<string, Json> = {};
  for (const [status, response] of Object.entries(operationResponses(route, models)))
    responses.add(sharedResponseName(route, status), response, (part) => {
      ownResponses[status] = part;
    });
  return {
    operationId,
    tags: [tag],
    summary: route.summary,
    ...accessOf(route),
    parameters: ownParameters,
    ...(route.body ? { requestBody: requestBody(route, models) } : {}),
    responses: ownResponses,
  };
}

/** The name of an operation and the kind of thing that it is about. Throws for a route that no group lists. */
export function nameOf({ method, path }: Route): { readonly operationId: string; readonly tag: string } {
  for (const { name: tag, operations } of OPERATION_GROUPS) {
    const operationId = operations[`${method} ${path}`];
    if (operationId) return { operationId, tag };
  }
  throw new Error(`${method} ${path} has no name in gateway/openapi/operations.ts`);
}

/** The credentials that a route accepts, and the permission or the roles that they need. */
export function accessOf(route: Route): Json {
  const { guard } = route;
  const streamToken = route.kind === 'raw' && route.takesStreamToken;
  switch (guard.kind) {
    case 'operational':
    case 'public':
      return { security: [] };
    case 'session':
      return { security: [{ session: [] }] };
    case 'caller':
      return { 'x-roles': ROLES };
    case 'permission':
      return {
        ...(streamToken ? { security: [...KEY_OR_SESSION, { streamToken: [] }] } : {}),
        'x-permission': guard.permission,
      };
  }
}

function requestBody(route: Route, models: Models): Json {
  const bound = { 'x-max-bytes': route.body!.maxBytes };
  if (route.kind === 'raw') return { required: true, content: { [route.body!.media]: {} }, ...bound };
  const { schema, described = schema, mayBeAbsent } = route.body!;
  const content = { 'application/json': { schema: jsonSchema(described, 'input', models) } };
  return { required: !mayBeAbsent, content, ...bound };
}
