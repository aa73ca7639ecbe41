import { join } from 'node:path';
import { findDemoFacts } from '../../engine/launcher/demo-facts.ts';
import { findSecretsKey, SECRETS_KEY_FILE } from '../../engine/launcher/secrets-key.ts';
import { findStoreFacts } from '../../engine/launcher/store-facts.ts';
import { sleep } from '../../engine/runtime/clock.ts';
import { type Config, readConfig, requireSecretBox } from '../../engine/runtime/config.ts';
import { createLog } from '../../engine/runtime/log.ts';
import type { SecretBox } from '../../engine/runtime/secret-box.ts';
import { knownHistory } from '../../engine/store/cluster/platform-store.ts';
import { listQueues, type QueueFacts } from '../../engine/store/cluster/queue-store.ts';
import { connectPostgres, type Sql } from '../../engine/store/postgres.ts';
import { connectRedis } from '../../engine/store/redis.ts';
import { redisKeys } from '../../engine/store/redis-keys.ts';
import { LIMITS } from '../../schema/limits.ts';
import { RefusedError } from './admin-errors.ts';

/** The token of a super admin is not sent in the clear. */
const SAFE_URL = /^(https:\/\/|http:\/\/(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?\/*$)/;

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where the system is: what the environment says, else what `npm start` noted in DATA_DIR. */
export interface OperatorStores {
  readonly sql: Sql;
  /** Without a path. */
  readonly gatewayUrl: string;
  listQueues(): Promise<QueueFacts[]>;
  readonly secretsKeys: Config['secretsKeys'];
  /** Throws ConfigError when there is no key. */
  secretBox(): SecretBox;
  /** Resolves when no gateway lets in any more what a write to Postgres has shut out. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** Throws RefusedError when it is not said where the system is. */
export function openStores(environment: Environment): OperatorStores {
  const config = readConfig(environment);
  const noted = findStoreFacts(join(config.dataDir, 'stores.json'));
  const databaseUrl = config.databaseUrl ?? noted?.databaseUrl;
  const redisUrl = config.redisUrl ?? noted?.redisUrl;
  const redisPrefix = environment['REDIS_PREFIX'] || (noted?.redisPrefix ?? config.redisPrefix);
  const place = `set %, or run it where \`npm start\` keeps its data (DATA_DIR is ${config.dataDir})`;
  if (!databaseUrl) throw new RefusedError(place.replace('%', 'DATABASE_URL'));
  const sql = connectPostgres(databaseUrl, {
    name: 'dispatch admin',
    connections: 1,
    statementTimeoutMs: LIMITS.readDeadlineMs,
  });
  return {
    sql,
    get gatewayUrl() {
      const url = environment['ADMIN_URL'] || findDemoFacts(join(config.dataDir, 'demo.json'))?.baseUrl;
      if (!url) throw new RefusedError(place.replace('%', 'ADMIN_URL to the address of a gateway'));
      if (!SAFE_URL.test(url)) throw new RefusedError(`${url}: a gateway elsewhere is asked over https:// only`);
      return url.replace(/\/+$/, '');
    },
    async listQueues() {
      if (!redisUrl) throw new RefusedError(place.replace('%', 'REDIS_URL'));
      const redis = connectRedis(redisUrl, createLog('admin', 'silent'), 'patient');
      try {
        const history = await knownHistory(sql);
        if (history === undefined) throw new RefusedError('no gateway or workers have started on this database yet');
        return await listQueues(redis, redisKeys(redisPrefix, history).jobs);
      } finally {
        redis.disconnect();
      }
    },
    get secretsKeys() {
      if (config.secretsKeys.length > 0) return config.secretsKeys;
      return readConfig({ SECRETS_KEY: findSecretsKey(join(config.dataDir, SECRETS_KEY_FILE)) }).secretsKeys;
    },
    secretBox() {
      return requireSecretBox(this);
    },
    settled: () => sleep(LIMITS.credentialValidMs + LIMITS.accessSettleMarginMs),
    close: () => sql.end({ timeout: 2 }),
  };
}
