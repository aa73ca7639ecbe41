import assert from 'node:assert/strict';
import type { Sql } from '../../../../engine/store/postgres.ts';

/** Rows that contradict one another, of one organization; each query finds none when all is well. */
const CONTRADICTIONS: Readonly<Record<string, string>> = {
  'counters and tasks': `
    SELECT status, task_type, channel_id, time_to_serve, sum(counted) AS counted, sum(there) AS there FROM (
      SELECT status, task_type, channel_id, time_to_serve, count AS counted, 0 AS there FROM task_counts
        WHERE organization_id = $1
      UNION ALL
      SELECT status, task_type, channel_id, time_to_serve, 0, count(*) FROM tasks
        WHERE organization_id = $1 GROUP BY 1, 2, 3, 4) both_sides
    GROUP BY 1, 2, 3, 4 HAVING sum(counted) <> sum(there)`,
  'scheduled tasks': `
    (SELECT id, scheduled_at FROM tasks WHERE organization_id = $1 AND scheduled_at IS NOT NULL
      EXCEPT SELECT task_id, scheduled_at FROM scheduled_tasks WHERE organization_id = $1)
    UNION ALL
    (SELECT task_id, scheduled_at FROM scheduled_tasks WHERE organization_id = $1
      EXCEPT SELECT id, scheduled_at FROM tasks WHERE organization_id = $1 AND scheduled_at IS NOT NULL)`,
  'references to integration data': `
    WITH wanted AS (
      SELECT t.id, task_reference(f.key, f.value #>> '{}') AS reference
      FROM tasks t CROSS JOIN json_each(t.integration_data) f
      WHERE t.organization_id = $1 AND json_typeof(f.value) IN ('string', 'number', 'boolean')),
    kept AS (SELECT task_id, reference FROM task_references WHERE organization_id = $1)
    (SELECT * FROM wanted EXCEPT SELECT * FROM kept) UNION ALL (SELECT * FROM kept EXCEPT SELECT * FROM wanted)`,
  'places of tasks': `
    SELECT t.id, t.location_id FROM tasks t WHERE t.organization_id = $1 AND t.location_id IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM locations l
        WHERE l.organization_id = $1 AND l.id = t.location_id AND l.task_id = t.id)
      AND NOT EXISTS (SELECT 1 FROM location_uses u
        WHERE u.organization_id = $1 AND u.location_id = t.location_id AND u.task_id = t.id)`,
  'usage and what was made': `
    SELECT * FROM (VALUES
      ('tasks', (SELECT count(*) FROM tasks WHERE organization_id = $1)),
      ('customers', (SELECT count(*) FROM customers WHERE organization_id = $1)),
      ('warehouses', (SELECT count(*) FROM warehouses WHERE organization_id = $1))) AS made(resource, count)
    WHERE count <> coalesce((SELECT sum(used) FROM usage u
      WHERE u.organization_id = $1 AND u.resource = made.resource), 0)`,
  'jobs and their parts': `
    SELECT t.id FROM tasks t WHERE t.organization_id = $1 AND t.child_ids IS NOT NULL
      AND (SELECT array_agg(value::bigint ORDER BY value::bigint) FROM json_array_elements_text(t.child_ids)) IS DISTINCT FROM
        (SELECT array_agg(c.id ORDER BY c.id) FROM tasks c WHERE c.organization_id = $1 AND c.parent_id = t.id)`,
  'the log and the head': `
    SELECT h.last_sequence, e.first, e.last, e.count FROM organization_heads h CROSS JOIN LATERAL (
      SELECT min(sequence) AS first, max(sequence) AS last, count(*) AS count FROM events
      WHERE organization_id = $1) e
    WHERE h.organization_id = $1 AND h.last_sequence > 0
      AND (e.first, e.last, e.count) IS DISTINCT FROM (1, h.last_sequence, h.last_sequence)`,
  'the log and the history': `
    (SELECT sequence FROM events WHERE organization_id = $1
      EXCEPT SELECT sequence FROM task_history WHERE organization_id = $1)
    UNION ALL
    (SELECT sequence FROM task_history WHERE organization_id = $1
      EXCEPT SELECT sequence FROM events WHERE organization_id = $1)`,
  'timers and the head': `
    SELECT t.id, t.deadline_at, h.next_deadline_at FROM tasks t JOIN organization_heads h USING (organization_id)
    WHERE t.organization_id = $1 AND t.deadline_at IS NOT NULL
      AND (h.next_deadline_at IS NULL OR h.next_deadline_at > t.deadline_at)`,
  'tasks that have ended and timers': `
    SELECT id FROM tasks WHERE organization_id = $1 AND status IN ('completed', 'cancelled') AND deadline_at IS NOT NULL`,
};

/** Fails when what is kept beside the tasks does not follow from them. */
export async function assertRowsAgree(sql: Sql, organizationId: number): Promise<void> {
  for (const [what, query] of Object.entries(CONTRADICTIONS)) {
    const rows = await sql.unsafe(query, [organizationId]);
    assert.deepEqual([...rows], [], `${what} disagree`);
  }
}
