-- What customers see of their tasks: when a task was cancelled, what its customer says of it, and the way from the
-- token of a link to the task. A token has 132 random bits, so that no two tasks have the same one.
ALTER TABLE tasks ADD COLUMN cancelled_at timestamptz;
ALTER TABLE tasks ADD COLUMN rating json;

CREATE INDEX tasks_tracking_token ON tasks (tracking_token);
