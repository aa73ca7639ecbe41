-- A moving task is an open one whose changing keys stand in no index: its steps write no index entry. Lists read an
-- organization's moving tasks one by one, so there is a bound on their number (docs/internals/lists-and-search.md). All other
-- tasks are settled. The keys of settled tasks are columns of their own, null while a task moves: Postgres writes the entries
-- of a row again when a column of any index changes, also of an index that does not hold the row.

-- First: adding columns writes the whole table again, with each index that it has.
DROP INDEX tasks_customer, tasks_deadline, tasks_group, tasks_updated, tasks_agent, tasks_rated_agent, tasks_due_open, tasks_due_ended,
  tasks_delayed, tasks_searching, tasks_unassigned;

-- `moving_while_open` is written when a task is made. Derived from it, a task that ends is settled, whoever writes it.
ALTER TABLE tasks
  ADD COLUMN moving_while_open boolean NOT NULL DEFAULT false,
  ADD COLUMN settled_rank smallint
    GENERATED ALWAYS AS (CASE WHEN NOT moving_while_open OR status_rank >= 5 THEN status_rank END) STORED,
  ADD COLUMN settled_at timestamptz
    GENERATED ALWAYS AS (CASE WHEN NOT moving_while_open OR status_rank >= 5 THEN updated_at END) STORED,
  ADD COLUMN settled_agent_id bigint
    GENERATED ALWAYS AS (CASE WHEN NOT moving_while_open OR status_rank >= 5 THEN agent_id END) STORED,
  ADD COLUMN settled_search text
    GENERATED ALWAYS AS (CASE WHEN NOT moving_while_open OR status_rank >= 5 THEN auto_assignment_status END) STORED,
  ADD COLUMN settled_deadline_at timestamptz
    GENERATED ALWAYS AS (CASE WHEN NOT moving_while_open OR status_rank >= 5 THEN deadline_at END) STORED;
-- A step writes the new row beside the old one only where its page has room, and a task grows by a sixth on its way. Not
-- before the table was written: most tasks in it have ended.
ALTER TABLE tasks SET (fillfactor = 70);

CREATE INDEX tasks_moving ON tasks (organization_id, created_at, id) WHERE settled_rank IS NULL;
CREATE INDEX tasks_customer ON tasks (organization_id, customer_id, created_at, id) INCLUDE (settled_rank);
CREATE INDEX tasks_deadline ON tasks (organization_id, settled_deadline_at) WHERE settled_deadline_at IS NOT NULL;
CREATE INDEX tasks_group
  ON tasks (organization_id, settled_rank, task_type, time_to_serve, channel_id, created_at, id)
  INCLUDE (settled_at, due_at) WHERE settled_rank IS NOT NULL;
CREATE INDEX tasks_updated ON tasks (organization_id, settled_at, id) INCLUDE (created_at) WHERE settled_rank IS NOT NULL;
CREATE INDEX tasks_agent ON tasks (organization_id, settled_agent_id, settled_rank, created_at, id)
  WHERE settled_agent_id IS NOT NULL;
CREATE INDEX tasks_rated_agent ON tasks (organization_id, settled_agent_id, rated_at, id) WHERE rated_at IS NOT NULL;
CREATE INDEX tasks_due_open ON tasks (organization_id, due_at, id) INCLUDE (created_at) WHERE settled_rank < 5;
CREATE INDEX tasks_due_ended ON tasks (organization_id, due_at, id) INCLUDE (created_at) WHERE settled_rank >= 5;
CREATE INDEX tasks_delayed ON tasks (organization_id, created_at, id) WHERE delayed_at IS NOT NULL AND settled_rank < 6;
CREATE INDEX tasks_searching ON tasks (organization_id, settled_search, created_at, id)
  WHERE settled_search <> 'not_requested';
CREATE INDEX tasks_unassigned ON tasks (organization_id, created_at, id)
  WHERE settled_agent_id IS NULL AND courier_id IS NULL AND settled_rank >= 2;
