-- What tasks are found by: the rows that no worker has listed yet, and how workers list them.

-- The tasks of an organization whose entries in findable_pages and findable_places are out of date.
CREATE OR REPLACE FUNCTION relisted_tasks(organization bigint) RETURNS TABLE (task_id bigint)
  LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT f.task_id FROM findable_fresh f WHERE f.organization_id = organization AND f.again
$$;

-- The newest row of each task that no worker has listed yet. They are few, and read one after the other.
CREATE OR REPLACE FUNCTION fresh_findables(organization bigint)
  RETURNS TABLE (task_id bigint, created_at timestamptz, text text, latitude float8, longitude float8)
  LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT f.task_id, f.created_at, f.text, f.latitude, f.longitude FROM findable_fresh f
    WHERE f.organization_id = organization AND NOT f.again
      AND f.task_id NOT IN (SELECT r.task_id FROM relisted_tasks(organization) r)
  UNION ALL SELECT a.* FROM (
    SELECT DISTINCT ON (f.task_id) f.task_id, f.created_at, f.text, f.latitude, f.longitude FROM findable_fresh f
      WHERE f.organization_id = organization AND f.again ORDER BY f.task_id, f.version DESC) a
$$;

-- Moves up to `most` rows of findable_fresh to the tables that have indexes. Returns their number; 0 when another process
-- is at it. A row of a task that was listed before is moved when all others are: the older rows of a task go first.
CREATE OR REPLACE FUNCTION list_findables(most int, page_size int DEFAULT 128) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  moved findable_fresh[];
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended('list_findables', 0)) THEN
    RETURN 0;
  END IF;
  WITH taken AS (
    DELETE FROM findable_fresh WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM findable_fresh ORDER BY again, version LIMIT most))
    RETURNING findable_fresh AS moved_row)
  SELECT array_agg(moved_row) INTO moved FROM taken;
  IF moved IS NULL THEN
    RETURN 0;
  END IF;

  WITH latest AS MATERIALIZED (
    SELECT DISTINCT ON (organization_id, task_id) * FROM unnest(moved) ORDER BY organization_id, task_id, version DESC
  ), left_places AS (
    DELETE FROM findable_places p USING latest n
      WHERE n.again AND n.latitude IS NULL AND p.organization_id = n.organization_id AND p.task_id = n.task_id
  )
  INSERT INTO findable_places AS p (organization_id, task_id, created_at, latitude, longitude)
    SELECT organization_id, task_id, created_at, latitude, longitude FROM latest WHERE latitude IS NOT NULL
    ORDER BY organization_id, task_id
    ON CONFLICT (organization_id, task_id) DO UPDATE SET latitude = excluded.latitude, longitude = excluded.longitude;

  -- Pages that are not full are taken up again with the new tasks, and those that hold an entry out of date.
  WITH latest AS MATERIALIZED (
    SELECT DISTINCT ON (organization_id, task_id) * FROM unnest(moved) ORDER BY organization_id, task_id, version DESC
  ), changed AS MATERIALIZED (
    SELECT p.organization_id, p.last_task_id FROM findable_pages p
      WHERE NOT p.is_full AND p.organization_id IN (SELECT organization_id FROM latest)
    UNION SELECT p.organization_id, p.last_task_id FROM latest n JOIN findable_pages p ON n.again
      AND p.organization_id = n.organization_id AND p.last_task_id >= n.task_id AND p.first_task_id <= n.task_id
      AND n.task_id = ANY (p.task_ids)
  ), reopened AS (
    DELETE FROM findable_pages p USING changed c
      WHERE p.organization_id = c.organization_id AND p.last_task_id = c.last_task_id
    RETURNING p.*
  ), entries AS MATERIALIZED (
    SELECT organization_id, task_id, created_at, text FROM latest
    UNION ALL SELECT r.organization_id, e.task_id, e.created_at, e.text
      FROM reopened r CROSS JOIN LATERAL unnest(r.task_ids, r.created_ats, r.texts) e (task_id, created_at, text)
      WHERE (r.organization_id, e.task_id) NOT IN (SELECT organization_id, task_id FROM latest)
  ), numbered AS (
    SELECT *, (row_number() OVER (PARTITION BY organization_id ORDER BY task_id) - 1) / page_size AS page FROM entries
  )
  INSERT INTO findable_pages (organization_id, first_task_id, last_task_id, is_full, task_ids, created_ats, texts)
    SELECT organization_id, min(task_id), max(task_id), count(*) = page_size, array_agg(task_id ORDER BY task_id),
      array_agg(created_at ORDER BY task_id), array_agg(text ORDER BY task_id)
    FROM numbered GROUP BY organization_id, page;
  RETURN cardinality(moved);
END $$;
