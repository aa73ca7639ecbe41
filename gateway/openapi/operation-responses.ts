import type * as v from 'valibot';
import { plainError, successView, validationError } from '../../schema/fields/envelope.ts';
import { findName } from '../../schema/fields/named.ts';
import type { ApiRoute, RawRoute, Route } from '../route.ts';
import { showsEtag, takesIdempotencyKey, takesIfNoneMatch, takesRange } from './honoured-headers.ts';
import { type Json, jsonSchema, type Models } from './json-schema.ts';
import { type Ending, ResponseList } from './response-list.ts';
import { REFUSALS_OF_ANY_CALL, sharedRefusals } from './shared-refusals.ts';

const TEXT = { type: 'string' };

/** Every response header of the document. */
export const RESPONSE_HEADERS: Readonly<Record<string, Json>> = {
  'RateLimit-Policy': {
    description: 'The bucket: its size `q`, full after `w` seconds. On every answer but those of probes',
    schema: TEXT,
  },
  RateLimit: { description: 'What remains, `r`, and when the bucket is full, in `t` seconds', schema: TEXT },
  'Retry-After': { description: 'Seconds', schema: { type: 'integer', minimum: 0 } },
  ETag: {
    description: 'Of `data` alone, or of the file that is the whole answer; for If-None-Match and If-Match',
    schema: TEXT,
  },
  'X-Log-Position': {
    description: 'The place in the event log at which the answer is true; works as Last-Event-ID',
    schema: { type: 'string' },
  },
  'Idempotency-Replayed': { description: 'The first answer under the key, again', schema: { const: 'true' } },
  'Accept-Ranges': { description: 'Range is honoured', schema: { const: 'bytes' } },
  'Content-Range': { description: 'The bytes that are sent, and the size of the whole', schema: TEXT },
  Location: { description: 'The address', schema: { type: 'string', format: 'uri-reference' } },
};

/** Returns the responses of an operation, by status. `default` stands for the refusals that any call may get. */
export function operationResponses(route: Route, models: Models): Record<string, Json> {
  const responses = new ResponseList();
  if (route.kind === 'api') addSuccess(responses, route, models);
  else addRawAnswers(responses, route, models);
  const own = (route.refusals ?? []).map(statusAndCode);
  const statuses = new Set(own.map(([status]) => status));
  const shared = sharedRefusals(route);
  for (const { status, reason, body } of shared)
    if (statuses.has(status)) responses.add(status, refusal(models, status, reason, body));
  for (const [status, code = status === '404' ? 'Unknown id' : 'The credential belongs to no caller'] of own)
    responses.add(status, refusal(models, status, code));
  return {
    ...responses.toJson(),
    ...(shared.length > 0 ? { default: { $ref: '#/components/responses/Refusal' } } : {}),
  };
}

/** The response to which `default` of operations refers. */
export function refusalOfAnyCall(models: Models): Json {
  const bodies = [jsonSchema(plainError, 'output', models), jsonSchema(validationError, 'output', models)];
  const headers = ['RateLimit-Policy', 'RateLimit', 'Retry-After'];
  return {
    description: REFUSALS_OF_ANY_CALL.map(([status, reason]) => `${status}: ${reason}`).join('; '),
    headers: Object.fromEntries(headers.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    content: { 'application/json': { schema: { oneOf: bodies } } },
  };
}

function addSuccess(responses: ResponseList, route: ApiRoute, models: Models): void {
  const etag = showsEtag(route) ? ['ETag'] : [];
  responses.add(String(route.success.status), {
    reason: 'Success',
    media: 'application/json',
    schema: answerOf(route.success.data, models),
    headers: [...etag, ...(takesIdempotencyKey(route) ? ['Idempotency-Replayed'] : [])],
  });
  addNotModified(responses, route);
}

function addNotModified(responses: ResponseList, route: Route): void {
  if (takesIfNoneMatch(route))
    responses.add('304', { reason: 'If-None-Match names what it is now', headers: ['ETag'] });
}

function addRawAnswers(responses: ResponseList, route: RawRoute, models: Models): void {
  const { answers, data, alsoAnswers = {}, leadsOn, carries = [] } = route;
  const headers = [...carries, ...(showsEtag(route) ? ['ETag'] : []), ...(takesRange(route) ? ['Accept-Ranges'] : [])];
  const schema = data && { schema: jsonSchema(data, 'output', models) };
  for (const media of [answers].flat()) {
    if (!leadsOn?.always) responses.add('200', { reason: 'OK', media, ...schema, headers });
    for (const [status, reason] of Object.entries(alsoAnswers)) responses.add(status, { reason, media, ...schema });
    if (takesRange(route)) responses.add('206', { reason: 'The range', media, headers: [...headers, 'Content-Range'] });
  }
  if (takesRange(route))
    responses.add('416', { ...refusal(models, '416', 'No range that can be sent'), headers: ['Content-Range'] });
  if (leadsOn) responses.add('303', { reason: `Leads ${leadsOn.to}`, headers: ['Location'] });
  addNotModified(responses, route);
}

const ERROR_BODIES = { Error: plainError, ValidationError: validationError };

/** The whole answer around some data, named after it. All share the description of their envelope. */
function answerOf(data: v.GenericSchema, models: Models): Json {
  const name = findName(data);
  if (!name) throw new Error('The data of an answer need a name');
  const own = { type: 'object', properties: { data: jsonSchema(data, 'output', models) }, required: ['data'] };
  return models.add(`${name}Response`, { allOf: [jsonSchema(successView, 'output', models), own] });
}

/** The page that a route for browsers returns instead of an error body. */
const PAGE = 'A page that says so';

function refusal(models: Models, status: string, reason: string, body: 'Error' | 'ValidationError' = 'Error'): Ending {
  const headers = status === '429' || status === '503' ? ['Retry-After'] : [];
  if (reason === PAGE) return { reason, media: 'text/html', headers };
  return { reason, media: 'application/json', schema: jsonSchema(ERROR_BODIES[body], 'output', models), headers };
}

/** Splits `409 TASK_NOT_PAYABLE` into its two parts. The second part may be missing or hold several words. */
function statusAndCode(refusal: string): [status: string, code?: string] {
  const at = refusal.indexOf(' ');
  return at < 0 ? [refusal] : [refusal.slice(0, at), refusal.slice(at + 1)];
}

/** The name of a response that several operations share: `TaskResponse` of a success, `Error409` of a refusal. */
export function sharedResponseName(route: Route, status: string): string {
  if (status.startsWith('2')) return route.kind === 'api' ? `${findName(route.success.data)}Response` : 'Answer';
  return Number(status) < 400 ? `Status${status}` : `Error${status}`;
}
