-- A task after a failed one knows it, and the failed one its successor.
ALTER TABLE tasks ADD COLUMN attempt int NOT NULL DEFAULT 1, ADD COLUMN previous_task_id bigint,
  ADD COLUMN next_task_id bigint;
ALTER TYPE task_line ADD ATTRIBUTE attempt int, ADD ATTRIBUTE "previousTaskId" bigint,
  ADD ATTRIBUTE "nextTaskId" bigint;

-- The last barrier: of two tasks after the same one, the second is refused.
CREATE UNIQUE INDEX tasks_previous_task ON tasks (organization_id, previous_task_id) WHERE previous_task_id IS NOT NULL;

-- With the type: gateways of the release before leave the fields out. As in schema/functions/commit-group.sql.
CREATE OR REPLACE FUNCTION lines_of(given text, separator text, INOUT lines anyarray) LANGUAGE plpgsql AS $$
DECLARE
  padded text := given;
BEGIN
  FOR missing IN 0..8 LOOP
    BEGIN
      lines := string_to_array(padded, separator);
      RETURN;
    EXCEPTION WHEN invalid_text_representation THEN
      IF missing = 8 THEN
        RAISE;
      END IF;
      padded := left(replace(padded, ')' || separator, ',)' || separator), -1) || ',)';
    END;
  END LOOP;
END $$;
