import { pino } from 'pino';
import { systemClock, systemScheduler } from '../../../engine/runtime/clock.ts';
import { startHttpServer } from '../../../gateway/http/http-server.ts';
import type { Dispatch, HttpServer, HttpServerOptions, IncomingRequest, Reply } from '../../../gateway/http/port.ts';

export type Adapter = HttpServerOptions['adapter'];
export const ADAPTERS: readonly Adapter[] = ['uws', 'node'];

export interface Fixture {
  readonly server: HttpServer;
  readonly port: number;
  /** Messages that the layer logged, one JSON line each. */
  readonly logged: string[];
  /** Paths that reached the dispatcher, in order. */
  readonly dispatched: string[];
}

/** Starts a server on a free port, runs `body` against it and closes it in every case. */
export async function withServer(
  options: Partial<HttpServerOptions> & { readonly adapter: Adapter },
  body: (fixture: Fixture) => Promise<void>,
): Promise<void> {
  const fixture = await startFixture(options);
  try {
    await body(fixture);
  } finally {
    fixture.server.close();
  }
}

export async function startFixture(
  options: Partial<HttpServerOptions> & { readonly adapter: Adapter },
): Promise<Fixture> {
  const logged: string[] = [];
  const dispatched: string[] = [];
  const { dispatch = echo, ...rest } = options;
  const server = await startHttpServer({
    host: '127.0.0.1',
    port: 0,
    exclusive: true,
    requireContentLength: false,
    log: pino({}, { write: (line: string) => void logged.push(line) }),
    clock: systemClock,
    scheduler: systemScheduler,
    onUnhandled: () => ({ status: 500, headers: [['content-type', 'text/plain']], body: 'unhandled' }),
    refusal: (_status, reason, request) => ({
      headers: [['content-type', 'text/plain']],
      body: `${reason} ${request.header('x-request-id') ?? '-'}`,
    }),
    ...rest,
    dispatch: (request, reply) => {
      dispatched.push(request.path);
      return dispatch(request, reply);
    },
  });
  return { server, port: server.port, logged, dispatched };
}

const BODY_LIMIT = 1_000_000;

/** Reads the body and tells what was seen of the request. */
export const echo: Dispatch = async (request: IncomingRequest, reply: Reply) => {
  const body = await request.readBody(BODY_LIMIT);
  const seen = {
    method: request.method,
    path: request.path,
    query: request.query,
    remoteAddress: request.remoteAddress,
    body: body.length > 100 ? body.length : body.toString(),
  };
  reply.send(200, [['content-type', 'application/json']], JSON.stringify(seen));
};
