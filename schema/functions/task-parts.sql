-- The parts of a job in its order, each with its belongings: whole rows, as objects by the names of their columns.
-- It is a function because a statement prepares everything that it may need, and hardly any task has parts. It reads in
-- the snapshot of the calling statement.
CREATE OR REPLACE FUNCTION task_parts(organization bigint, child_ids json) RETURNS json
  LANGUAGE plpgsql STABLE STRICT AS $$
BEGIN
  RETURN (SELECT json_agg(part.bundle ORDER BY child.place)
    FROM json_array_elements_text(child_ids) WITH ORDINALITY AS child(id, place)
    -- One by one: as a join, a planner without statistics reads all tasks of the organization. Each in an order that only
    -- the primary key has: planned on tables of a few rows, every index looks as good.
    CROSS JOIN LATERAL (
      SELECT json_build_array(to_json(t),
        (SELECT to_json(r) FROM customers r
          WHERE r.organization_id = organization AND r.id BETWEEN t.customer_id AND t.customer_id ORDER BY r.id LIMIT 1),
        (SELECT to_json(r) FROM agents r
          WHERE r.organization_id = organization AND r.id BETWEEN t.agent_id AND t.agent_id ORDER BY r.id LIMIT 1),
        (SELECT to_json(r) FROM locations r
          WHERE r.organization_id = organization AND r.id BETWEEN t.location_id AND t.location_id ORDER BY r.id LIMIT 1),
        (SELECT to_json(r) FROM locations r
          WHERE r.organization_id = organization AND r.id BETWEEN t.pickup_location_id AND t.pickup_location_id ORDER BY r.id LIMIT 1),
        array_to_json(ARRAY(SELECT to_json(p) FROM packages p
          WHERE p.organization_id = organization AND p.task_id = t.id ORDER BY p.id))) AS bundle
      FROM tasks t WHERE t.organization_id = organization AND t.id BETWEEN child.id::bigint AND child.id::bigint
      ORDER BY t.id LIMIT 1) part);
END $$;

-- The stamps of the parts of a job in their order, as one text: the marks of all rows that task_parts() shows. TASK_STAMP
-- (engine/store/rows/record-tables.ts) says what a stamp is, and markOf() beside it what a mark is.
CREATE OR REPLACE FUNCTION task_parts_stamp(organization bigint, child_ids json) RETURNS text
  LANGUAGE plpgsql STABLE STRICT AS $$
BEGIN
  RETURN (SELECT string_agg(part.stamp, ',' ORDER BY child.place)
    FROM json_array_elements_text(child_ids) WITH ORDINALITY AS child(id, place)
    CROSS JOIN LATERAL (
      SELECT concat_ws(' ', t.version, date_part('epoch', t.updated_at),
        (SELECT r.version || ' ' || date_part('epoch', r.updated_at) FROM customers r
          WHERE r.organization_id = organization AND r.id BETWEEN t.customer_id AND t.customer_id ORDER BY r.id LIMIT 1),
        (SELECT r.version || ' ' || date_part('epoch', r.updated_at) FROM agents r
          WHERE r.organization_id = organization AND r.id BETWEEN t.agent_id AND t.agent_id ORDER BY r.id LIMIT 1)) AS stamp
      FROM tasks t WHERE t.organization_id = organization AND t.id BETWEEN child.id::bigint AND child.id::bigint
      ORDER BY t.id LIMIT 1) part);
END $$;
