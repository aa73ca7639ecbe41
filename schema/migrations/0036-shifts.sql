-- When agents work, and when their actor has to look at that: only the agents with shifts are in the index.
ALTER TABLE agents ADD COLUMN shifts json, ADD COLUMN off_duty_at timestamptz, ADD COLUMN deadline_at timestamptz;
ALTER TYPE agent_line ADD ATTRIBUTE shifts json, ADD ATTRIBUTE "offDutyAt" timestamptz,
  ADD ATTRIBUTE "deadlineAt" timestamptz;
CREATE INDEX agents_due ON agents (organization_id, deadline_at) WHERE deadline_at IS NOT NULL;
