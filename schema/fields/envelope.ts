import * as v from 'valibot';
import { named } from './named.ts';
import { shownInteger, shownTime } from './shown-fields.ts';

/** The envelope of every JSON success, without its `data`. `duration` is in milliseconds. */
export const successView = named(
  'Success',
  v.object({
    statusIndicator: v.literal('SUCCESS'),
    statusCode: shownInteger,
    message: v.string(),
    metadata: named(
      'ResponseMetadata',
      v.object({
        timestamp: shownTime,
        correlationId: v.string(),
        path: v.string(),
        duration: v.number(),
        position: v.optional(v.string()),
      }),
    ),
  }),
);

/** The body of every refusal that is not a validation error. */
export const plainError = named(
  'Error',
  v.object({
    statusCode: shownInteger,
    message: v.string(),
    error: v.string(),
    code: v.optional(v.string()),
    details: v.optional(v.record(v.string(), v.unknown())),
  }),
);

/** The body of a 400 that lists violations, one entry each. */
export const validationError = named(
  'ValidationError',
  v.object({
    statusCode: v.literal(400),
    message: v.array(v.string()),
    error: v.literal('Bad Request'),
    meta: named('RefusedRequest', v.object({ requestId: v.string(), path: v.string(), method: v.string() })),
  }),
);
