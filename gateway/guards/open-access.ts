import type { Engine } from '../../engine/org/start-engine.ts';
import { systemClock, systemScheduler } from '../../engine/runtime/clock.ts';
import { type Config, requireUrl } from '../../engine/runtime/config.ts';
import type { Releaser } from '../../engine/runtime/lifecycle.ts';
import type { Log } from '../../engine/runtime/log.ts';
import { createCredentialStore } from '../../engine/store/credential-store.ts';
import { connectPostgres } from '../../engine/store/postgres.ts';
import type { Redis } from '../../engine/store/redis.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { Permission } from '../../schema/permissions.ts';
import type { IncomingRequest } from '../http/port.ts';
import { type Authenticate, createAuthenticator, createRecheck } from './authenticate.ts';
import { CredentialCache } from './credential-cache.ts';
import type { Quotas } from './quotas.ts';
import { createTransportGuard } from './transport-guard.ts';

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
  /** For open streams: whether a key may still do this. */
  readonly mayStill: (key: string, permission: Permission) => Promise<boolean>;
  /** Resolves when no process serves what was revoked before the call: to be awaited before a revocation is answered. */
  readonly settled: () => Promise<void>;
  /** To be called once the engine has started: a gateway that is not known to others may not remember credentials. */
  start(): Promise<void>;
}

export function openAccess({ config, log, releaser }: AccessOptions, _engine: Engine, _redis: Redis): Access {
  const sql = connectPostgres(requireUrl('DATABASE_URL', config.databaseUrl), {
    name: 'dispatch credentials',
    connections: LIMITS.credentialConnections,
    statementTimeoutMs: LIMITS.fetchDeadlineMs,
  });
  releaser.push('credential connection', () => sql.end({ timeout: 2 }));
  const credentials = new CredentialCache(createCredentialStore(sql), systemClock, systemScheduler, log);
  releaser.push('credential cache', () => credentials.stop());
  return {
    isSecure: createTransportGuard({
      servesTls: config.tlsCertFile !== undefined,
      allowInsecureHttp: config.allowInsecureHttp,
      trustedProxies: config.trustedProxies,
    }),
    addressOf: (request) => request.remoteAddress,
    authenticate: createAuthenticator(credentials),
    quotas: {
      draw: () => ({ headers: [], retryAfterSeconds: null }),
      drawAddress: () => ({ headers: [], retryAfterSeconds: null }),
      owe: () => {},
    },
    mayStill: createRecheck(credentials),
    settled: async () => {},
    start: async () => {},
  };
}
