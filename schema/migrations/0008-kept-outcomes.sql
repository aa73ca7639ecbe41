-- The answer to the making of an organization is kept where its maker belongs, and goes with the organization.
ALTER TABLE kept_outcomes ADD COLUMN made_organization_id bigint;
CREATE INDEX kept_outcomes_made ON kept_outcomes (made_organization_id) WHERE made_organization_id IS NOT NULL;
