-- What tells this database from those that it was restored from: a promotion changes the timeline, a new server the
-- identifier, a restore into another database its oid, a restore in place the oid of the table.
-- The checkpoint that notes a promotion may take minutes. Until it ends, the end of the recovery has the new timeline, and
-- after that 0.
CREATE OR REPLACE FUNCTION mark_of_history(
  OUT system_identifier text, OUT timeline int, OUT database_oid oid, OUT table_oid oid
) LANGUAGE sql VOLATILE AS $$
  SELECT s.system_identifier::text, greatest(c.timeline_id, r.min_recovery_end_timeline), d.oid, 'log_history'::regclass::oid
  FROM pg_control_system() s, pg_control_checkpoint() c, pg_control_recovery() r, pg_database d
  WHERE d.datname = current_database()
$$;

-- Gives the logs another history, on an operator's word. `running`: the programs that go on with the one of before; then
-- nothing is changed.
-- Each statement sees what committed before the lock was given. A gateway that starts meanwhile announces itself before
-- it asks for the history again, so either it is seen here, or it sees the new history.
CREATE OR REPLACE FUNCTION renew_history(fresh text, OUT before text, OUT running text[]) LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  SELECT h.history INTO before FROM log_history h FOR UPDATE;
  SELECT array_agg(name ORDER BY name) INTO running FROM (
    SELECT 'gateway ' || g.id AS name FROM gateways g WHERE g.lease_expires_at > clock_timestamp()
    UNION
    SELECT a.application_name FROM pg_stat_activity a
    WHERE a.datname = current_database() AND a.application_name LIKE 'dispatch %' AND a.application_name <> 'dispatch admin'
  ) AS programs;
  IF running IS NOT NULL THEN RETURN; END IF;
  -- A gateway that was out of reach finds itself superseded, and ends, instead of going on with the old history.
  DELETE FROM gateways;
  INSERT INTO log_history AS h (history, system_identifier, timeline, database_oid, table_oid)
    SELECT fresh, m.* FROM mark_of_history() m
  ON CONFLICT (only_row) DO UPDATE SET
    history = excluded.history, system_identifier = excluded.system_identifier, timeline = excluded.timeline,
    database_oid = excluded.database_oid, table_oid = excluded.table_oid;
END $$;
