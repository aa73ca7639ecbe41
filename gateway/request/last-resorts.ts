import type { Log } from '../../engine/runtime/log.ts';
import type { RandomSource } from '../../engine/runtime/random.ts';
import { errorBody } from '../../engine/views/parts/error-body.ts';
import type { ErrorCode } from '../../schema/errors.ts';
import type { Access } from '../guards/open-access.ts';
import type { Header, HttpServerOptions, IncomingRequest, RefusalReason } from '../http/port.ts';
import { canonicalPath } from '../router.ts';
import { correlationIdOf } from './correlation.ts';
import type { RequestMetrics } from './request-metrics.ts';

const MESSAGES: Readonly<Record<RefusalReason, string>> = {
  lengthRequired: 'A body needs a Content-Length',
  bodyTooLarge: 'The body is too large',
  urlTooLong: 'The URL is too long',
  headersTooLarge: 'The headers are too large',
  deadline: 'The request took too long',
  overload: 'Too much work at the moment; try again',
};

/** The detail of a 503. A request that ran out of time may still be executed, unless it only reads. */
function codeOf(reason: RefusalReason, method: string): { readonly code: ErrorCode } | undefined {
  if (reason === 'overload') return { code: 'OVERLOADED' };
  if (reason !== 'deadline') return undefined;
  return { code: method === 'GET' || method === 'HEAD' ? 'UNAVAILABLE' : 'OUTCOME_UNKNOWN' };
}

const RETRY_SOON: Header = ['Retry-After', '1'];

/** Builds the answers that the HTTP layer gives when no handler answers. */
export function lastResorts(
  random: RandomSource,
  log: Log,
  { quotas, addressOf }: Pick<Access, 'quotas' | 'addressOf'>,
  metrics: Pick<RequestMetrics, 'refused'>,
): Pick<HttpServerOptions, 'refusal' | 'onUnhandled'> {
  const headersOf = (status: number, correlationId: string, request: IncomingRequest): Header[] => [
    ['Content-Type', 'application/json; charset=utf-8'],
    ['X-Correlation-Id', correlationId],
    ...quotas.drawAddress(addressOf(request)).headers,
    ...(status === 503 ? [RETRY_SOON] : []),
  ];
  return {
    refusal(status, reason, request) {
      metrics.refused(reason);
      return {
        headers: headersOf(status, correlationIdOf(request, random), request),
        body: errorBody(status, MESSAGES[reason], codeOf(reason, request.method)),
      };
    },
    onUnhandled(error: unknown, request: IncomingRequest) {
      const correlationId = correlationIdOf(request, random);
      log.error({ err: error, correlationId, path: canonicalPath(request.path, '') }, 'a request was not answered');
      return {
        status: 500,
        headers: headersOf(500, correlationId, request),
        body: errorBody(500, 'Internal server error'),
      };
    },
  };
}
