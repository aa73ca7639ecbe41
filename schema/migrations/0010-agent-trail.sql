-- Where agents were. Of the points of one agent within a whole second the one that was recorded first counts, the least
-- latitude, longitude and so on breaking ties; readers apply that, so that writers need not look at what is there, and
-- may write a point twice. NULL: the device did not say.
CREATE TABLE agent_trail (
  organization_id bigint NOT NULL,
  agent_id bigint NOT NULL,
  recorded_at timestamptz NOT NULL,
  received_at timestamptz NOT NULL,
  latitude double precision NOT NULL,
  longitude double precision NOT NULL,
  accuracy real,
  speed real,
  heading real,
  altitude real,
  battery real
) PARTITION BY RANGE (recorded_at);
CREATE INDEX agent_trail_agent ON agent_trail (organization_id, agent_id, recorded_at);

-- Makes the daily partitions of a time-partitioned table from `days_back` days ago to `days_ahead` days ahead.
-- Long texts are stored uncompressed and in line where they fit: compressing costs more than writing. Waits for its
-- lock only briefly (55P03): commits would wait behind it.
-- The form without `days_back` stays for processes of the release before.
CREATE FUNCTION ensure_daily_partitions(parent regclass, days_back int, days_ahead int) RETURNS void LANGUAGE plpgsql
  SET timezone = 'UTC' SET lock_timeout = '500ms' AS $$
DECLARE
  has_body boolean := EXISTS (SELECT FROM pg_attribute WHERE attrelid = parent AND attname = 'body');
  day date;
  partition text;
BEGIN
  PERFORM pg_advisory_xact_lock(7206317);
  FOR day IN SELECT generate_series(current_date - days_back, current_date + days_ahead, interval '1 day')::date LOOP
    partition := format('%s_%s', parent, to_char(day, 'YYYYMMDD'));
    IF to_regclass(partition) IS NULL THEN
      EXECUTE format('CREATE TABLE %I PARTITION OF %s FOR VALUES FROM (%L) TO (%L) %s',
        partition, parent, day, day + 1, CASE WHEN has_body THEN 'WITH (toast_tuple_target = 8160)' END);
      IF has_body THEN
        EXECUTE format('ALTER TABLE %I ALTER COLUMN body SET STORAGE EXTERNAL', partition);
      END IF;
    END IF;
  END LOOP;
END $$;

SELECT ensure_daily_partitions('agent_trail', 3, 7);
