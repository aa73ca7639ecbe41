import { getHeapStatistics } from 'node:v8';
import { CommitHints } from '../engine/bus/commit-hints.ts';
import { type Engine, type EngineOptions, openEngine } from '../engine/org/start-engine.ts';
import { boundsOfHeap } from '../engine/org/state/memory-bounds.ts';
import { createRoundPositions } from '../engine/planning/round-positions.ts';
import { systemClock, systemScheduler } from '../engine/runtime/clock.ts';
import { type Config, ConfigError, publicUrlOf, requireUrl } from '../engine/runtime/config.ts';
import type { Releaser } from '../engine/runtime/lifecycle.ts';
import type { Log } from '../engine/runtime/log.ts';
import { MetricSet } from '../engine/runtime/metrics/metric-set.ts';
import { createMetricsAccess } from '../engine/runtime/metrics/metrics-access.ts';
import { createRandomSource } from '../engine/runtime/random.ts';
import { createPositionStore, type PositionStore } from '../engine/store/positions/position-store.ts';
import { connectRedis, isRedisReachable, type Redis } from '../engine/store/redis.ts';
import { redisKeys } from '../engine/store/redis-keys.ts';
import { createTravelTimes, type TravelTimes } from '../engine/travel/travel-times.ts';
import { API_VERSION } from '../schema/version.ts';
import { openAccounts } from './accounts/open-accounts.ts';
import { openAdministration } from './administration/open-administration.ts';
import { asyncApiDocument } from './asyncapi/asyncapi-document.ts';
import { type CommandListener, startCommandListener } from './command-listener.ts';
import type { MapGround } from './console-files/console-routes.ts';
import { checkMapFile } from './console-files/map-file.ts';
import { type Access, openAccess } from './guards/open-access.ts';
import { startHttpServer } from './http/http-server.ts';
import { ListenError } from './http/port.ts';
import { checkTlsFiles } from './http/tls-files.ts';
import { openEventBus } from './open-event-bus.ts';
import { openApiDocument } from './openapi/openapi-document.ts';
import { isForClients, referenceDocument } from './openapi/reference-document.ts';
import type { Descriptions } from './operations/description-routes.ts';
import { observeProcess } from './operations/process-metrics.ts';
import { openPayments } from './payments/open-payments.ts';
import { openPreview } from './preview/open-preview.ts';
import { openListTurns, openLogTurns, openReads, RECORD_READS, type Reads } from './reads.ts';
import { RequestHandler } from './request/handle-request.ts';
import { lastResorts } from './request/last-resorts.ts';
import { createOtherOrigins } from './request/other-origins.ts';
import { RequestMetrics } from './request/request-metrics.ts';
import type { Route } from './route.ts';
import { Router } from './router.ts';
import { createRoutes } from './routes.ts';
import { LastingReplies } from './sse/lasting-replies.ts';
import { StreamHub } from './sse/stream-hub.ts';
import { openTracking } from './tracking/open-tracking.ts';
import { TrackingStreams } from './tracking/tracking-streams.ts';

export interface GatewayOptions {
  readonly config: Config;
  readonly log: Log;
  readonly releaser: Releaser;
  /** See EngineOptions. */
  readonly onSuperseded?: EngineOptions['onSuperseded'];
  readonly wrapCommitStore?: EngineOptions['wrapCommitStore'];
  /** Lets a bench replace the guards. */
  readonly wrapAccess?: (access: Access) => Access;
}

export interface Gateway {
  readonly port: number;
  readonly engine: Engine;
}

const DRAIN_MS = 8_000;
const PROBE_MS = 1_000;

const clock = systemClock;
const scheduler = systemScheduler;

function descriptionsOf(routes: () => readonly Route[]): Descriptions {
  return {
    openApi: () => JSON.stringify(openApiDocument(routes().filter(isForClients), API_VERSION)),
    asyncApi: () => JSON.stringify(asyncApiDocument(routes().filter(isForClients), API_VERSION)),
    reference: () => JSON.stringify(referenceDocument(routes(), API_VERSION)),
  };
}

/**
 * Starts a gateway part by part; the releaser stops the parts in reverse order. Stopping first turns readiness off and
 * ends the streams, then finishes the pending requests, then releases the shards.
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { config, log, releaser } = options;
  const mapGround = await checkFiles(options);
  const redis = connectRedis(requireUrl('REDIS_URL', config.redisUrl), log);
  releaser.push('redis', () => redis.disconnect());
  const { engine, announce, travel } = await openGatewayEngine(options, redis);
  const guards = openAccess(options, engine, redis);
  const access = options.wrapAccess?.(guards) ?? guards;
  const accounts = openAccounts(options, access);
  const metrics = new MetricSet();
  const replies = new LastingReplies({ access, clock, scheduler });
  const { feed, positions } = engine;
  const kept = positionStoreOf(options, redis, engine.history);
  const held = async (organizationId: number) => heldPositions(engine, organizationId);
  const preview = openPreview({ ...options, travel, positions: createRoundPositions({ kept, held, clock, log }) });
  const payments = await openPayments({ ...options, port: () => server.port }, engine);
  const { heartbeatMs } = config;
  const random = createRandomSource();
  const hub = new StreamHub({ feed, positions, replies, clock, scheduler, random, log, heartbeatMs });
  const tracking = openTracking(options, engine);
  const trackingStreams = new TrackingStreams({ tracking, feed, replies, clock, scheduler, log, heartbeatMs });

  let draining = false;
  const routes = createRoutes({
    engine,
    reads: openRecordReads(options),
    clock,
    replies,
    hub,
    access,
    accounts,
    administration: openAdministration(options, engine, access, accounts.hasher, announce),
    preview,
    payments,
    tracking,
    trackingStreams,
    publicUrl: () => publicUrlOf(config, server.port),
    mapGround,
    operational: {
      engine,
      metrics,
      mayReadMetrics: createMetricsAccess(config.metricsToken),
      isDraining: () => draining,
      isRedisReachable: () => isRedisReachable(redis, PROBE_MS),
    },
    descriptions: descriptionsOf(() => routes),
  });
  // Take the port before the shards: a second start by mistake then fails here and takes nothing from the first.
  const server = await naming('HOST, PORT', listen(options, access, routes, metrics));
  releaser.push('http server', () => server.close());
  const commands = await naming('INTERNAL_HOST, INTERNAL_PORT', listenForCommands(options, engine));
  releaser.push('command listener', () => commands.close());
  await engine.start(commands.address);
  await access.start();
  releaser.push('requests and streams', async () => {
    draining = true;
    server.stopListening();
    hub.stop();
    trackingStreams.stop();
    await Promise.all([server.drain(DRAIN_MS), commands.drain(DRAIN_MS)]);
  });
  observeProcess(metrics, engine, {
    openStreams: () => hub.size + trackingStreams.size,
    streams: hub.counts,
    pendingRequests: () => server.pending,
    callbacks: payments.callbackCounts,
    travel: travel.counts,
  });
  return { port: server.port, engine };
}

/** `announce` notifies other processes that an organization has new work. */
async function openGatewayEngine(
  options: GatewayOptions,
  redis: Redis,
): Promise<{
  readonly engine: Engine;
  readonly announce: (organizationId: number) => void;
  readonly travel: TravelTimes;
}> {
  const { config, log, releaser, wrapCommitStore, onSuperseded } = options;
  const hints = new CommitHints(scheduler, (kind, organizationIds) => {
    const keys = redisKeys(config.redisPrefix, engine.history);
    redis.publish(keys[kind], organizationIds.join(',')).catch(() => {
      // The workers also poll, and the connection's own error event has logged the failure.
    });
  });
  const travel = createTravelTimes({ engine: config.routing, clock, scheduler, log });
  releaser.push('travel times', () => travel.stop());
  const engine: Engine = await openEngine({
    databaseUrl: requireUrl('DATABASE_URL', config.databaseUrl),
    clock,
    scheduler,
    random: createRandomSource(),
    log,
    releaser,
    gatewayId: config.gatewayId,
    leaseMs: config.leaseMs,
    memory: boundsOfHeap(getHeapStatistics().heap_size_limit),
    allowVolatilePostgres: config.allowVolatilePostgres,
    faultPoint: config.faultPoint,
    secretsKeys: config.secretsKeys,
    openPositionStore: (history) => positionStoreOf(options, redis, history),
    travel,
    listsInTurn: openListTurns(scheduler),
    logInTurn: openLogTurns(scheduler),
    openEventBus: (history) => openEventBus(options, redis, history),
    onCommitted: (organizationId, kinds) => hints.announce(organizationId, kinds),
    ...(onSuperseded ? { onSuperseded } : {}),
    ...(wrapCommitStore ? { wrapCommitStore } : {}),
  });
  return { engine, travel, announce: (organizationId) => hints.announce(organizationId, ['committed']) };
}

function openRecordReads({ config, releaser }: GatewayOptions): Reads {
  return openReads({ databaseUrl: requireUrl('DATABASE_URL', config.databaseUrl), scheduler, releaser }, RECORD_READS);
}

/** Looks at the files that settings name, before anything is opened. Rejects with ConfigError when one cannot be used. */
async function checkFiles({ config, log }: GatewayOptions): Promise<MapGround> {
  const { tlsCertFile: certFile, tlsKeyFile: keyFile, mapStyleUrl: styleUrl, mapFile } = config;
  if (certFile && keyFile) checkTlsFiles({ certFile, keyFile });
  if (!mapFile) return { styleUrl, file: undefined };
  await checkMapFile(mapFile);
  return { styleUrl, file: { path: mapFile, scheduler, log } };
}

function positionStoreOf({ config }: GatewayOptions, redis: Redis, history: string): PositionStore {
  return createPositionStore(redis, redisKeys(config.redisPrefix, history));
}

/** The positions of an organization in this process; undefined where another one has them. */
function heldPositions({ positions, holdsPositionsOf }: Engine, organizationId: number) {
  return holdsPositionsOf(organizationId) ? positions.known(organizationId) : undefined;
}

/** Names the settings that say where to listen, when that cannot be. */
async function naming<T>(settings: string, listening: Promise<T>): Promise<T> {
  try {
    return await listening;
  } catch (error) {
    if (error instanceof ListenError) throw new ConfigError(`${settings}: ${error.message}.`);
    throw error;
  }
}

function listenForCommands({ config, log }: GatewayOptions, engine: Engine): Promise<CommandListener> {
  return startCommandListener({
    host: config.internalHost,
    port: config.internalPort,
    adapter: config.httpAdapter,
    secret: engine.internalSecret,
    ask: engine.ask,
    positionsOf: (organizationId) => heldPositions(engine, organizationId),
    clock,
    scheduler,
    log,
  });
}

function listen({ config, log }: GatewayOptions, access: Access, routes: readonly Route[], metrics: MetricSet) {
  const random = createRandomSource();
  const otherOrigins = createOtherOrigins(config.corsOrigins);
  const requests = new RequestMetrics(routes, metrics);
  const handler = new RequestHandler({
    router: new Router(routes),
    access,
    metrics: requests,
    otherOrigins,
    clock,
    random,
    log,
  });
  const { tlsCertFile: certFile, tlsKeyFile: keyFile } = config;
  return startHttpServer({
    host: config.host,
    port: config.port,
    exclusive: !config.sharedPort,
    adapter: config.httpAdapter,
    requireContentLength: config.requireContentLength,
    ...(certFile && keyFile ? { tls: { certFile, keyFile } } : {}),
    log,
    clock,
    scheduler,
    dispatch: handler.handle,
    headersForAll: otherOrigins?.headersFor,
    ...lastResorts(random, log, access, requests),
  });
}
