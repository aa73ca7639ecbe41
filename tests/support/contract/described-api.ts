import { asyncApiDocument } from '../../../gateway/asyncapi/asyncapi-document.ts';
import type { Json } from '../../../gateway/openapi/json-schema.ts';
import { isForClients, referenceDocument } from '../../../gateway/openapi/reference-document.ts';
import type { Route } from '../../../gateway/route.ts';
import { createRoutes, type RouteParts } from '../../../gateway/routes.ts';
import { onceInRun } from '../runner/once-in-run.ts';

/** Routes are made of parts that only their handlers use; none is called here. */
const NO_PARTS: unknown = new Proxy(() => {}, { get: () => NO_PARTS, apply: () => NO_PARTS });

/** Every route of the gateway, for looking at. */
export const ROUTES: readonly Route[] = createRoutes(NO_PARTS as RouteParts);

/** To make both documents takes a process more than a second. */
const documents = JSON.parse(
  onceInRun('documents.json', () =>
    JSON.stringify({
      reference: referenceDocument(ROUTES, '0'),
      streams: asyncApiDocument(ROUTES.filter(isForClients), '0'),
    }),
  ),
) as { readonly reference: Json; readonly streams: Json };

/** The OpenAPI document of the reference, with every route and text. */
export const DOCUMENT: Json = documents.reference;

/** The AsyncAPI document. */
export const STREAM_DOCUMENT: Json = documents.streams;
