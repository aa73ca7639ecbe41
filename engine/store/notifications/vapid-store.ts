import { createECDH } from 'node:crypto';
import { LIMITS } from '../../../schema/limits.ts';
import type { Config } from '../../runtime/config.ts';
import type { SecretBox } from '../../runtime/secret-box.ts';
import type { Sql } from '../postgres.ts';
import { openStored, type StoredSecret, VAPID_PLACE } from '../secrets/stored-secret.ts';
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
export async function openVapidKeys(
  sql: Sql,
  box: SecretBox,
  { vapidKeys }: Pick<Config, 'vapidKeys'>,
): Promise<VapidKeys> {
  return vapidKeys ?? readVapidKeys(sql, box);
}

async function readVapidKeys(sql: Sql, box: SecretBox): Promise<VapidKeys> {
  const made = createECDH('prime256v1');
  made.generateKeys();
  const sealed = box.seal(made.getPrivateKey('base64url'), VAPID_PLACE);
  const query = () => sql<(StoredSecret & Pick<VapidKeys, 'publicKey'>)[]>`
    WITH made AS (
      INSERT INTO vapid_keys (public_key, sealed_private_key)
      SELECT ${made.getPublicKey('base64url')}, ${sealed}
      WHERE NOT EXISTS (SELECT FROM vapid_keys)
      ON CONFLICT (only_row) DO NOTHING RETURNING public_key, private_key, sealed_private_key)
    SELECT public_key, private_key AS clear, sealed_private_key AS sealed
    FROM (SELECT public_key, private_key, sealed_private_key FROM vapid_keys UNION ALL SELECT * FROM made) pairs`;
  const [pair] = await retried(query, LIMITS.readDeadlineMs, 'reading the keys of web pushes');
  if (pair) return { publicKey: pair.publicKey, privateKey: openStored(box, pair, VAPID_PLACE) };
  // Another process made them first.
  return readVapidKeys(sql, box);
}
