import { systemClock, systemScheduler } from '../../engine/runtime/clock.ts';
import { createLog } from '../../engine/runtime/log.ts';
import { hashSecret, newApiKey } from '../../engine/runtime/secrets.ts';
import type { Credential } from '../../engine/store/access/credential-store.ts';
import { createAuthenticator } from '../../gateway/guards/authenticate.ts';
import { createClientAddress } from '../../gateway/guards/client-address.ts';
import { CredentialCache } from '../../gateway/guards/credential-cache.ts';
import { startQuotas } from '../../gateway/guards/quotas.ts';
import { createTransportGuard } from '../../gateway/guards/transport-guard.ts';
import type { IncomingRequest } from '../../gateway/http/port.ts';
import { may, type Route } from '../../gateway/route.ts';

/** CPU microseconds of one request, in this process alone. */
export interface GuardCost {
  /** HTTPS, the client's address, the key, the organization, the channel, the user, the permission. */
  readonly guard: number;
  /** The same with the caller's rate limit and its headers. */
  readonly guardAndQuota: number;
}

/** The upper limit for the guards. Source: the project's performance goals. */
export const MOST_GUARD_MICROS = 5;

const ORIGIN = { correlationId: '00000000-0000-4000-8000-000000000000', address: '127.0.0.1' };
const ROUTE = { guard: may('tasks:create') } as Route;

/**
 * The cost of the gateway's guards for a request whose key is known, with so many channels taking turns: the real
 * guards, with no I/O below them. The cost of the loop itself is subtracted.
 */
export async function measureGuardCost(calls: number, channels: number): Promise<GuardCost> {
  const keys = Array.from({ length: channels }, newApiKey);
  const { credentials, stop } = openCredentials(keys);
  const parts = {
    credentials,
    store: { findConsoleChannel: async () => undefined, findOfSession: async () => undefined },
    feed: { isAway: false, generation: 0 },
  };
  const authenticate = createAuthenticator({
    ...parts,
    streamTokens: { find: async () => undefined, take: async () => undefined },
    log: createLog('bench', 'silent'),
  });
  const isSecure = createTransportGuard({ servesTls: false, allowInsecureHttp: false, isTrusted: () => true });
  const addressOf = createClientAddress(() => true);
  const quotas = startQuotas(systemClock, systemScheduler);
  const requests = keys.map(requestWith);
  for (const request of requests) await authenticate(request, ROUTE, ORIGIN);

  const admitted = (request: IncomingRequest) => {
    const answer = authenticate(request, ROUTE, ORIGIN);
    if (!isSecure(request) || addressOf(request) === null || answer instanceof Promise || 'refused' in answer)
      throw new Error('the guard refused, or asked Postgres: nothing was measured');
    return answer.identity;
  };
  const steps = [
    (request: IncomingRequest) => request.remoteAddress.length,
    (request: IncomingRequest) => admitted(request).organizationId,
    (request: IncomingRequest) => quotas.draw(admitted(request)).headers.length,
  ] as const;
  try {
    const [empty, guard, guardAndQuota] = steps.map((step) => microsPerCall(requests, calls, step));
    return { guard: guard! - empty!, guardAndQuota: guardAndQuota! - empty! };
  } finally {
    stop();
    quotas.stop();
  }
}

/** A cache that never has to ask again, over a store in memory. */
function openCredentials(keys: readonly string[]) {
  const known = new Map(keys.map((key, index) => [hashSecret(key), credentialOf(hashSecret(key), index + 1)]));
  const findCredentials = async (hashes: readonly string[]) => hashes.flatMap((hash) => known.get(hash) ?? []);
  const feed = { freshUntil: Number.POSITIVE_INFINITY, isAway: false, generation: 0, onChanges: () => {} };
  const credentials = new CredentialCache({
    store: { findCredentials },
    feed,
    clock: systemClock,
    scheduler: systemScheduler,
  });
  return { credentials, stop: () => credentials.stop() };
}

function credentialOf(hash: string, channelId: number): Credential {
  return {
    hash,
    organizationId: channelId % 100,
    organizationStatus: 'active',
    channelId,
    channelStatus: 'ACTIVE',
    userId: channelId,
    sessionId: null,
    snapshot: '1:1:',
    role: 'integration',
    isActive: true,
    isVerified: true,
    agentId: null,
    expiresAtMs: Number.POSITIVE_INFINITY,
    sessionEndsAtMs: Number.POSITIVE_INFINITY,
    rateLimit: null,
    locationsWrite: false,
  };
}

function requestWith(key: string): IncomingRequest {
  const headers: Readonly<Record<string, string>> = {
    'x-api-key': key,
    'x-forwarded-proto': 'https',
    'x-forwarded-for': '203.0.113.7',
  };
  return {
    method: 'POST',
    path: '/api/v1/tasks',
    query: '',
    remoteAddress: '127.0.0.1',
    header: (name) => headers[name],
    headerCount: (name) => (name in headers ? 1 : 0),
    readBody: () => Promise.reject(new Error('guards read no body')),
  };
}

/** The lower of two runs: the first also pays for compiling. */
function microsPerCall(
  requests: readonly IncomingRequest[],
  calls: number,
  step: (request: IncomingRequest) => number,
): number {
  const runs = [0, 1].map(() => {
    const before = process.cpuUsage();
    let sum = 0;
    for (let call = 0; call < calls; call++) sum += step(requests[call % requests.length]!);
    const { user, system } = process.cpuUsage(before);
    if (sum <= 0) throw new Error('nothing was measured');
    return (user + system) / calls;
  });
  return Math.min(...runs);
}
