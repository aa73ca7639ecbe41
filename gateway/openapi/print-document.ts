import { API_VERSION } from '../../schema/version.ts';
import { createRoutes, type RouteParts } from '../routes.ts';
import { referenceDocument } from './reference-document.ts';

/**
 * A program that prints the document of the reference, without a gateway: the routes are declared with a stand-in for
 * the parts that their handlers use.
 */

/** Has every property and answers every call, always with itself. */
const standIn: unknown = new Proxy(() => {}, {
  get: (_, name) => (name === Symbol.toPrimitive ? () => '' : standIn),
  apply: () => standIn,
});

process.stdout.write(JSON.stringify(referenceDocument(createRoutes(standIn as RouteParts), API_VERSION)));
