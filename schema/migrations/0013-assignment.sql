-- Searches for an agent, and what agents are asked. Written by actors, through commit_group.

-- The search that a task is in, with its open requests; null for a task that looks for nobody.
ALTER TABLE tasks ADD COLUMN search json;

-- Tasks that a round of the planner has to look at now. A table of its own, so that the others pay nothing for it.
CREATE TABLE searching_tasks (
  organization_id bigint NOT NULL,
  task_id bigint NOT NULL,
  PRIMARY KEY (organization_id, task_id)
);

CREATE SEQUENCE assignment_request_ids INCREMENT BY 1000;
CREATE TABLE assignment_requests (
  organization_id bigint NOT NULL,
  id bigint NOT NULL,
  version int NOT NULL,
  task_id bigint NOT NULL,
  agent_id bigint NOT NULL,
  channel_id bigint NOT NULL,
  status text NOT NULL CHECK (status IN ('pending', 'accepted', 'rejected', 'expired', 'cancelled')),
  mode text NOT NULL,
  -- Which attempt of its search it belongs to, from 1.
  attempt int NOT NULL,
  score float8 NOT NULL,
  distance_m int,
  eta_seconds int,
  expires_at timestamptz NOT NULL,
  responded_at timestamptz,
  rejection_reason text,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX assignment_requests_task ON assignment_requests (organization_id, task_id, id);
CREATE INDEX assignment_requests_agent ON assignment_requests (organization_id, agent_id, created_at, id);
CREATE INDEX assignment_requests_created ON assignment_requests (organization_id, created_at, id);
-- Those that wait for an answer, of one agent or of all: few among many.
CREATE INDEX assignment_requests_pending ON assignment_requests (organization_id, agent_id) WHERE status = 'pending';
