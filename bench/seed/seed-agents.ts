import type { Sql } from '../../engine/store/postgres.ts';

/** Makes agents on duty with users who have no password, in one statement. Resolves to their ids, ascending. */
export async function seedAgents(sql: Sql, organizationId: number, count: number): Promise<number[]> {
  const made = await sql<{ id: number }[]>`
    WITH people AS (
      INSERT INTO users (organization_id, id, role, email, first_name, last_name, email_verified_at)
      SELECT ${organizationId}, nextval('user_ids'), 'agent', 'seeded-' || gen_random_uuid() || '@bench.example',
        'Driver', i::text, now()
      FROM generate_series(1, ${count}::int) i RETURNING id, email, first_name, last_name
    )
    INSERT INTO agents (organization_id, id, user_id, agent_type, first_name, last_name, email, on_duty, duty_changed_at)
    SELECT ${organizationId}, nextval('agent_ids'), id, 'employee', first_name, last_name, email, true, now()
    FROM people RETURNING id`;
  await sql`
    INSERT INTO usage (organization_id, resource, period, used)
    VALUES (${organizationId}, 'agents', '1970-01-01', ${count})
    ON CONFLICT (organization_id, resource, period) DO UPDATE SET used = usage.used + excluded.used`;
  return made.map(({ id }) => id).sort((one, other) => one - other);
}
