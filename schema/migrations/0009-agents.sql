-- Agents as records of their own: who delivers, with what, and whether they are at work.

-- Actors reserve ids of what they make in blocks.
ALTER SEQUENCE agent_ids INCREMENT BY 1000;

ALTER TABLE agents
  ADD COLUMN version int NOT NULL DEFAULT 1,
  ADD COLUMN is_active boolean NOT NULL DEFAULT true,
  ADD COLUMN on_duty boolean NOT NULL DEFAULT false,
  ADD COLUMN duty_changed_at timestamptz,
  ADD COLUMN phone_e164 text,
  -- {type, maxWeightKg, maxVolumeM3, maxPackages}
  ADD COLUMN vehicle json,
  ADD COLUMN skills json NOT NULL DEFAULT '[]',
  -- {address, latitude, longitude}
  ADD COLUMN home json,
  ADD COLUMN created_at timestamptz NOT NULL DEFAULT now(),
  ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now();

-- Until now they were changed as users.
UPDATE agents a SET is_active = u.is_active, first_name = u.first_name, last_name = u.last_name
  FROM users u WHERE u.organization_id = a.organization_id AND u.id = a.user_id;

-- Which agent a user is decides what the user may see: who becomes one, or stops being one, is looked up again.
CREATE TRIGGER agents_access AFTER UPDATE OF user_id OR DELETE ON agents
  FOR EACH ROW EXECUTE FUNCTION note_access_change('user', 'user_id');
CREATE FUNCTION note_new_agent() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO access_changes (organization_id, subject, subject_id)
    VALUES (NEW.organization_id, 'user', NEW.user_id) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER agents_made AFTER INSERT ON agents FOR EACH ROW EXECUTE FUNCTION note_new_agent();

-- Those that were made before count, too.
INSERT INTO usage (organization_id, resource, period, used)
  SELECT organization_id, 'agents', '1970-01-01', count(*) FROM agents GROUP BY organization_id
  ON CONFLICT (organization_id, resource, period) DO UPDATE SET used = excluded.used;

-- When the assigned agent reached the place of a task, and when it was last said to arrive.
ALTER TABLE tasks ADD COLUMN arrived_at timestamptz, ADD COLUMN eta_at timestamptz;
