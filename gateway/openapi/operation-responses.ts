import { envelopeOf } from '../../schema/envelope.ts';
import type { ApiRoute, Guard, RawRoute, Route } from '../route.ts';
import { type Json, jsonSchema } from './json-schema.ts';

/** What the route may answer, by status. */
export function operationResponses(route: Route): Record<string, Json> {
  const responses = route.kind === 'api' ? responsesOf(route) : rawResponsesOf(route);
  return route.guard.kind === 'operational' ? responses : withRateLimit(responses);
}

export const RATE_LIMIT_HEADERS: Record<string, Json> = {
  'RateLimit-Policy': { description: 'The bucket: its size `q`, full after `w` seconds', schema: { type: 'string' } },
  RateLimit: {
    description: 'What remains, `r`, and when the bucket is full, in `t` seconds',
    schema: { type: 'string' },
  },
};

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
