import { Redis } from 'ioredis';
import { withDeadline } from '../runtime/deadline.ts';
import type { Log } from '../runtime/log.ts';
import { createOutage } from '../runtime/outage.ts';

export type { Redis };

const COMMAND_TIMEOUT_MS = 1_000;
const MAX_RECONNECT_MS = 1_000;

/**
 * A connection that fails at once while Redis is away and comes back by itself: its users can fall back on Postgres.
 * `patient` connections wait instead, as BullMQ's workers need.
 */
export function connectRedis(url: string, log: Log, patience: 'fail-fast' | 'patient' = 'fail-fast'): Redis {
  const failFast = { commandTimeout: COMMAND_TIMEOUT_MS, maxRetriesPerRequest: 0, enableOfflineQueue: false };
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: 5_000,
    retryStrategy: (attempt) => Math.min(attempt * 50, MAX_RECONNECT_MS),
    ...(patience === 'patient' ? { maxRetriesPerRequest: null } : failFast),
  });
  const outage = createOutage(log, 'the connection to Redis');
  redis.on('error', outage.failed);
  redis.on('ready', outage.worked);
  redis.connect().catch(() => {
    // The error event reports it; the retry strategy goes on.
  });
  return redis;
}

export async function isRedisReachable(redis: Redis, deadlineMs: number): Promise<boolean> {
  try {
    return (await withDeadline(redis.ping(), deadlineMs, 'reaching Redis')) === 'PONG';
  } catch {
    return false;
  }
}
