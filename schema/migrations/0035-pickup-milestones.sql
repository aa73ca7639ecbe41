-- The pickup of a task: when its agent is expected there, came there, and had the goods. lines_of fills up the lines of
-- the release before.
ALTER TABLE tasks ADD COLUMN pickup_eta_at timestamptz, ADD COLUMN pickup_arrived_at timestamptz,
  ADD COLUMN picked_up_at timestamptz;
ALTER TYPE task_line ADD ATTRIBUTE "pickupEtaAt" timestamptz, ADD ATTRIBUTE "pickupArrivedAt" timestamptz,
  ADD ATTRIBUTE "pickedUpAt" timestamptz;

-- With the type, and for more fields than before. As in schema/functions/commit-group.sql.
CREATE OR REPLACE FUNCTION lines_of(given text, separator text, INOUT lines anyarray) LANGUAGE plpgsql AS $$
DECLARE
  padded text := given;
BEGIN
  FOR missing IN 0..16 LOOP
    BEGIN
      lines := string_to_array(padded, separator);
      RETURN;
    EXCEPTION WHEN invalid_text_representation THEN
      IF missing = 16 THEN
        RAISE;
      END IF;
      padded := left(replace(padded, ')' || separator, ',)' || separator), -1) || ',)';
    END;
  END LOOP;
END $$;
