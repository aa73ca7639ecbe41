-- What lists of a place and of a window of time are found by, so that no task is looked at which they do not show
-- (ARCHITECTURE.md, "Lists"). Neither of the new columns ever changes for a task.

ALTER TABLE location_uses ADD COLUMN created_at timestamptz;
UPDATE location_uses u SET created_at = t.created_at
  FROM tasks t WHERE t.organization_id = u.organization_id AND t.id = u.task_id;
ALTER TABLE location_uses ALTER COLUMN created_at SET NOT NULL;
ALTER TABLE location_uses DROP CONSTRAINT location_uses_pkey;
ALTER TABLE location_uses ADD PRIMARY KEY (organization_id, location_id, created_at, task_id);

ALTER TABLE scheduled_tasks ADD COLUMN channel_id bigint;
UPDATE scheduled_tasks s SET channel_id = t.channel_id
  FROM tasks t WHERE t.organization_id = s.organization_id AND t.id = s.task_id;
ALTER TABLE scheduled_tasks ALTER COLUMN channel_id SET NOT NULL;
DROP INDEX scheduled_tasks_at;
CREATE INDEX scheduled_tasks_at ON scheduled_tasks (organization_id, scheduled_at, task_id)
  INCLUDE (created_at, channel_id);
