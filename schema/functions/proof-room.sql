-- Whether a task has fewer proofs than it may have. A call waits until the transactions of earlier callers for the task
-- have ended, and sees their rows: of several at once each counts those before it.
CREATE OR REPLACE FUNCTION proof_room(organization bigint, task bigint, most int) RETURNS boolean
  LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('proof_room ' || task, organization));
  RETURN (SELECT count(*) FROM task_proofs p WHERE p.organization_id = organization AND p.task_id = task) < most;
END $$;
