-- Keeps the tables by which lists are found and counted. Called by commit_group after write_tasks.

-- The digest by which a field at the top level of integration data is found.
CREATE OR REPLACE FUNCTION task_reference(key text, value text) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT substring(sha256(convert_to(octet_length(key) || ' ' || key || value, 'UTF8')) FOR 16)
$$;

-- `tasks_in`: rows as write_tasks takes them. New ones are listed; of the others only those marked `relist`, whose
-- name, scheduledAt, integrationData or locationId has changed. `reusesLocation` marks a new task at a place that was there
-- before. `counts_in`: the change of the number of tasks of each kind; null when there is none.
--
-- `marked`: the numbers of tasks that are relisted; have a schedule; are at an existing place; have integration data;
-- begin or cease to search. Most tasks are none of these, and a number of 0 spares the search. Null: not counted.
CREATE OR REPLACE FUNCTION write_task_lists(tasks_in task_line[], counts_in json, marked int[]) RETURNS void
  LANGUAGE plpgsql AS $$
DECLARE
  moved bigint;
BEGIN
  IF marked[1] IS DISTINCT FROM 0 THEN
    PERFORM unlist_tasks(tasks_in);
  END IF;
  INSERT INTO findable_fresh (organization_id, task_id, version, again, created_at, text, latitude, longitude)
    SELECT "organizationId", id, version, "expectedVersion" > 0, "createdAt",
      -- As searchable_text() of each: that is STRICT, so that Postgres calls it instead of its expression, at four times the cost.
      fold_case(translate(code, E'\x1e\x1f', '')
        || CASE WHEN name = code THEN '' ELSE E'\x1f' || translate(name, E'\x1e\x1f', '') END),
      l.latitude, l.longitude
    FROM unnest(tasks_in) n
    -- One by one, in the order of their ids: planned on a table of a few rows, every index looks as good.
    LEFT JOIN LATERAL (SELECT r.latitude, r.longitude FROM locations r
      WHERE r.organization_id = n."organizationId" AND r.id BETWEEN n."locationId" AND n."locationId"
      ORDER BY r.id LIMIT 1) l ON true
    WHERE "expectedVersion" = 0 OR relist;
  IF marked[2] IS DISTINCT FROM 0 THEN
    INSERT INTO scheduled_tasks (organization_id, task_id, scheduled_at, created_at, channel_id)
      SELECT "organizationId", id, "scheduledAt", "createdAt", "channelId"
      FROM unnest(tasks_in) n
      WHERE "scheduledAt" IS NOT NULL AND ("expectedVersion" = 0 OR relist);
  END IF;
  IF marked[4] IS DISTINCT FROM 0 THEN
    INSERT INTO task_references (organization_id, task_id, reference, created_at)
      SELECT "organizationId", id, task_reference(f.key, f.value #>> '{}'), "createdAt"
      FROM unnest(tasks_in) n
      CROSS JOIN json_each("integrationData") f
      WHERE ("expectedVersion" = 0 OR relist) AND json_typeof(f.value) IN ('string', 'number', 'boolean')
      ON CONFLICT DO NOTHING;
  END IF;
  IF marked[3] IS DISTINCT FROM 0 OR marked[1] IS DISTINCT FROM 0 THEN
    INSERT INTO location_uses (organization_id, location_id, created_at, task_id)
      SELECT "organizationId", "locationId", "createdAt", id
      FROM unnest(tasks_in) n
      WHERE "locationId" IS NOT NULL AND ("reusesLocation" OR relist)
      ON CONFLICT DO NOTHING;
  END IF;
  -- Tasks that rounds begin or cease to look at.
  IF marked[5] IS DISTINCT FROM 0 THEN
    DELETE FROM searching_tasks s
      USING unnest(tasks_in) n
      WHERE NOT n.sought AND s.organization_id = n."organizationId" AND s.task_id = n.id;
    INSERT INTO searching_tasks (organization_id, task_id)
      SELECT "organizationId", id
      FROM unnest(tasks_in) n
      WHERE sought
      ON CONFLICT DO NOTHING;
  END IF;

  IF counts_in IS NOT NULL THEN
    UPDATE task_counts c SET count = c.count + n.delta FROM task_count_deltas(counts_in) n
      WHERE c.organization_id = n.organization_id AND c.status = n.status AND c.task_type = n.task_type
        AND c.channel_id = n.channel_id AND c.time_to_serve = n.time_to_serve;
    GET DIAGNOSTICS moved = ROW_COUNT;
    IF moved < json_array_length(counts_in) THEN
      -- Not ON CONFLICT: it checks the row that it proposes, and a delta may be negative where a count may not.
      INSERT INTO task_counts (organization_id, status, task_type, channel_id, time_to_serve, count)
        SELECT n.organization_id, n.status, n.task_type, n.channel_id, n.time_to_serve, n.delta
        FROM task_count_deltas(counts_in) n
        WHERE NOT EXISTS (SELECT 1 FROM task_counts c
          WHERE c.organization_id = n.organization_id AND c.status = n.status AND c.task_type = n.task_type
            AND c.channel_id = n.channel_id AND c.time_to_serve = n.time_to_serve);
    END IF;
  END IF;
END $$;

-- Location uses stay: they may be too many, never too few.
CREATE OR REPLACE FUNCTION unlist_tasks(tasks_in task_line[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM scheduled_tasks s
    USING unnest(tasks_in) n
    WHERE n.relist AND s.organization_id = n."organizationId" AND s.task_id = n.id;
  DELETE FROM task_references r
    USING unnest(tasks_in) n
    WHERE n.relist AND r.organization_id = n."organizationId" AND r.task_id = n.id;
END $$;

-- The deltas of each counter added up: an UPDATE applies only one of several rows for the same target.
CREATE OR REPLACE FUNCTION task_count_deltas(counts_in json)
  RETURNS TABLE (organization_id bigint, status text, task_type text, channel_id bigint, time_to_serve text, delta bigint)
  LANGUAGE sql AS $$
  SELECT "organizationId", status, "taskType", "channelId", "timeToServe", sum(delta)::bigint
  FROM json_to_recordset(counts_in) AS n("organizationId" bigint, status text, "taskType" text, "channelId" bigint,
    "timeToServe" text, delta bigint)
  GROUP BY "organizationId", status, "taskType", "channelId", "timeToServe"
$$;
