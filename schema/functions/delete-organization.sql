-- Deletes up to `most` rows of an organization that has a tombstone. Returns their number; 0: nothing is left. Of proofs
-- it deletes fifty at most: each may have half a megabyte, and thousands of them take longer than a statement may.
-- The catalog names the tables, so that no later one is forgotten. Heads go first: followers of the logs then find
-- nothing to follow. Users go last: the waiting mails are found by their addresses.
CREATE OR REPLACE FUNCTION delete_organization_batch(organization bigint, most int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  leaf regclass;
  deleted bigint;
  total bigint := 0;
BEGIN
  IF NOT EXISTS (SELECT FROM deleted_organizations d WHERE d.organization_id = organization) THEN
    RAISE EXCEPTION 'organization % has no tombstone', organization;
  END IF;
  DELETE FROM mail_requests m USING users u
    WHERE u.organization_id = organization AND lower(u.email) = lower(m.email);
  -- Kept for its creator, who belongs to no organization.
  DELETE FROM kept_outcomes k WHERE k.made_organization_id = organization;
  FOR leaf IN
    SELECT c.oid::regclass FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace AND a.attname = 'organization_id'
      AND NOT a.attisdropped AND c.relname <> 'deleted_organizations'
    ORDER BY c.relname <> 'organization_heads', c.relname = 'users', c.relname
  LOOP
    EXECUTE format('DELETE FROM %1$s WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM %1$s WHERE organization_id = $1 LIMIT $2))', leaf)
      USING organization, CASE leaf WHEN 'task_proofs'::regclass THEN least(most - total, 50) ELSE most - total END;
    GET DIAGNOSTICS deleted = ROW_COUNT;
    total := total + deleted;
    EXIT WHEN total >= most;
  END LOOP;
  RETURN total;
END $$;
