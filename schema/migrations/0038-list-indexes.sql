-- Lists of a day bring their order along, so that no task is read but those of the page.
CREATE INDEX tasks_due_open_by_creation ON tasks (organization_id, due_at, id) INCLUDE (created_at) WHERE status_rank < 5;
CREATE INDEX tasks_due_ended_by_creation ON tasks (organization_id, due_at, id) INCLUDE (created_at) WHERE status_rank >= 5;
CREATE INDEX tasks_completed_by_creation ON tasks (organization_id, completed_at, id) INCLUDE (created_at)
  WHERE completed_at IS NOT NULL;
DROP INDEX tasks_due_open;
DROP INDEX tasks_due_ended;
DROP INDEX tasks_completed;
ALTER INDEX tasks_due_open_by_creation RENAME TO tasks_due_open;
ALTER INDEX tasks_due_ended_by_creation RENAME TO tasks_due_ended;
ALTER INDEX tasks_completed_by_creation RENAME TO tasks_completed;
