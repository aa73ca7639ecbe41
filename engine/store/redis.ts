import { Redis } from 'ioredis';
import { LIMITS } from '../../schema/limits.ts';
import { withDeadline } from '../runtime/deadline.ts';
import type { Log } from '../runtime/log.ts';
import { createOutage } from '../runtime/outage.ts';

export type { Redis };

/**
 * A connection that fails at once while Redis is away and comes back by itself: its users can fall back on Postgres.
 * `patient` connections wait instead, as BullMQ's workers need.
 */
export function connectRedis(url: string, log: Log, patience: 'fail-fast' | 'patient' = 'fail-fast'): Redis {
  const failFast = { commandTimeout: LIMITS.redisCommandMs, maxRetriesPerRequest: 0, enableOfflineQueue: false };
  // Not lazy: a worker of BullMQ opens connections with the same options, and would keep the failure of a lazy one's first
  // attempt for good.
  const redis = new Redis(url, {
    connectTimeout: LIMITS.redisConnectMs,
    retryStrategy: (attempt) => Math.min(attempt * 50, LIMITS.redisReconnectMs),
    ...(patience === 'patient' ? { maxRetriesPerRequest: null } : failFast),
  });
  const outage = createOutage(log, 'the connection to Redis');
  redis.on('error', outage.failed);
  redis.on('ready', outage.worked);
  return redis;
}

/** Subscribes a patient connection. `refused` learns of a failure, but not of the end of the connection, which we order. */
export function subscribeTo(redis: Redis, channels: readonly string[], refused: (error: unknown) => void): void {
  redis.subscribe(...channels).catch((error) => {
    if (redis.status !== 'end') refused(error);
  });
}

export async function isRedisReachable(redis: Redis, deadlineMs: number): Promise<boolean> {
  try {
    return (await withDeadline(redis.ping(), deadlineMs, 'reaching Redis')) === 'PONG';
  } catch {
    return false;
  }
}
