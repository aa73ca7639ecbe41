import type * as v from 'valibot';
import { WEBHOOK_EVENTS } from '../../schema/event-views.ts';
import { type Json, jsonSchema, type Models } from './json-schema.ts';
import { sharedParameterName } from './operation-parameters.ts';
import type { DocumentParts } from './shared-parts.ts';

/** The group of the requests that the service sends itself. */
export const WEBHOOK_GROUP = {
  name: 'Webhook events',
  text: 'Requests to the endpoints of webhooks, one per event. Check the signature before you believe the body.',
};

/** The headers of each request. */
export const WEBHOOK_HEADERS: readonly Json[] = [
  ['webhook-id', 'The id of the event, the same in each attempt'],
  ['webhook-timestamp', 'Seconds since 1970, of this attempt'],
  ['webhook-signature', '`v1,` and a signature by Standard Webhooks; after a rotation two, with a space between them'],
].map(([name, description]) => ({ name, in: 'header', required: true, description, schema: { type: 'string' } }));

/** The answers that an endpoint gives, by status, each with its name. */
export const WEBHOOK_RESPONSES = [
  ['2XX', 'Received', 'Received. Anything else is sent again later; redirects are not followed'],
  ['410', 'Gone', 'Gone: the webhook is disabled'],
] as const;

/** The requests that webhooks receive, by type of event. */
export function webhooksOf({ models, parameters, responses }: DocumentParts): Json {
  return Object.fromEntries(
    [...WEBHOOK_EVENTS].map(([type, schema]) => {
      const headers: Json[] = [];
      parameters.addAll(WEBHOOK_HEADERS, sharedParameterName, headers);
      const answers: Record<string, Json> = {};
      for (const [status, name, description] of WEBHOOK_RESPONSES)
        responses.add(name, { description }, (part) => {
          answers[status] = part;
        });
      return [type, { post: { ...requestOf(type, schema, models), parameters: headers, responses: answers } }];
    }),
  );
}

function requestOf(type: string, schema: v.GenericSchema, models: Models): Json {
  const words = type.split(/[._]/).map((word) => word.slice(0, 1).toUpperCase() + word.slice(1));
  return {
    operationId: `on${words.join('')}`,
    tags: [WEBHOOK_GROUP.name],
    summary: type,
    security: [],
    requestBody: { required: true, content: { 'application/json': { schema: jsonSchema(schema, 'output', models) } } },
  };
}
