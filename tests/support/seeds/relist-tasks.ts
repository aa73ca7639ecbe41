import type { Sql } from '../../../engine/store/postgres.ts';

const FINDABLES = ['findable_fresh', 'findable_pages', 'findable_places'];

/** Brings the counters and tables of lists up to date with tasks that a test has changed by SQL. */
export async function relistTasks(sql: Sql, organizationId: number): Promise<void> {
  for (const table of ['task_counts', 'scheduled_tasks', 'task_references', 'location_uses', ...FINDABLES]) {
    await sql`DELETE FROM ${sql(table)} WHERE organization_id = ${organizationId}`;
  }
  await sql`
    INSERT INTO task_counts (organization_id, status, task_type, channel_id, time_to_serve, count)
    SELECT organization_id, status, task_type, channel_id, time_to_serve, count(*)
    FROM tasks WHERE organization_id = ${organizationId} GROUP BY 1, 2, 3, 4, 5`;
  await sql`
    INSERT INTO scheduled_tasks (organization_id, task_id, scheduled_at, created_at, channel_id)
    SELECT organization_id, id, scheduled_at, created_at, channel_id FROM tasks
    WHERE organization_id = ${organizationId} AND scheduled_at IS NOT NULL`;
  await sql`
    INSERT INTO task_references (organization_id, task_id, reference, created_at)
    SELECT t.organization_id, t.id, task_reference(f.key, f.value #>> '{}'), t.created_at
    FROM tasks t CROSS JOIN json_each(t.integration_data) f
    WHERE t.organization_id = ${organizationId} AND json_typeof(f.value) IN ('string', 'number', 'boolean')`;
  await sql`
    INSERT INTO findable_fresh (organization_id, task_id, version, again, created_at, text, latitude, longitude)
    SELECT t.organization_id, t.id, t.version, false, t.created_at, searchable_text(t.code) || E'\\x1f' || searchable_text(t.name),
      l.latitude, l.longitude
    FROM tasks t LEFT JOIN locations l ON l.organization_id = t.organization_id AND l.id = t.location_id
    WHERE t.organization_id = ${organizationId}`;
  await sql`
    INSERT INTO location_uses (organization_id, location_id, created_at, task_id)
    SELECT organization_id, location_id, created_at, id FROM tasks WHERE organization_id = ${organizationId} AND location_id IS NOT NULL`;
}
