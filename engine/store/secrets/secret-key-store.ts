import { LIMITS } from '../../../schema/limits.ts';
import { type Config, ConfigError, requireSecretBox } from '../../runtime/config.ts';
import type { SecretBox } from '../../runtime/secret-box.ts';
import { type Sql, textArray } from '../postgres.ts';
import { retried } from '../statements.ts';

/** The number of secrets under one key; `key` is null for those that are still in clear. */
export interface KeyUse {
  readonly key: string | null;
  readonly firstUsedAt: string | null;
  readonly webhooks: number;
  /** Secrets that were replaced and sign along. */
  readonly previousSecrets: number;
  readonly webPushKeys: number;
  readonly internalSecrets: number;
}

/**
 * Opens the box for the secrets of this database, and notes its first key there. Throws ConfigError when a key is noted
 * that SECRETS_KEY does not hold: what is encrypted under that one could not be read.
 */
export async function openSecretBox(sql: Sql, config: Pick<Config, 'secretsKeys'>): Promise<SecretBox> {
  const box = requireSecretBox(config);
  const note = () => sql`
    INSERT INTO secret_keys (id) SELECT ${box.keyId}
    WHERE NOT EXISTS (SELECT FROM secret_keys WHERE id <> ALL(${textArray(box.keyIds)}::text[]))
    ON CONFLICT (id) DO NOTHING`;
  await retried(note, LIMITS.fetchDeadlineMs, 'noting the key of secrets');
  // Also finds the key of a process that has started at the same time.
  const missing = await findMissingKeys(sql, box);
  if (missing.length === 0) return box;
  throw new ConfigError(
    `SECRETS_KEY is not the key of this database: it lacks ${missing.join(', ')}, and has ${box.keyIds.join(', ')}. ` +
      'Put the missing key into SECRETS_KEY, behind the first one and a comma. ' +
      '`npm run admin -- secrets list` shows what needs it, `secrets rotate` makes a key superfluous, ' +
      'and `secrets replace-lost` gives up what is encrypted under a key that nobody has any more.',
  );
}

/**
 * The running programs, by the names of their connections, while none has ever started with this key in the first place:
 * then there may be some that lack it. None once it is noted, since from then on no process starts without it.
 */
export async function findProgramsWithout(sql: Sql, keyId: string): Promise<string[]> {
  const query = () => sql<{ name: string }[]>`
    SELECT DISTINCT a.application_name AS name FROM pg_stat_activity a
    WHERE a.datname = current_database() AND a.application_name LIKE 'dispatch %'
      AND a.application_name <> 'dispatch admin' AND NOT EXISTS (SELECT FROM secret_keys WHERE id = ${keyId})
    ORDER BY name`;
  const rows = await retried(query, LIMITS.fetchDeadlineMs, 'looking for running programs');
  return rows.map(({ name }) => name);
}

/** The running programs, by the leases of gateways and the names of connections. */
export async function findPrograms(sql: Sql): Promise<string[]> {
  const query = () => sql<{ name: string }[]>`
    SELECT 'gateway ' || g.id AS name FROM gateways g WHERE g.lease_expires_at > clock_timestamp()
    UNION
    SELECT a.application_name FROM pg_stat_activity a
    WHERE a.datname = current_database() AND a.application_name LIKE 'dispatch %'
      AND a.application_name <> 'dispatch admin'
    ORDER BY name`;
  const rows = await retried(query, LIMITS.fetchDeadlineMs, 'looking for running programs');
  return rows.map(({ name }) => name);
}

/** The noted keys that are not given. */
export async function findMissingKeys(sql: Sql, box: SecretBox): Promise<string[]> {
  const query = () => sql<{ id: string }[]>`
    SELECT id FROM secret_keys WHERE id <> ALL(${textArray(box.keyIds)}::text[]) ORDER BY first_used_at, id`;
  const rows = await retried(query, LIMITS.fetchDeadlineMs, 'looking for the keys of secrets');
  return rows.map(({ id }) => id);
}

/** Forgets the keys, but the first one, that nothing is encrypted under. Returns their ids. */
export async function forgetUnusedKeys(sql: Sql, box: SecretBox): Promise<string[]> {
  const query = () => sql<{ id: string }[]>`
    DELETE FROM secret_keys k WHERE k.id <> ${box.keyId}
      AND NOT EXISTS (SELECT FROM webhooks w WHERE k.id IN (w.secret_key, w.previous_secret_key))
      AND NOT EXISTS (SELECT FROM vapid_keys p WHERE p.secret_key = k.id)
      AND NOT EXISTS (SELECT FROM internal_secret i WHERE i.secret_key = k.id)
    RETURNING k.id`;
  const rows = await retried(query, LIMITS.readDeadlineMs, 'forgetting keys of secrets');
  return rows.map(({ id }) => id);
}

/** Counts what is encrypted under each key that was ever used here, and what is in clear. */
export function listKeyUses(sql: Sql): Promise<KeyUse[]> {
  const query = () => sql<KeyUse[]>`
    SELECT k.id AS key, k.first_used_at,
      (SELECT count(*) FROM webhooks w WHERE w.secret_key IS NOT DISTINCT FROM k.id) AS webhooks,
      (SELECT count(*) FROM webhooks w WHERE w.previous_secret_key IS NOT DISTINCT FROM k.id
        AND num_nonnulls(w.previous_secret, w.sealed_previous_secret) = 1) AS previous_secrets,
      (SELECT count(*) FROM vapid_keys p WHERE p.secret_key IS NOT DISTINCT FROM k.id) AS web_push_keys,
      (SELECT count(*) FROM internal_secret i WHERE i.secret_key IS NOT DISTINCT FROM k.id) AS internal_secrets
    FROM (SELECT id, first_used_at FROM secret_keys UNION ALL SELECT NULL, NULL) k
    ORDER BY k.first_used_at NULLS LAST, k.id`;
  return retried(query, LIMITS.readDeadlineMs, 'counting encrypted secrets');
}
