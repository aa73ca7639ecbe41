-- What tasks are found by, listed behind the commits (docs/internals/lists-and-search.md). A commit appends one row without
-- an index to findable_fresh; workers move it to findable_pages and findable_places within seconds.

CREATE TABLE findable_fresh (
  organization_id bigint NOT NULL,
  task_id bigint NOT NULL,
  -- Of the task. The newest row of a task counts.
  version int NOT NULL,
  -- The task was listed before: what stands there is out of date.
  again boolean NOT NULL,
  created_at timestamptz NOT NULL,
  -- CODE <1F> NAME, where the name is another one.
  text text COLLATE "C" NOT NULL,
  -- Of its location; null without one.
  latitude float8,
  longitude float8
);

-- The texts of up to 128 tasks in a row, searched together: similar names share most of their trigrams.
CREATE TABLE findable_pages (
  organization_id bigint NOT NULL,
  first_task_id bigint NOT NULL,
  last_task_id bigint NOT NULL,
  is_full boolean NOT NULL,
  task_ids bigint[] NOT NULL,
  created_ats timestamptz[] NOT NULL,
  texts text[] COLLATE "C" NOT NULL,
  PRIMARY KEY (organization_id, last_task_id)
);
CREATE INDEX findable_pages_open ON findable_pages (organization_id) WHERE NOT is_full;

CREATE FUNCTION findable_page_text(texts text[]) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN array_to_string(texts, E'\x1e');
CREATE INDEX findable_pages_trigrams ON findable_pages
  USING gin ((findable_page_text(texts) COLLATE "C") gin_trgm_ops) WITH (fastupdate = off);

CREATE TABLE findable_places (
  organization_id bigint NOT NULL,
  task_id bigint NOT NULL,
  created_at timestamptz NOT NULL,
  latitude float8 NOT NULL,
  longitude float8 NOT NULL,
  PRIMARY KEY (organization_id, task_id)
);
-- By strips of a fiftieth of a degree, in each from west to east. It holds all that a page needs.
CREATE INDEX findable_places_strip ON findable_places (organization_id, (floor(latitude * 50)::int), longitude)
  INCLUDE (latitude, created_at, task_id);

INSERT INTO findable_fresh (organization_id, task_id, version, again, created_at, text, latitude, longitude)
  SELECT organization_id, task_id, 0, false, created_at, text, latitude, longitude FROM findable_tasks;
DROP TABLE findable_tasks;

-- Open tasks in the order in which they are due are a short walk, however many have ended.
DROP INDEX tasks_due;
CREATE INDEX tasks_due_open ON tasks (organization_id, due_at, id) WHERE status_rank < 5;
CREATE INDEX tasks_due_ended ON tasks (organization_id, due_at, id) WHERE status_rank >= 5;
