-- What lists of tasks are found and counted by (ARCHITECTURE.md, "Lists").

-- `updated_at` comes along so that a filtered list sorted by it is gathered without reading a task.
CREATE INDEX tasks_group ON tasks (organization_id, status_rank, task_type, time_to_serve, channel_id, created_at, id)
  INCLUDE (updated_at);
CREATE INDEX tasks_updated ON tasks (organization_id, updated_at, id);
CREATE INDEX tasks_agent ON tasks (organization_id, agent_id, status_rank, created_at, id) WHERE agent_id IS NOT NULL;

-- What few tasks have stands in narrow tables of its own, so that the others pay nothing for it.

CREATE TABLE scheduled_tasks (
  organization_id bigint NOT NULL,
  task_id bigint NOT NULL,
  scheduled_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, task_id)
);
CREATE INDEX scheduled_tasks_at ON scheduled_tasks (organization_id, scheduled_at, task_id) INCLUDE (created_at);

-- One row for each text, number and boolean at the top level of a task's integration data.
CREATE TABLE task_references (
  organization_id bigint NOT NULL,
  task_id bigint NOT NULL,
  -- Digest of key and value: both may be longer than an index takes.
  reference bytea NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, task_id, reference)
);
CREATE INDEX task_references_of ON task_references (organization_id, reference, created_at, task_id);

-- The task that a place was made for; null when it was made for none.
ALTER TABLE locations ADD COLUMN task_id bigint;

-- Tasks at places that were there before them. A task that has moved away may still stand here and in
-- `locations.task_id`: whoever looks compares with the task.
CREATE TABLE location_uses (
  organization_id bigint NOT NULL,
  location_id bigint NOT NULL,
  task_id bigint NOT NULL,
  PRIMARY KEY (organization_id, location_id, task_id)
);

-- How many tasks there are of each kind.
CREATE TABLE task_counts (
  organization_id bigint NOT NULL,
  status text NOT NULL,
  task_type text NOT NULL,
  channel_id bigint NOT NULL,
  time_to_serve text NOT NULL,
  count bigint NOT NULL CHECK (count >= 0),
  PRIMARY KEY (organization_id, status, task_type, channel_id, time_to_serve)
) WITH (fillfactor = 50);

INSERT INTO scheduled_tasks (organization_id, task_id, scheduled_at, created_at)
  SELECT organization_id, id, scheduled_at, created_at FROM tasks WHERE scheduled_at IS NOT NULL;

-- The digest as task_reference(key, value) of schema/functions makes it.
INSERT INTO task_references (organization_id, task_id, reference, created_at)
  SELECT t.organization_id, t.id,
    substring(sha256(convert_to(octet_length(f.key) || ' ' || f.key || (f.value #>> '{}'), 'UTF8')) FOR 16), t.created_at
  FROM tasks t CROSS JOIN json_each(t.integration_data) f
  WHERE json_typeof(f.value) IN ('string', 'number', 'boolean')
  ON CONFLICT DO NOTHING;

UPDATE locations l SET task_id = t.id
  FROM (SELECT organization_id, location_id, min(id) AS id FROM tasks GROUP BY organization_id, location_id) t
  WHERE l.organization_id = t.organization_id AND l.id = t.location_id;

INSERT INTO location_uses (organization_id, location_id, task_id)
  SELECT t.organization_id, t.location_id, t.id
  FROM tasks t JOIN locations l ON l.organization_id = t.organization_id AND l.id = t.location_id
  WHERE l.task_id <> t.id;

INSERT INTO task_counts (organization_id, status, task_type, channel_id, time_to_serve, count)
  SELECT organization_id, status, task_type, channel_id, time_to_serve, count(*) FROM tasks GROUP BY 1, 2, 3, 4, 5;
