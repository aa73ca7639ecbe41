-- Jobs, warehouses, and what a task's history and a kept outcome say besides.

-- The parts of a job, in the order of their making; null for a task that is none. No index: a job is read by its id,
-- and its parts by theirs.
ALTER TABLE tasks ADD COLUMN child_ids json;
-- The status of a job follows from its parts, who have agents of their own.
ALTER TABLE tasks DROP CONSTRAINT tasks_in_transit_agent;
ALTER TABLE tasks ADD CONSTRAINT tasks_in_transit_agent
  CHECK (status <> 'in_transit' OR agent_id IS NOT NULL OR courier_id IS NOT NULL OR child_ids IS NOT NULL);

ALTER TABLE task_history ADD COLUMN recorded_at timestamptz;
UPDATE task_history SET recorded_at = at;
ALTER TABLE task_history ALTER COLUMN recorded_at SET NOT NULL;
ALTER TABLE task_history ADD COLUMN details json;

-- The point of the log at which the kept answer was true.
ALTER TABLE idempotency_records ADD COLUMN sequence bigint NOT NULL DEFAULT 0;
-- The event of the same moment whose task is the kept body, which is then left empty; null when it stands here.
ALTER TABLE idempotency_records ADD COLUMN told_at bigint;

CREATE SEQUENCE warehouse_ids INCREMENT BY 1000;
CREATE TABLE warehouses (
  organization_id bigint NOT NULL,
  id bigint NOT NULL,
  version int NOT NULL,
  name text NOT NULL,
  location_id bigint NOT NULL,
  is_active boolean NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, id)
);
