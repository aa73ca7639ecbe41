-- When a task is due, as dueAtOf (engine/domain/tasks/delay.ts) says: derived here, so that no writer can forget it.
-- By way of a time without zone, as only such sums count as immutable.
ALTER TABLE tasks ADD COLUMN due_at timestamptz NOT NULL GENERATED ALWAYS AS (
  coalesce(window_end, least(
    (coalesce(scheduled_at, created_at) AT TIME ZONE 'UTC'
      + make_interval(mins => coalesce(estimated_duration, CASE time_to_serve WHEN 'scheduled' THEN 60 ELSE 1440 END)))
      AT TIME ZONE 'UTC',
    timestamptz '9999-12-31 23:59:59.999+00'))
) STORED;

-- Until now a window did not count, and a delay was judged by the moment at which it was found.
UPDATE tasks SET delayed_at = CASE WHEN coalesce(completed_at, cancelled_at) > due_at THEN due_at END
  WHERE coalesce(completed_at, cancelled_at) IS NOT NULL
    AND delayed_at IS DISTINCT FROM CASE WHEN coalesce(completed_at, cancelled_at) > due_at THEN due_at END;
UPDATE tasks SET delayed_at = CASE WHEN due_at <= now() THEN due_at END
  WHERE status_rank < 5 AND delayed_at IS DISTINCT FROM due_at AND delayed_at IS NOT NULL;

-- A timer that comes too early is set right by its actor; one that comes too late would be a delay found late.
UPDATE tasks SET deadline_at = least(deadline_at, due_at)
  WHERE status_rank < 5 AND delayed_at IS NULL AND (deadline_at IS NULL OR deadline_at > due_at);
UPDATE organization_heads h SET next_deadline_at = least(h.next_deadline_at, t.deadline_at)
  FROM (SELECT organization_id, min(deadline_at) AS deadline_at FROM tasks WHERE deadline_at IS NOT NULL GROUP BY 1) t
  WHERE h.organization_id = t.organization_id AND (h.next_deadline_at IS NULL OR h.next_deadline_at > t.deadline_at);
