import { LIMITS } from '../../../schema/limits.ts';
import type { SecretBox } from '../../runtime/secret-box.ts';
import type { Sql } from '../postgres.ts';
import { retried } from '../statements.ts';
import { INTERNAL_PLACE, openStored, type StoredSecret, VAPID_PLACE, webhookPlace } from './stored-secret.ts';

/** The secrets to seal: those in clear, or also those that another key than the first one encrypts. */
export type SealScope = 'clear' | 'all';

/** The number of encrypted records, by kind. A previous secret counts with its webhook. */
export interface SealCounts {
  readonly webhooks: number;
  readonly webPushKeys: number;
  readonly internalSecrets: number;
}

interface WebhookSecrets {
  readonly organizationId: number;
  readonly id: number;
  readonly version: number;
  readonly secret: StoredSecret;
  /** Null when there is none that still signs along. */
  readonly previous: StoredSecret | null;
}

/**
 * Encrypts the secrets of this database under the first key. Each page of webhooks is one statement that skips those
 * that changed meanwhile: it may be interrupted and repeated, and processes may read, write and do the same beside it.
 * Previous secrets that sign no more are removed. Throws UnreadableSecretError for a secret that cannot be opened.
 */
export async function sealSecrets(sql: Sql, box: SecretBox, scope: SealScope): Promise<SealCounts> {
  // The internal secret last: workers of the release before cannot go on without it.
  const webhooks = await sealWebhooks(sql, box, scope);
  const webPushKeys = await sealVapidKey(sql, box, scope);
  return { webhooks, webPushKeys, internalSecrets: await sealInternalSecret(sql, box, scope) };
}

async function sealWebhooks(sql: Sql, box: SecretBox, scope: SealScope): Promise<number> {
  let sealed = 0;
  for (;;) {
    const page = await retried(() => findWebhooks(sql, box, scope), LIMITS.readDeadlineMs, 'looking for secrets');
    if (page.length === 0) return sealed;
    const rows = page.map(({ organizationId, id, version, secret, previous }) => {
      const place = webhookPlace(organizationId, id);
      const again = (stored: StoredSecret) => resealed(box, stored, place, scope);
      return { organizationId, id, version, secret: again(secret), previous: previous && again(previous) };
    });
    const query = () => sql`
      UPDATE webhooks w SET secret = NULL, previous_secret = NULL, sealed_secret = t.secret,
        sealed_previous_secret = t.previous
      FROM json_to_recordset(${JSON.stringify(rows)}::text::json)
        AS t("organizationId" bigint, id bigint, version int, secret text, previous text)
      WHERE w.organization_id = t."organizationId" AND w.id = t.id AND w.version = t.version RETURNING w.id`;
    sealed += (await retried(query, LIMITS.readDeadlineMs, 'encrypting secrets')).length;
  }
}

/** A page of the webhooks with something to be done. */
function findWebhooks(sql: Sql, { keyId }: SecretBox, scope: SealScope) {
  return sql<WebhookSecrets[]>`
    SELECT organization_id, id, version, json_build_object('clear', secret, 'sealed', sealed_secret) AS secret,
      CASE WHEN previous_secret_until > now() AND num_nonnulls(previous_secret, sealed_previous_secret) = 1
        THEN json_build_object('clear', previous_secret, 'sealed', sealed_previous_secret) END AS previous
    FROM webhooks
    WHERE num_nonnulls(secret, previous_secret) > 0
      OR (num_nonnulls(previous_secret, sealed_previous_secret) = 1 AND previous_secret_until <= now())
      OR (${scope === 'all'}::boolean AND (secret_key <> ${keyId} OR previous_secret_key <> ${keyId}))
    LIMIT ${LIMITS.secretsPerStatement}`;
}

async function sealVapidKey(sql: Sql, box: SecretBox, scope: SealScope): Promise<number> {
  const find = () => sql<StoredSecret[]>`
    SELECT private_key AS clear, sealed_private_key AS sealed FROM vapid_keys
    WHERE private_key IS NOT NULL OR (${scope === 'all'}::boolean AND secret_key <> ${box.keyId})`;
  const [stored] = await retried(find, LIMITS.readDeadlineMs, 'looking for the key of web pushes');
  if (!stored) return 0;
  const sealed = resealed(box, stored, VAPID_PLACE, scope);
  const write = () => sql`
    UPDATE vapid_keys SET private_key = NULL, sealed_private_key = ${sealed}
    WHERE sealed_private_key IS NOT DISTINCT FROM ${stored.sealed} RETURNING only_row`;
  return (await retried(write, LIMITS.readDeadlineMs, 'encrypting the key of web pushes')).length;
}

async function sealInternalSecret(sql: Sql, box: SecretBox, scope: SealScope): Promise<number> {
  const find = () => sql<StoredSecret[]>`
    SELECT secret AS clear, sealed_secret AS sealed FROM internal_secret
    WHERE secret IS NOT NULL OR (${scope === 'all'}::boolean AND secret_key <> ${box.keyId})`;
  const [stored] = await retried(find, LIMITS.readDeadlineMs, 'looking for the internal secret');
  if (!stored) return 0;
  const sealed = resealed(box, stored, INTERNAL_PLACE, scope);
  const write = () => sql`
    UPDATE internal_secret SET secret = NULL, sealed_secret = ${sealed}
    WHERE sealed_secret IS NOT DISTINCT FROM ${stored.sealed} RETURNING only_row`;
  return (await retried(write, LIMITS.readDeadlineMs, 'encrypting the internal secret')).length;
}

function resealed(box: SecretBox, stored: StoredSecret, place: string, scope: SealScope): string {
  if (stored.sealed !== null && scope === 'clear') return stored.sealed;
  return box.seal(openStored(box, stored, place), place);
}
