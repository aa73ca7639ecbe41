-- Tables that are appended to and read by their keys. What the planner knows of them changes no plan, and no index alone
-- answers for them; looked at with every tenth that they have grown, they cost a ninth of Postgres' time under a load of
-- new tasks. Once they have doubled is soon enough. Rows that die are cleared away as ever.

ALTER TABLE locations SET (autovacuum_analyze_scale_factor = 1, autovacuum_vacuum_insert_scale_factor = 1);
ALTER TABLE packages SET (autovacuum_analyze_scale_factor = 1, autovacuum_vacuum_insert_scale_factor = 1);
ALTER TABLE task_history SET (autovacuum_analyze_scale_factor = 1, autovacuum_vacuum_insert_scale_factor = 1);
ALTER TABLE audit_records SET (autovacuum_analyze_scale_factor = 1, autovacuum_vacuum_insert_scale_factor = 1);

-- As in 0010, with these settings but for deliveries, whose rows change.
CREATE OR REPLACE FUNCTION ensure_daily_partitions(parent regclass, days_back int, days_ahead int) RETURNS void
  LANGUAGE plpgsql SET timezone = 'UTC' SET lock_timeout = '500ms' AS $$
DECLARE
  has_body boolean := EXISTS (SELECT FROM pg_attribute WHERE attrelid = parent AND attname = 'body');
  settings text := concat_ws(', ',
    CASE WHEN has_body THEN 'toast_tuple_target = 8160' END,
    CASE WHEN parent <> 'webhook_deliveries'::regclass
      THEN 'autovacuum_analyze_scale_factor = 1, autovacuum_vacuum_insert_scale_factor = 1' END);
  day date;
  partition text;
BEGIN
  PERFORM pg_advisory_xact_lock(7206317);
  FOR day IN SELECT generate_series(current_date - days_back, current_date + days_ahead, interval '1 day')::date LOOP
    partition := format('%s_%s', parent, to_char(day, 'YYYYMMDD'));
    IF to_regclass(partition) IS NULL THEN
      EXECUTE format('CREATE TABLE %I PARTITION OF %s FOR VALUES FROM (%L) TO (%L) %s',
        partition, parent, day, day + 1, CASE WHEN settings <> '' THEN format('WITH (%s)', settings) END);
      IF has_body THEN
        EXECUTE format('ALTER TABLE %I ALTER COLUMN body SET STORAGE EXTERNAL', partition);
      END IF;
    END IF;
  END LOOP;
END $$;

DO $$
DECLARE
  partition regclass;
BEGIN
  FOR partition IN
    SELECT c.oid FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent IN ('events'::regclass, 'idempotency_records'::regclass, 'agent_trail'::regclass) AND c.relkind = 'r'
  LOOP
    EXECUTE format('ALTER TABLE %s SET (autovacuum_analyze_scale_factor = 1, autovacuum_vacuum_insert_scale_factor = 1)',
      partition);
  END LOOP;
END $$;
