-- Who is to be met for a task instead of its customer. lines_of fills up the lines of the release before.
ALTER TABLE tasks ADD COLUMN contact json;
ALTER TYPE task_line ADD ATTRIBUTE contact json;
