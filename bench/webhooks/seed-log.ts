import { newSigningSecret } from '../../engine/runtime/secrets.ts';
import { makeOrganization } from '../../engine/store/accounts/organization-store.ts';
import type { Sql } from '../../engine/store/postgres.ts';

interface WebhookSeed {
  /** The n-th webhook of all leads to `<baseUrl>/<n>`. */
  readonly baseUrl: string;
  readonly perOrganization: number;
  readonly concurrency: number;
}

/** Organizations whose logs have so many events each, copies of one: its first of all, with new numbers. */
export async function seedLogs(sql: Sql, organizations: number, events: number, body: string): Promise<number[]> {
  const ids: number[] = [];
  for (let index = 0; index < organizations; index++) {
    const id = await makeOrganization(sql, { name: `Webhooks ${index}`, status: 'active', limits: {} });
    await sql`
      INSERT INTO events (organization_id, sequence, at, type, epoch, body)
      SELECT ${id}, sequence, now(), 'task.created', 1, replace(${body}, '"sequence":1,', '"sequence":' || sequence || ',')
      FROM generate_series(1, ${events}) AS sequence`;
    await sql`UPDATE organization_heads SET last_sequence = ${events} WHERE organization_id = ${id}`;
    ids.push(id);
  }
  await sql`ANALYZE events`;
  return ids;
}

/** Creates every webhook at once; each gets its organization's log from the first event on. */
export async function addWebhooks(sql: Sql, organizationIds: readonly number[], seed: WebhookSeed): Promise<void> {
  const { baseUrl, perOrganization, concurrency } = seed;
  await sql`
    INSERT INTO webhooks (organization_id, id, version, url, events, concurrency, secret, is_active, active_since,
      start_sequence, created_at, updated_at)
    SELECT id, nextval('webhook_ids'), 1, ${baseUrl} || '/' || (place - 1) * ${perOrganization} + n, ARRAY['*'],
      ${concurrency}, ${newSigningSecret()}, true, now(), 0, now(), now()
    FROM json_array_elements_text(${sql.json([...organizationIds])}::json) WITH ORDINALITY AS o (id_text, place)
      CROSS JOIN LATERAL (SELECT id_text::bigint AS id) i, generate_series(0, ${perOrganization - 1}) AS n`;
}
