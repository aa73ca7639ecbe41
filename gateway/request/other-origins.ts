import { ANY_ORIGIN } from '../../schema/fields/origins.ts';
import type { Header, Headers, IncomingRequest } from '../http/port.ts';

/** The request headers that the API knows, besides those that a browser may always send. */
const REQUEST_HEADERS = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'Last-Event-ID',
  'X-API-Key',
  'X-Correlation-Id',
  'X-Organization-Id',
];
/** The headers of answers that a page may read, besides those that it may always read. */
const EXPOSED_HEADERS = [
  'ETag',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'Idempotency-Replayed',
  'X-Correlation-Id',
  'X-Log-Position',
];

const EXPOSED: Header = ['Access-Control-Expose-Headers', EXPOSED_HEADERS.join(', ')];
const ALLOWED_HEADERS: Header = ['Access-Control-Allow-Headers', REQUEST_HEADERS.join(', ')];
const MAX_AGE: Header = ['Access-Control-Max-Age', '600'];
/** A cache must not give the answer for one origin to a page of another one. */
const VARIES: Header = ['Vary', 'Origin'];
const NOT_LISTED: Headers = [VARIES];

/**
 * Which pages of other origins may read the answers (CORS). There are no cookies, so credentials are never allowed.
 * Source: docs/contract.md §1 "Other origins".
 */
export interface OtherOrigins {
  /** The headers of every answer to the request, made once for each origin. */
  readonly headersFor: (request: IncomingRequest) => Headers;
  /** The further headers of an answer to OPTIONS on a path with these methods. */
  readonly headersOfOptions: (request: IncomingRequest, methods: string) => Headers;
}

/** Undefined without origins: then no answer has any of these headers. */
export function createOtherOrigins(origins: readonly string[]): OtherOrigins | undefined {
  if (origins.length === 0) return undefined;
  const headersByOrigin = new Map(origins.map((origin) => [origin, allowing(origin)]));
  const ofAll = headersByOrigin.get(ANY_ORIGIN);
  const find = (request: IncomingRequest) => ofAll ?? headersByOrigin.get(request.header('origin') ?? '');
  return {
    headersFor: (request) => find(request) ?? NOT_LISTED,
    headersOfOptions: (request, methods) =>
      find(request) ? [['Access-Control-Allow-Methods', methods], ALLOWED_HEADERS, MAX_AGE] : [],
  };
}

function allowing(origin: string): Headers {
  return [['Access-Control-Allow-Origin', origin], EXPOSED, VARIES];
}
