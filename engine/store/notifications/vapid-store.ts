import { createECDH } from 'node:crypto';
import { LIMITS } from '../../../schema/limits.ts';
import type { Config } from '../../runtime/config.ts';
import type { Sql } from '../postgres.ts';
import { retried } from '../statements.ts';

/** The identity of this installation at push services (RFC 8292); keys are base64url. */
export interface VapidKeys {
  readonly publicKey: string;
  readonly privateKey: string;
}

/**
 * The pair of VAPID_PUBLIC_KEY and VAPID_PRIVATE_KEY, or else the pair of this database, which the first process that
 * asks makes. Browsers that subscribed with one pair cannot be reached with another.
 */
export async function openVapidKeys(sql: Sql, { vapidKeys }: Pick<Config, 'vapidKeys'>): Promise<VapidKeys> {
  return vapidKeys ?? readVapidKeys(sql);
}

async function readVapidKeys(sql: Sql): Promise<VapidKeys> {
  const made = createECDH('prime256v1');
  made.generateKeys();
  const query = () => sql<VapidKeys[]>`
    WITH made AS (
      INSERT INTO vapid_keys (public_key, private_key)
      SELECT ${made.getPublicKey('base64url')}, ${made.getPrivateKey('base64url')}
      WHERE NOT EXISTS (SELECT FROM vapid_keys)
      ON CONFLICT (only_row) DO NOTHING RETURNING public_key, private_key)
    SELECT public_key, private_key FROM vapid_keys UNION ALL SELECT public_key, private_key FROM made`;
  const [keys] = await retried(query, LIMITS.readDeadlineMs, 'reading the keys of web pushes');
  // Another process made them first.
  return keys ?? readVapidKeys(sql);
}
