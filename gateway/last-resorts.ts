import type { Log } from '../engine/runtime/log.ts';
import type { RandomSource } from '../engine/runtime/random.ts';
import { errorBody } from '../engine/views/error-body.ts';
import { correlationIdOf } from './correlation.ts';
import type { Header, HttpServerOptions, IncomingRequest, RefusalReason } from './http/port.ts';

const MESSAGES: Readonly<Record<RefusalReason, string>> = {
  lengthRequired: 'A body needs a Content-Length',
  bodyTooLarge: 'The body is too large',
  urlTooLong: 'The URL is too long',
  headersTooLarge: 'The headers are too large',
  deadline: 'The request took too long',
  overload: 'Too much work at the moment; try again',
};

/** Answers that the HTTP layer gives when no handler does, in the API's own words. */
export function lastResorts(random: RandomSource, log: Log): Pick<HttpServerOptions, 'refusal' | 'onUnhandled'> {
  return {
    refusal(status, reason, request) {
      return {
        headers: headersOf(status, correlationIdOf(request, random)),
        body: errorBody(status, MESSAGES[reason]),
      };
    },
    onUnhandled(error: unknown, request: IncomingRequest) {
      const correlationId = correlationIdOf(request, random);
      log.error({ err: error, correlationId, path: request.path }, 'a request was not answered');
      return { status: 500, headers: headersOf(500, correlationId), body: errorBody(500, 'Internal server error') };
    },
  };
}

function headersOf(status: number, correlationId: string): Header[] {
  const headers: Header[] = [
    ['Content-Type', 'application/json; charset=utf-8'],
    ['X-Correlation-Id', correlationId],
  ];
  return status === 503 ? [...headers, ['Retry-After', '1']] : headers;
}
