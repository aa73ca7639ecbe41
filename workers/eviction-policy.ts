import { ConfigError } from '../engine/runtime/config.ts';
import type { Log } from '../engine/runtime/log.ts';

/** The one question this needs answered; INFO is allowed where a provider forbids CONFIG. */
interface InfoSource {
  info(section: string): Promise<string>;
}

/** Throws ConfigError for a Redis that, when full, would throw jobs away instead of refusing new ones. */
export async function checkEvictionPolicy(redis: InfoSource, log: Log): Promise<void> {
  const policy = findPolicy(await infoOf(redis));
  if (policy === 'noeviction') return;
  if (policy === undefined) {
    log.warn('Redis does not tell its maxmemory-policy: make sure that it is noeviction, or jobs may be lost');
    return;
  }
  throw new ConfigError(
    `Redis runs with maxmemory-policy ${policy}: when full, it would throw away jobs. ` +
      'Set it to noeviction (`CONFIG SET maxmemory-policy noeviction`, and in redis.conf).',
  );
}

/** Empty where the provider forbids the question. */
async function infoOf(redis: InfoSource): Promise<string> {
  try {
    return await redis.info('memory');
  } catch (error) {
    if ((error as Error).name === 'ReplyError') return '';
    throw error;
  }
}

function findPolicy(info: string): string | undefined {
  return /^maxmemory_policy:(\S+)/m.exec(info)?.[1];
}
