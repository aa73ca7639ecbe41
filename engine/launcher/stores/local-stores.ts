import { join } from 'node:path';
import type { Config } from '../../runtime/config.ts';
import type { MergedLog } from '../processes/merged-log.ts';
import type { KeepRunning } from '../processes/supervisor.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.ts';
import { type LocalRedis, startLocalRedis } from './local-redis.ts';

export interface StoreUrls {
  readonly databaseUrl: string;
  readonly redisUrl: string;
}

/**
 * The stores that the operator names, and our own for those left open. A restarted one keeps its port, since the
 * other processes know it by its URL.
 */
export async function openLocalStores(
  config: Config,
  dataDir: string,
  log: MergedLog,
  keepRunning: KeepRunning,
): Promise<StoreUrls> {
  const postgres = () =>
    keepRunning('postgres', (signal, previous: EmbeddedPostgres | undefined) =>
      startEmbeddedPostgres({
        directory: join(dataDir, 'postgres'),
        onLine: log.from('postgres'),
        signal,
        ...(previous && { port: previous.port }),
      }),
    );
  const redis = () =>
    keepRunning('redis', (signal, previous: LocalRedis | undefined) =>
      startLocalRedis({
        directory: join(dataDir, 'redis'),
        persistence: 'everysec',
        onLine: log.from('redis'),
        signal,
        ...(previous && { port: previous.port }),
      }),
    );
  const [databaseUrl, redisUrl] = await Promise.all([
    config.databaseUrl ?? postgres().then(({ url }) => url),
    config.redisUrl ?? redis().then(({ url }) => url),
  ]);
  return { databaseUrl, redisUrl };
}
