-- Drops up to ten daily partitions that hold nothing younger than `keep`, the oldest first. Returns their number. It
-- waits for its locks only briefly. Commits stand still until it ends, and a partition takes some thirteen locks of the
-- 22,000 that Postgres has room for by default: further calls drop the others.
CREATE OR REPLACE FUNCTION drop_daily_partitions(parent regclass, keep interval) RETURNS int LANGUAGE plpgsql
  SET timezone = 'UTC' SET lock_timeout = '500ms' AS $$
DECLARE
  partition regclass;
  dropped int := 0;
BEGIN
  PERFORM pg_advisory_xact_lock(7206317);
  FOR partition IN
    SELECT c.oid::regclass FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = parent AND c.relname ~ '_[0-9]{8}$'
      AND to_date(substring(c.relname, '_([0-9]{8})$'), 'YYYYMMDD') + 1 < now() - keep
    ORDER BY c.relname LIMIT 10
  LOOP
    EXECUTE format('DROP TABLE %s', partition);
    dropped := dropped + 1;
  END LOOP;
  RETURN dropped;
END $$;
