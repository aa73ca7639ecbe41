-- When a task last came to wait for somebody: nothing of that time can be said to have happened before it.
ALTER TABLE tasks ADD COLUMN awaiting_since timestamptz;
ALTER TYPE task_line ADD ATTRIBUTE "awaitingSince" timestamptz;

-- With the type: gateways of the release before leave the field out. As in schema/functions/commit-group.sql.
CREATE OR REPLACE FUNCTION lines_of(given text, separator text, INOUT lines anyarray) LANGUAGE plpgsql AS $$
BEGIN
  lines := string_to_array(given, separator);
EXCEPTION WHEN invalid_text_representation THEN
  lines := string_to_array(left(replace(given, ')' || separator, ',)' || separator), -1) || ',)', separator);
END $$;
