-- What shows that a task was carried out: files as they came, and that the customer's PIN was given. Written by plain
-- transactions, never changed.
CREATE SEQUENCE proof_ids;
CREATE TABLE task_proofs (
  organization_id bigint NOT NULL,
  task_id bigint NOT NULL,
  id bigint NOT NULL,
  kind text NOT NULL CHECK (kind IN ('photo', 'signature', 'pin')),
  content_type text,
  -- Incompressible, and always read whole.
  content bytea,
  actor_type text NOT NULL,
  actor_id bigint,
  created_at timestamptz NOT NULL,
  CHECK ((kind = 'pin') = (content IS NULL) AND (content IS NULL) = (content_type IS NULL)),
  PRIMARY KEY (organization_id, task_id, id)
);
ALTER TABLE task_proofs ALTER COLUMN content SET STORAGE EXTERNAL;

-- How often a wrong PIN was given for a task; a row once any was. Written by plain transactions.
CREATE TABLE task_pins (
  organization_id bigint NOT NULL,
  task_id bigint NOT NULL,
  wrong_count int NOT NULL,
  PRIMARY KEY (organization_id, task_id)
);
