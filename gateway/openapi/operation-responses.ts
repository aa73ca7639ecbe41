import { envelopeOf } from '../../schema/fields/envelope.ts';
import type { ApiRoute, RawRoute, Route } from '../route.ts';
import { showsEtag, takesIdempotencyKey, takesIfNoneMatch } from './honoured-headers.ts';
import { type Json, jsonSchema } from './json-schema.ts';
import { type Ending, ResponseList } from './response-list.ts';
import { sharedRefusals } from './shared-refusals.ts';

const TEXT = { type: 'string' };

/** Every response header of the document. */
export const RESPONSE_HEADERS: Readonly<Record<string, Json>> = {
  'RateLimit-Policy': { description: 'The bucket: its size `q`, full after `w` seconds', schema: TEXT },
  RateLimit: { description: 'What remains, `r`, and when the bucket is full, in `t` seconds', schema: TEXT },
  'Retry-After': { description: 'Seconds', schema: { type: 'integer', minimum: 0 } },
  ETag: { description: 'Of `data` alone; for If-None-Match and If-Match', schema: TEXT },
  'X-Log-Position': {
    description: 'The place in the event log at which the answer is true; works as Last-Event-ID',
    schema: { type: 'string' },
  },
  'Idempotency-Replayed': { description: 'The first answer under the key, again', schema: { const: 'true' } },
  Location: { description: 'The address', schema: { type: 'string', format: 'uri-reference' } },
};

const LIMITED = ['RateLimit-Policy', 'RateLimit'];

/** Returns the responses of an operation, by status. */
export function operationResponses(route: Route): Record<string, Json> {
  const responses = new ResponseList();
  if (route.kind === 'api') addSuccess(responses, route);
  else addRawAnswers(responses, route);
  for (const { status, reason, body } of sharedRefusals(route)) responses.add(status, refusal(status, reason, body));
  for (const text of route.refusals ?? []) {
    const [status, code = status === '404' ? 'Unknown id' : 'The credential belongs to no caller'] =
      statusAndCode(text);
    responses.add(status, refusal(status, code));
  }
  return responses.toJson(route.guard.kind === 'operational' ? [] : LIMITED);
}

function addSuccess(responses: ResponseList, route: ApiRoute): void {
  const etag = showsEtag(route) ? ['ETag'] : [];
  responses.add(String(route.success.status), {
    reason: 'Success',
    media: 'application/json',
    schema: jsonSchema(envelopeOf(route.success.data)),
    headers: [...etag, ...(takesIdempotencyKey(route) ? ['Idempotency-Replayed'] : [])],
  });
  if (takesIfNoneMatch(route)) responses.add('304', { reason: 'If-None-Match names what it is now', headers: etag });
}

function addRawAnswers(responses: ResponseList, { answers: media, alsoAnswers, leadsOn, carries }: RawRoute): void {
  if (!leadsOn?.always) responses.add('200', { reason: 'OK', media, ...(carries && { headers: carries }) });
  if (leadsOn) responses.add('303', { reason: `Leads ${leadsOn.to}`, headers: ['Location'] });
  for (const [status, reason] of Object.entries(alsoAnswers ?? {})) responses.add(status, { reason, media });
}

/** The page that a route for browsers returns instead of an error body. */
const PAGE = 'A page that says so';

function refusal(status: string, reason: string, body: 'Error' | 'ValidationError' = 'Error'): Ending {
  const headers = status === '429' || status === '503' ? ['Retry-After'] : [];
  if (reason === PAGE) return { reason, media: 'text/html', headers };
  return { reason, media: 'application/json', schema: { $ref: `#/components/schemas/${body}` }, headers };
}

/** Splits `409 TASK_NOT_PAYABLE` into its two parts. The second part may be missing or hold several words. */
function statusAndCode(refusal: string): [status: string, code?: string] {
  const at = refusal.indexOf(' ');
  return at < 0 ? [refusal] : [refusal.slice(0, at), refusal.slice(at + 1)];
}
