import { partsOfScopedKey } from '../../../schema/fields/idempotency-key.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { Sql } from '../postgres.ts';

/** A page of the keys that are still honoured, as scopedKeyOf writes them: those behind one of them, in their order. */
export async function fetchKeys(sql: Sql, organizationId: number, behind: string): Promise<readonly string[]> {
  const { scope, key } = partsOfScopedKey(behind);
  const rows = await sql<{ keys: readonly string[] }[]>`
    SELECT array_to_json(ARRAY(
      SELECT scope || E'\\n' || key FROM idempotency_records
      WHERE organization_id = ${organizationId} AND (scope, key) > (${scope}, ${key})
        AND at > now() - ${LIMITS.idempotencyRetentionMs / 1000} * interval '1 second'
      ORDER BY scope, key LIMIT ${LIMITS.bookPage})) AS keys`;
  return rows[0]!.keys;
}

/** A page of the codes of tasks: those behind one of them, in their order. */
export async function fetchCodes(sql: Sql, organizationId: number, behind: string): Promise<readonly string[]> {
  const rows = await sql<{ codes: readonly string[] }[]>`
    SELECT array_to_json(ARRAY(
      SELECT code FROM tasks WHERE organization_id = ${organizationId} AND code > ${behind}
      ORDER BY code LIMIT ${LIMITS.bookPage})) AS codes`;
  return rows[0]!.codes;
}
