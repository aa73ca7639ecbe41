import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { CommitHints } from '../engine/bus/commit-hints.ts';
import { type Engine, type EngineOptions, startEngine } from '../engine/org/start-engine.ts';
import { systemClock, systemScheduler } from '../engine/runtime/clock.ts';
import { type Config, requireUrl } from '../engine/runtime/config.ts';
import type { Releaser } from '../engine/runtime/lifecycle.ts';
import type { Log } from '../engine/runtime/log.ts';
import { createRandomSource, type RandomSource } from '../engine/runtime/random.ts';
import { createCredentialStore } from '../engine/store/credential-store.ts';
import { connectPostgres } from '../engine/store/postgres.ts';
import { connectRedis, isRedisReachable } from '../engine/store/redis.ts';
import { redisKeys } from '../engine/store/redis-keys.ts';
import { LIMITS } from '../schema/limits.ts';
import { correlationIdOf } from './correlation.ts';
import { createAuthenticator } from './guards/authenticate.ts';
import { CredentialCache } from './guards/credential-cache.ts';
import { createTransportGuard } from './guards/transport-guard.ts';
import { RequestHandler } from './handle-request.ts';
import { startHttpServer } from './http/http-server.ts';
import type { IncomingRequest } from './http/port.ts';
import { openApiDocument } from './openapi.ts';
import { RequestMetrics } from './request-metrics.ts';
import type { Route } from './route.ts';
import { Router } from './router.ts';
import { eventRoutes } from './routes/event-routes.ts';
import { operationalRoutes } from './routes/operational-routes.ts';
import { streamRoutes } from './routes/stream-routes.ts';
import { taskRoutes } from './routes/task-routes.ts';
import { StreamHub } from './sse/stream-hub.ts';
import { errorBody } from './views/bodies.ts';

export interface GatewayOptions {
  readonly config: Config;
  readonly log: Log;
  readonly releaser: Releaser;
  /** See EngineOptions. */
  readonly wrapCommitStore?: EngineOptions['wrapCommitStore'];
}

export interface Gateway {
  readonly port: number;
  readonly engine: Engine;
}

const API_VERSION = '0.1.0';
const DRAIN_MS = 8_000;
const PROBE_MS = 1_000;

/**
 * Puts a gateway together, in the order in which things start; the releaser stops them in the opposite one. Stopping
 * first turns readiness off and sends streams elsewhere, then finishes what is pending, then gives the shards up.
 */
export async function startGateway({ config, log, releaser, wrapCommitStore }: GatewayOptions): Promise<Gateway> {
  const clock = systemClock;
  const scheduler = systemScheduler;
  const random = createRandomSource();
  const databaseUrl = requireUrl('DATABASE_URL', config.databaseUrl);

  const redis = connectRedis(requireUrl('REDIS_URL', config.redisUrl), log);
  releaser.push('redis', () => redis.disconnect());

  const hints = new CommitHints(scheduler, (organizationIds) => {
    const { committed } = redisKeys(config.redisPrefix, engine.history);
    redis.publish(committed, organizationIds.join(',')).catch(() => {
      // The relay compares positions by itself; the connection's own error event has told of the failure.
    });
  });
  const engine: Engine = await startEngine({
    databaseUrl, clock, scheduler, random, log, releaser,
    gatewayId: config.gatewayId,
    address: `${config.host}:${config.port}`,
    leaseMs: config.leaseMs,
    allowVolatilePostgres: config.allowVolatilePostgres,
    faultPoint: config.faultPoint,
    onCommitted: (organizationId) => hints.announce(organizationId),
    ...(wrapCommitStore ? { wrapCommitStore } : {}),
  });

  const credentialConnection = connectPostgres(databaseUrl, {
    name: 'dispatch credentials', connections: 2, statementTimeoutMs: LIMITS.fetchDeadlineMs,
  });
  releaser.push('credential connection', () => credentialConnection.end({ timeout: 2 }));
  const credentials = new CredentialCache(createCredentialStore(credentialConnection), clock, scheduler, log);
  releaser.push('credential cache', () => credentials.stop());

  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const hub = new StreamHub(engine.feed, scheduler, log);
  let draining = false;
  const routes: Route[] = [
    ...taskRoutes(engine, clock),
    ...eventRoutes(engine),
    ...streamRoutes(hub),
    ...operationalRoutes({
      engine, registry,
      isDraining: () => draining,
      isRedisReachable: () => isRedisReachable(redis, PROBE_MS),
      openApi: () => openApi,
    }),
  ];
  const openApi = JSON.stringify(openApiDocument(routes, API_VERSION));
  const handler = new RequestHandler({
    router: new Router(routes),
    isSecure: createTransportGuard({
      servesTls: config.tlsCertFile !== undefined,
      allowInsecureHttp: config.allowInsecureHttp,
      trustedProxies: config.trustedProxies,
    }),
    authenticate: createAuthenticator(credentials),
    metrics: new RequestMetrics(registry),
    clock, random, log,
  });

  const server = await startHttpServer({
    host: config.host,
    port: config.port,
    exclusive: !config.sharedPort,
    adapter: config.httpAdapter,
    requireContentLength: config.requireContentLength,
    ...(config.tlsCertFile && config.tlsKeyFile ? { tls: { certFile: config.tlsCertFile, keyFile: config.tlsKeyFile } } : {}),
    log, clock, scheduler,
    dispatch: handler.handle,
    ...lastResorts(random, log),
  });
  releaser.push('http server', async () => {
    draining = true;
    server.stopListening();
    hub.stop();
    await server.drain(DRAIN_MS);
    server.close();
  });
  observe(registry, engine, hub, server);
  return { port: server.port, engine };
}

/** Answers that the HTTP layer gives when no handler does, in the API's own words. */
function lastResorts(random: RandomSource, log: Log) {
  const headersOf = (request: IncomingRequest, status: number) => {
    const correlationId = correlationIdOf(request, random);
    const retry = status === 503 ? ([['Retry-After', '1']] as const) : [];
    return {
      correlationId,
      headers: [['Content-Type', 'application/json; charset=utf-8'], ['X-Correlation-Id', correlationId], ...retry] as const,
    };
  };
  return {
    refusal: (status: number, reason: string, request: IncomingRequest) => ({
      headers: headersOf(request, status).headers,
      body: errorBody(status, REFUSAL_MESSAGES[reason] ?? reason),
    }),
    onUnhandled: (error: unknown, request: IncomingRequest) => {
      const { correlationId, headers } = headersOf(request, 500);
      log.error({ err: error, correlationId, path: request.path }, 'a request was not answered');
      return { status: 500, headers, body: errorBody(500, 'Internal server error') };
    },
  };
}

const REFUSAL_MESSAGES: Readonly<Record<string, string>> = {
  lengthRequired: 'A body needs a Content-Length',
  bodyTooLarge: 'The body is too large',
  urlTooLong: 'The URL is too long',
  headersTooLarge: 'The headers are too large',
  deadline: 'The request took too long',
  overload: 'Too much work at the moment; try again',
};

function observe(registry: Registry, engine: Engine, hub: StreamHub, server: { readonly pending: number }): void {
  const gauge = (name: string, help: string, value: () => number) =>
    new Gauge({
      name, help,
      registers: [registry],
      collect() {
        this.set(value());
      },
    });
  gauge('dispatch_commit_groups_total', 'Groups sent to Postgres', () => engine.groupCommit.groups);
  gauge('dispatch_live_actors', 'Organizations in memory', () => engine.directory.liveActors);
  gauge('dispatch_shards_owned', 'Shards that this process may write', () => engine.ownership.ownedCount);
  gauge('dispatch_streams', 'Open event streams', () => hub.size);
  gauge('dispatch_pending_requests', 'Requests without an answer yet', () => server.pending);
}
