-- What lists of tasks are filtered, searched and sorted by (docs/internals/lists-and-search.md).

-- In order of their times. `due_at` comes along in tasks_group, so that open tasks are gathered in this order without
-- reading a task.
CREATE INDEX tasks_due ON tasks (organization_id, due_at, id);
CREATE INDEX tasks_completed ON tasks (organization_id, completed_at, id) WHERE completed_at IS NOT NULL;
DROP INDEX tasks_group;
CREATE INDEX tasks_group ON tasks (organization_id, status_rank, task_type, time_to_serve, channel_id, created_at, id)
  INCLUDE (updated_at, due_at);

-- What a new task is not in, so that creating one pays nothing.
CREATE INDEX tasks_outcome ON tasks (organization_id, outcome, created_at, id) WHERE outcome IS NOT NULL;
CREATE INDEX tasks_delayed ON tasks (organization_id, created_at, id) WHERE delayed_at IS NOT NULL AND status_rank < 6;
CREATE INDEX tasks_searching ON tasks (organization_id, auto_assignment_status, created_at, id)
  WHERE auto_assignment_status <> 'not_requested';
CREATE INDEX tasks_external ON tasks (organization_id, created_at, id) WHERE courier_type = 'external';
-- Nobody has a task in the first two statuses: these are jobs and what was cancelled early.
CREATE INDEX tasks_unassigned ON tasks (organization_id, created_at, id)
  WHERE agent_id IS NULL AND courier_id IS NULL AND status_rank >= 2;

-- A part of a text to look into, without the marks that stand between parts. As searchable() of engine/domain/search-text.ts.
CREATE FUNCTION searchable_text(value text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN fold_case(translate(value, E'\x1e\x1f', ''));

-- What each task is found by, written once: beside the task, each of its changes would write these indexes again.
CREATE TABLE findable_tasks (
  organization_id bigint NOT NULL,
  task_id bigint NOT NULL,
  -- Of the task: it never changes.
  created_at timestamptz NOT NULL,
  -- CODE <1F> NAME, where the name is another one.
  text text COLLATE "C" NOT NULL,
  -- Of its location; null without one.
  latitude float8,
  longitude float8,
  PRIMARY KEY (organization_id, task_id)
);
ALTER TABLE findable_tasks SET (autovacuum_analyze_scale_factor = 1, autovacuum_vacuum_insert_scale_factor = 1);

INSERT INTO findable_tasks (organization_id, task_id, created_at, text, latitude, longitude)
  SELECT t.organization_id, t.id, t.created_at,
    searchable_text(t.code) || CASE WHEN t.name = t.code THEN '' ELSE E'\x1f' || searchable_text(t.name) END,
    l.latitude, l.longitude
  FROM tasks t LEFT JOIN locations l ON l.organization_id = t.organization_id AND l.id = t.location_id;

-- By strips of a fiftieth of a degree, in each from west to east. It holds all that a page needs.
CREATE INDEX findable_tasks_strip ON findable_tasks (organization_id, (floor(latitude * 50)::int), longitude)
  INCLUDE (latitude, created_at, task_id) WHERE latitude IS NOT NULL;

-- As customers_trigrams: a commit appends, the workers work the entries in.
CREATE INDEX findable_tasks_trigrams ON findable_tasks USING gin (text gin_trgm_ops)
  WITH (fastupdate = on, gin_pending_list_limit = 16384);
CREATE INDEX packages_barcode_trigrams ON packages USING gin ((searchable_text(barcode) COLLATE "C") gin_trgm_ops)
  WITH (fastupdate = on, gin_pending_list_limit = 16384) WHERE barcode IS NOT NULL;
