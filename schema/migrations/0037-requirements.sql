-- What a task asks for before it succeeds, and what it has of that: the kinds of its proofs, and scanned packages.
-- lines_of fills up the lines of the release before.
ALTER TABLE tasks ADD COLUMN requirements json, ADD COLUMN proofs json;
ALTER TYPE task_line ADD ATTRIBUTE requirements json, ADD ATTRIBUTE proofs json;
ALTER TABLE packages ADD COLUMN scanned_at timestamptz;
ALTER TYPE package_line ADD ATTRIBUTE "scannedAt" timestamptz;

UPDATE tasks t SET proofs = p.kinds
  FROM (SELECT organization_id, task_id, json_agg(DISTINCT kind) AS kinds FROM task_proofs GROUP BY 1, 2) p
  WHERE t.organization_id = p.organization_id AND t.id = p.task_id;
