import { IDEMPOTENCY_KEY_SHOWN } from '../../schema/fields/idempotency-key.ts';
import { integerShown } from '../../schema/fields/shown-as.ts';
import { FREE_FIELD, FREE_FIELD_PREFIX } from '../request/query-names.ts';
import type { QuerySchema, Route } from '../route.ts';
import {
  takesIdempotencyKey,
  takesIfMatch,
  takesIfNoneMatch,
  takesLastEventId,
  takesOrganization,
  takesRange,
} from './honoured-headers.ts';
import { type Json, jsonSchema } from './json-schema.ts';

const ID = integerShown(1, Number.MAX_SAFE_INTEGER);
const ID_OR_ME = { anyOf: [ID, { const: 'me' }] };

/** Lists the parameters of an operation: all of a request except its body. */
export function operationParameters(route: Route): Json[] {
  return [...pathParameters(route), ...queryParameters(route.query), ...headerParameters(route)];
}

function pathParameters(route: Route): Json[] {
  const names = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name);
  const schema = route.kind === 'api' && route.me ? ID_OR_ME : ID;
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
      ? { name: `${FREE_FIELD_PREFIX}{key}`, schema: { type: 'string', description: schema['description'] } }
      : { name, schema }),
    in: 'query',
    ...(required.includes(name) ? { required: true } : {}),
    ...(query.lists.has(name)
      ? { style: 'form', explode: false, description: 'A comma list or repeats: any of them' }
      : {}),
  }));
}

const TAGS = 'Entity tags with commas between them, or `*`';

/** The parameters of headers, each with a test whether a route uses it. */
const HEADERS: readonly (readonly [goesBy: (route: Route) => boolean, header: Json])[] = [
  [() => true, { name: 'X-Correlation-Id', schema: { type: 'string', format: 'uuid' } }],
  [
    takesIdempotencyKey,
    {
      name: 'Idempotency-Key',
      description: 'The same request sent again under the same key gets the first answer again, for 24 hours',
      schema: IDEMPOTENCY_KEY_SHOWN,
    },
  ],
  [takesIfMatch, { name: 'If-Match', description: `${TAGS}: else 412`, schema: { type: 'string' } }],
  [takesIfNoneMatch, { name: 'If-None-Match', description: `${TAGS}: else 200`, schema: { type: 'string' } }],
  [takesRange, { name: 'Range', description: 'One range of bytes: `bytes=0-16383`', schema: { type: 'string' } }],
  [
    takesRange,
    { name: 'If-Range', description: 'An entity tag: Range counts while it is that', schema: { type: 'string' } },
  ],
  [
    takesLastEventId,
    {
      name: 'Last-Event-ID',
      description: 'The id of the last event that arrived: the stream goes on after it. It goes before `lastEventId`',
      schema: { type: 'string' },
    },
  ],
  [
    takesOrganization,
    {
      name: 'X-Organization-Id',
      description: 'For super admins, who have to name the organization; ignored from anyone else',
      schema: ID,
    },
  ],
];

function headerParameters(route: Route): Json[] {
  return HEADERS.filter(([goesBy]) => goesBy(route)).map(([, { name, ...header }]) => ({
    name,
    in: 'header',
    ...header,
  }));
}

/** The name of a parameter that several operations share: `If-Match` → `IfMatch`. */
export function sharedParameterName({ name, schema }: Json): string {
  const words = (name as string).split(/[^A-Za-z0-9]+/).map((word) => word.slice(0, 1).toUpperCase() + word.slice(1));
  return `${words.join('')}${schema === ID_OR_ME ? 'OrMe' : ''}`;
}
