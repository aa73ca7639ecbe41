import { LIMITS } from '../../../schema/limits.ts';
import type { SecretBox } from '../../runtime/secret-box.ts';
import { newSecret, newSigningSecret } from '../../runtime/secrets.ts';
import { type Sql, textArray } from '../postgres.ts';
import { once, retried } from '../statements.ts';
import { INTERNAL_PLACE, webhookPlace } from './stored-secret.ts';

const INTERNAL_CHARS = 64;

/** A webhook whose secret was lost with its key. */
export interface LostWebhook {
  readonly organizationId: number;
  readonly webhookId: number;
  readonly url: string;
}

/**
 * Gives up what is encrypted under keys that nobody has any more. A webhook whose secret is lost is switched off, with a
 * new secret that nobody knows: its owner rotates that and switches it on. The pair of web pushes is removed: the
 * next process makes another one. The processes get another internal secret. Returns the webhooks. It may be interrupted and repeated.
 */
export async function replaceLostSecrets(sql: Sql, box: SecretBox, lost: readonly string[]): Promise<LostWebhook[]> {
  const keys = textArray(lost);
  await once(
    sql`INSERT INTO secret_keys (id) VALUES (${box.keyId}) ON CONFLICT (id) DO NOTHING`,
    'noting the key of secrets',
  );
  const find = () => sql<LostWebhook[]>`
    SELECT organization_id, id AS webhook_id, url FROM webhooks WHERE secret_key = ANY(${keys}::text[])
    ORDER BY organization_id, id`;
  const webhooks = await retried(find, LIMITS.readDeadlineMs, 'looking for lost secrets');
  for (const { organizationId, webhookId } of webhooks) {
    const sealed = box.seal(newSigningSecret(), webhookPlace(organizationId, webhookId));
    await once(
      sql`
      WITH changed AS (
        UPDATE webhooks SET sealed_secret = ${sealed}, previous_secret = NULL, sealed_previous_secret = NULL,
          is_active = false, version = version + 1, updated_at = now()
        WHERE organization_id = ${organizationId} AND id = ${webhookId} AND secret_key = ANY(${keys}::text[])
        RETURNING organization_id, id)
      INSERT INTO audit_access (organization_id, action, record_type, record_id, actor_type, before, after)
      SELECT organization_id, 'webhook.secret_lost', 'webhook', id, 'system', NULL, json_build_object('isActive', false)
      FROM changed`,
      'replacing a lost secret',
    );
  }
  await once(
    sql`UPDATE webhooks SET sealed_previous_secret = NULL WHERE previous_secret_key = ANY(${keys}::text[])`,
    'removing lost previous secrets',
  );
  await once(
    sql`DELETE FROM vapid_keys WHERE secret_key = ANY(${keys}::text[])`,
    'removing the lost pair of web pushes',
  );
  const internal = box.seal(newSecret('', INTERNAL_CHARS), INTERNAL_PLACE);
  await once(
    sql`UPDATE internal_secret SET sealed_secret = ${internal} WHERE secret_key = ANY(${keys}::text[])`,
    'replacing the lost internal secret',
  );
  return webhooks;
}
