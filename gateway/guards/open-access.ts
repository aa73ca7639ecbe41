import type { Engine } from '../../engine/org/start-engine.ts';
import { systemClock, systemScheduler } from '../../engine/runtime/clock.ts';
import { type Config, requireUrl } from '../../engine/runtime/config.ts';
import type { Releaser } from '../../engine/runtime/lifecycle.ts';
import type { Log } from '../../engine/runtime/log.ts';
import { createAccessStore } from '../../engine/store/access/access-store.ts';
import { createCredentialStore } from '../../engine/store/access/credential-store.ts';
import { createStreamTokenStore, type StreamTokenStore } from '../../engine/store/access/stream-token-store.ts';
import { connectPostgres } from '../../engine/store/postgres.ts';
import { connectRedis, type Redis, subscribeTo } from '../../engine/store/redis.ts';
import { redisKeys } from '../../engine/store/redis-keys.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { IncomingRequest } from '../http/port.ts';
import { AccessFeed } from './access-feed.ts';
import { type Authenticate, createAuthenticator } from './authenticate.ts';
import type { HeardChanges } from './changed-subjects.ts';
import { createClientAddress } from './client-address.ts';
import { CredentialCache } from './credential-cache.ts';
import { type Quotas, startQuotas } from './quotas.ts';
import { createTransportGuard } from './transport-guard.ts';
import { createTrustedProxies, remembering } from './trusted-proxies.ts';

export interface AccessOptions {
  readonly config: Config;
  readonly log: Log;
  readonly releaser: Releaser;
}

/** All that stands between a request and its route. */
export interface Access {
  readonly isSecure: (request: IncomingRequest) => boolean;
  /** The client's address, as far as trusted proxies tell; null when it is not known. */
  readonly addressOf: (request: IncomingRequest) => string | null;
  readonly authenticate: Authenticate;
  readonly quotas: Quotas;
  readonly streamTokens: Pick<StreamTokenStore, 'issue'>;
  /** See AccessFeed. */
  readonly generation: () => number;
  /** Reports every change of access at most a second after its commit, for connections that stay open. */
  readonly onChanges: (listener: (changes: HeardChanges) => void) => void;
  /** Resolves when no process serves what was revoked before the call: to be awaited before a revocation is answered. */
  readonly settled: () => Promise<void>;
  /** To be called once the engine has started: a gateway that is not known to others may not remember credentials. */
  start(): Promise<void>;
}

const clock = systemClock;
const scheduler = systemScheduler;

/** Opens what the guards need; each part pushes its undo on the releaser. Throws ConfigError on a wrong setting. */
export function openAccess(options: AccessOptions, engine: Engine, redis: Redis): Access {
  const { config, log, releaser } = options;
  const feed = openFeed(options, engine, redis);
  const sql = connectPostgres(requireUrl('DATABASE_URL', config.databaseUrl), {
    name: 'dispatch credentials',
    connections: LIMITS.credentialConnections,
    statementTimeoutMs: LIMITS.fetchDeadlineMs,
  });
  releaser.push('credential connection', () => sql.end({ timeout: 2 }));
  const store = createCredentialStore(sql);
  const credentials = new CredentialCache({ store, feed, clock, scheduler });
  releaser.push('credential cache', () => credentials.stop());
  const streamTokens = createStreamTokenStore(redis, redisKeys(config.redisPrefix, engine.history));
  const quotas = startQuotas(clock, scheduler);
  releaser.push('quotas', () => quotas.stop());
  const isTrusted = remembering(LIMITS.trustedPeers, createTrustedProxies(config.trustedProxies));
  return {
    isSecure: createTransportGuard({
      servesTls: config.tlsCertFile !== undefined,
      allowInsecureHttp: config.allowInsecureHttp,
      isTrusted,
    }),
    addressOf: createClientAddress(isTrusted),
    authenticate: createAuthenticator({ credentials, streamTokens, store, feed, log }),
    quotas,
    streamTokens,
    generation: () => feed.generation,
    onChanges: (listener) => feed.onChanges(listener),
    settled: () => feed.settled(),
    start: () => feed.start(),
  };
}

function openFeed({ config, log, releaser }: AccessOptions, engine: Engine, redis: Redis): AccessFeed {
  const { access: channel } = redisKeys(config.redisPrefix, engine.history);
  const url = requireUrl('DATABASE_URL', config.databaseUrl);
  const store = createAccessStore(url, engine.incarnation);
  releaser.push('access connection', () => store.stop());
  const announce = () => {
    redis.publish(channel, '').catch(() => {
      // Others find out by their polls; the connection's own error event has reported the failure.
    });
  };
  const feed = new AccessFeed({ store, clock, scheduler, log, announce });
  releaser.push('access feed', () => feed.stop());
  // Two connections come and go together; one logs it.
  const hints = connectRedis(requireUrl('REDIS_URL', config.redisUrl), log.child({}, { level: 'silent' }), 'patient');
  releaser.push('access hints', () => hints.disconnect());
  hints.on('message', () => feed.hint());
  subscribeTo(hints, [channel], (err) => log.warn({ err }, 'no hints of changed access: polls alone tell'));
  return feed;
}
