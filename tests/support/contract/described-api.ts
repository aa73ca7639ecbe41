import { type Json, jsonSchema, Models } from '../../../gateway/openapi/json-schema.ts';
import { referenceDocument } from '../../../gateway/openapi/reference-document.ts';
import type { Route } from '../../../gateway/route.ts';
import { createRoutes, type RouteParts } from '../../../gateway/routes.ts';
import { STREAM_MESSAGES } from '../../../schema/stream-views.ts';

/** Routes are made of parts that only their handlers use; none is called here. */
const NO_PARTS: unknown = new Proxy(() => {}, { get: () => NO_PARTS, apply: () => NO_PARTS });

/** Every route of the gateway, for looking at. */
export const ROUTES: readonly Route[] = createRoutes(NO_PARTS as RouteParts);

/** The OpenAPI document of the reference, with every route and text. */
export const DOCUMENT: Json = referenceDocument(ROUTES, '0');

/** The messages of streams that are not in the log, by name. */
export const STREAM_SCHEMAS: Json = Object.fromEntries(
  [...STREAM_MESSAGES].map(([type, schema]) => {
    const models = new Models();
    jsonSchema(schema, 'output', models);
    return [type, Object.values(models.toJson())[0]];
  }),
);
