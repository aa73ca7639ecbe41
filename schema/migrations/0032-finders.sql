-- When a task was rated: a text that sorts like the time, since no cast of a text to a time is immutable.
ALTER TABLE tasks ADD COLUMN rated_at text COLLATE "C" GENERATED ALWAYS AS (rating ->> 'at') STORED;

-- Ratings, newest first: those of the organization, and those of each agent. Tasks without a rating pay nothing.
CREATE INDEX tasks_rated ON tasks (organization_id, rated_at, id) WHERE rated_at IS NOT NULL;
CREATE INDEX tasks_rated_agent ON tasks (organization_id, agent_id, rated_at, id) WHERE rated_at IS NOT NULL;

-- Packages by what a scanner reads.
CREATE INDEX packages_barcode ON packages (organization_id, barcode) WHERE barcode IS NOT NULL;
