-- The parts of a job in its order, each with what belongs to it: whole rows, as objects by the names of their columns.
-- A function, since a statement gets everything ready that it may need, and hardly any task has parts. In the snapshot
-- of the statement that calls it.
CREATE OR REPLACE FUNCTION task_parts(organization bigint, child_ids json) RETURNS json
  LANGUAGE plpgsql STABLE STRICT AS $$
BEGIN
  RETURN (SELECT json_agg(part.bundle ORDER BY child.place)
    FROM json_array_elements_text(child_ids) WITH ORDINALITY AS child(id, place)
    -- One by one: as a join, a planner without statistics reads all tasks of the organization.
    CROSS JOIN LATERAL (
      SELECT json_build_array(to_json(t),
        (SELECT to_json(r) FROM customers r WHERE r.organization_id = organization AND r.id = t.customer_id),
        (SELECT to_json(r) FROM agents r WHERE r.organization_id = organization AND r.id = t.agent_id),
        (SELECT to_json(r) FROM locations r WHERE r.organization_id = organization AND r.id = t.location_id),
        (SELECT to_json(r) FROM locations r WHERE r.organization_id = organization AND r.id = t.pickup_location_id),
        array_to_json(ARRAY(SELECT to_json(p) FROM packages p
          WHERE p.organization_id = organization AND p.task_id = t.id ORDER BY p.id))) AS bundle
      FROM tasks t WHERE t.organization_id = organization AND t.id = child.id::bigint LIMIT 1) part);
END $$;
