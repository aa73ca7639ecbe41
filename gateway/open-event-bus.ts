import { EventBus } from '../engine/bus/event-bus.ts';
import { systemClock } from '../engine/runtime/clock.ts';
import { type Config, requireUrl } from '../engine/runtime/config.ts';
import type { Releaser } from '../engine/runtime/lifecycle.ts';
import type { Log } from '../engine/runtime/log.ts';
import { createRandomSource } from '../engine/runtime/random.ts';
import { createEventTailStore } from '../engine/store/log/event-tail-store.ts';
import { connectRedis, type Redis } from '../engine/store/redis.ts';
import { redisKeys } from '../engine/store/redis-keys.ts';

export interface EventBusParts {
  readonly config: Config;
  readonly log: Log;
  readonly releaser: Releaser;
}

/** Connects the process to the event bus of the system. Pushes its undo on the releaser. */
export function openEventBus({ config, log, releaser }: EventBusParts, redis: Redis, history: string): EventBus {
  const keys = redisKeys(config.redisPrefix, history);
  // The connections fail together, so only one of them logs it.
  const url = requireUrl('REDIS_URL', config.redisUrl);
  const subscriber = connectRedis(url, log.child({}, { level: 'silent' }), 'patient');
  releaser.push('events of others', () => subscriber.disconnect());
  return new EventBus({
    tail: createEventTailStore(redis, keys),
    redis,
    subscriber,
    keys,
    processId: createRandomSource().uuid(),
    clock: systemClock,
    log,
  });
}
