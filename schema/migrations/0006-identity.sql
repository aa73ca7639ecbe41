-- Who is calling: users with sessions, channels, what access rests on, what was changed by whom, and deletion.

ALTER TABLE organizations
  ADD COLUMN version int NOT NULL DEFAULT 1,
  -- Shown as they were given, in the order of their keys, too.
  ALTER COLUMN settings TYPE json;

ALTER TABLE users
  ADD COLUMN version int NOT NULL DEFAULT 1,
  ADD COLUMN is_active boolean NOT NULL DEFAULT true,
  ADD COLUMN email_verified_at timestamptz,
  -- The user behind a channel that was made without one has no address.
  ALTER COLUMN email DROP NOT NULL;
-- They were made before there was anything to verify.
UPDATE users SET email_verified_at = created_at;

-- Every organization has one built-in channel, `console`, for what users do in their sessions: no key, no user.
ALTER TABLE channels
  ADD COLUMN version int NOT NULL DEFAULT 1,
  ADD COLUMN built_in boolean NOT NULL DEFAULT false,
  ALTER COLUMN user_id DROP NOT NULL;
UPDATE channels c SET built_in = true, user_id = NULL
  WHERE c.id = (SELECT min(o.id) FROM channels o
    WHERE o.organization_id = c.organization_id AND o.name = 'console' AND o.key_hash IS NULL);
INSERT INTO channels (organization_id, id, name, built_in)
  SELECT o.organization_id, nextval('channel_ids'), 'console', true FROM organizations o
  WHERE NOT EXISTS (SELECT FROM channels c WHERE c.organization_id = o.organization_id AND c.built_in);
CREATE UNIQUE INDEX channels_built_in ON channels (organization_id) WHERE built_in;

CREATE INDEX agents_user ON agents (organization_id, user_id);

-- A gateway that superseded another may have taken over from one whose cache is still warm.
ALTER TABLE gateways ADD COLUMN registered_at timestamptz NOT NULL DEFAULT now();

CREATE SEQUENCE session_ids;
CREATE TABLE sessions (
  organization_id bigint NOT NULL,
  id bigint NOT NULL,
  user_id bigint NOT NULL,
  access_hash bytea NOT NULL,
  access_expires_at timestamptz NOT NULL,
  -- Of the part that all refresh tokens of the session share, and of the newest one whole; null: cannot be refreshed.
  family_hash bytea,
  refresh_hash bytea,
  refresh_expires_at timestamptz,
  address text,
  created_at timestamptz NOT NULL DEFAULT now(),
  refreshed_at timestamptz NOT NULL DEFAULT now(),
  revoked_at timestamptz,
  PRIMARY KEY (organization_id, id)
);
CREATE UNIQUE INDEX sessions_access ON sessions (access_hash);
CREATE UNIQUE INDEX sessions_family ON sessions (family_hash);
CREATE INDEX sessions_user ON sessions (organization_id, user_id) WHERE revoked_at IS NULL;

-- Tokens that were mailed. Several may live at a time: asking for another mail makes none of them void.
CREATE TABLE user_tokens (
  organization_id bigint NOT NULL,
  user_id bigint NOT NULL,
  purpose text NOT NULL CHECK (purpose IN ('verify_email', 'reset_password')),
  token_hash bytea NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, user_id, purpose, token_hash)
);
CREATE UNIQUE INDEX user_tokens_hash ON user_tokens (token_hash);

-- Mail that was asked for, whether or not anybody has the address: the worker finds out, out of sight.
CREATE TABLE mail_requests (
  purpose text NOT NULL CHECK (purpose IN ('verify_email', 'reset_password')),
  email text NOT NULL,
  requested_at timestamptz NOT NULL DEFAULT now(),
  attempts int NOT NULL DEFAULT 0,
  -- Also the end of a worker's lease.
  due_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX mail_requests_one ON mail_requests (purpose, lower(email));
CREATE INDEX mail_requests_due ON mail_requests (due_at);

-- Every change of what access rests on, whoever made it; gateways read what their last snapshot did not show.
CREATE TABLE access_changes (
  organization_id bigint NOT NULL,
  subject text NOT NULL,
  subject_id bigint NOT NULL,
  xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, subject, subject_id, xid)
);
CREATE INDEX access_changes_xid ON access_changes (xid);

-- TG_ARGV: the subject, and the column that holds its id.
CREATE FUNCTION note_access_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO access_changes (organization_id, subject, subject_id)
    VALUES (OLD.organization_id, TG_ARGV[0], (to_jsonb(OLD) ->> TG_ARGV[1])::bigint) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER organizations_deleted AFTER DELETE ON organizations
  FOR EACH ROW EXECUTE FUNCTION note_access_change('organization', 'organization_id');
-- A column may be set to what it was: only another value is a change.
CREATE TRIGGER organizations_access AFTER UPDATE OF status ON organizations
  FOR EACH ROW WHEN (OLD.status IS DISTINCT FROM NEW.status)
  EXECUTE FUNCTION note_access_change('organization', 'organization_id');
CREATE TRIGGER channels_access AFTER UPDATE OF status, key_hash, user_id, rate_limit, locations_write ON channels
  FOR EACH ROW WHEN ((OLD.status, OLD.key_hash, OLD.user_id, OLD.rate_limit, OLD.locations_write)
    IS DISTINCT FROM (NEW.status, NEW.key_hash, NEW.user_id, NEW.rate_limit, NEW.locations_write))
  EXECUTE FUNCTION note_access_change('channel', 'id');
CREATE TRIGGER users_access AFTER UPDATE OF role, is_active, email_verified_at ON users
  FOR EACH ROW WHEN ((OLD.role, OLD.is_active, OLD.email_verified_at)
    IS DISTINCT FROM (NEW.role, NEW.is_active, NEW.email_verified_at))
  EXECUTE FUNCTION note_access_change('user', 'id');
CREATE TRIGGER sessions_access AFTER UPDATE OF revoked_at ON sessions
  FOR EACH ROW WHEN (OLD.revoked_at IS DISTINCT FROM NEW.revoked_at)
  EXECUTE FUNCTION note_access_change('session', 'id');
-- A refreshed session has another access token; what rests on the session itself, a stream, goes on.
CREATE TRIGGER sessions_token AFTER UPDATE OF access_hash ON sessions
  FOR EACH ROW WHEN (OLD.access_hash IS DISTINCT FROM NEW.access_hash)
  EXECUTE FUNCTION note_access_change('token', 'id');

-- All that stays of an organization; from the commit that writes it on nothing of the organization is served.
CREATE TABLE deleted_organizations (
  organization_id bigint PRIMARY KEY,
  name_hash bytea NOT NULL,
  requested_by bigint,
  requested_at timestamptz NOT NULL DEFAULT now(),
  xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  -- When a first pass left nothing, and when a second one found nothing.
  cleared_at timestamptz,
  finished_at timestamptz
);
CREATE INDEX deleted_organizations_xid ON deleted_organizations (xid);

-- Who changed a task from where, and what it was before; text, since an address may carry a zone that inet refuses.
ALTER TABLE task_history ADD COLUMN correlation_id uuid, ADD COLUMN address text, ADD COLUMN changes json;

-- The same for the other records that actors change, by commit_group.
CREATE TABLE audit_records (
  organization_id bigint NOT NULL,
  record_type text NOT NULL,
  record_id bigint NOT NULL,
  version int NOT NULL,
  at timestamptz NOT NULL,
  actor_type text NOT NULL,
  actor_id bigint,
  correlation_id uuid,
  address text,
  before json,
  after json,
  PRIMARY KEY (organization_id, record_type, record_id, version)
);
CREATE INDEX audit_records_at ON audit_records (organization_id, at);

-- And for what plain transactions change: users, channels, sessions, the making of organizations.
CREATE SEQUENCE audit_ids;
CREATE TABLE audit_access (
  organization_id bigint NOT NULL,
  id bigint NOT NULL DEFAULT nextval('audit_ids'),
  at timestamptz NOT NULL DEFAULT now(),
  action text NOT NULL,
  record_type text NOT NULL,
  record_id bigint NOT NULL,
  actor_type text NOT NULL,
  actor_id bigint,
  correlation_id uuid,
  address text,
  before json,
  after json,
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX audit_access_at ON audit_access (organization_id, at);

-- Outcomes of plain transactions under their Idempotency-Key. They may hold an API key: sealed with that key's text.
CREATE TABLE kept_outcomes (
  organization_id bigint NOT NULL,
  scope text NOT NULL,
  key_hash bytea NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  fingerprint text NOT NULL,
  status int NOT NULL,
  sealed bytea NOT NULL,
  PRIMARY KEY (organization_id, scope, key_hash)
);
