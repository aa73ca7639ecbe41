import type { Redis } from 'ioredis';

/** Lists keys below a prefix whose name or content holds one of the words. */
export async function findInRedis(redis: Redis, prefix: string, words: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for await (const keys of redis.scanStream({ match: `${prefix}*`, count: 1_000 })) {
    for (const key of keys as string[]) {
      const text = `${key} ${JSON.stringify(await dump(redis, key))}`;
      for (const word of words) if (text.includes(word)) found.push(`${key}: ${word}`);
    }
  }
  return found;
}

async function dump(redis: Redis, key: string): Promise<unknown> {
  const type = await redis.type(key);
  switch (type) {
    case 'string':
      return redis.get(key);
    case 'hash':
      return redis.hgetall(key);
    case 'list':
      return redis.lrange(key, 0, -1);
    case 'set':
      return redis.smembers(key);
    case 'zset':
      return redis.zrange(key, 0, -1, 'WITHSCORES');
    case 'stream':
      return redis.xrange(key, '-', '+');
    case 'none':
      return undefined;
    default:
      throw new Error(`${key} is a ${type}, which nobody here can read`);
  }
}
