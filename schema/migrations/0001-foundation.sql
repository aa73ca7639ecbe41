-- The first schema. Every key starts with organization_id, platform tables (shards, gateways, history) apart.

CREATE TABLE log_history (
  -- One row: the incarnation of every event log in this database (decisions.md §6).
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  history text NOT NULL,
  system_identifier text NOT NULL,
  timeline int NOT NULL
);

CREATE TABLE shards (
  shard int PRIMARY KEY,
  -- Incarnation of the gateway that may commit for the shard; null when released.
  owner uuid,
  -- Rises with every change of owner and after every commit of unknown outcome: the fencing token.
  epoch bigint NOT NULL DEFAULT 0
);
INSERT INTO shards (shard) SELECT generate_series(0, 255);

CREATE TABLE gateways (
  id text PRIMARY KEY,
  incarnation uuid NOT NULL UNIQUE,
  address text NOT NULL,
  lease_expires_at timestamptz NOT NULL
);

CREATE SEQUENCE organization_ids;
CREATE TABLE organizations (
  organization_id bigint PRIMARY KEY DEFAULT nextval('organization_ids'),
  name text NOT NULL,
  status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'pending', 'inactive', 'rejected')),
  currency text NOT NULL DEFAULT 'USD',
  -- A number per resource (tasks, customers, agents, warehouses); absent or null = none.
  limits jsonb NOT NULL DEFAULT '{}',
  settings jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);

-- Sequences of what actors make count in blocks of 1000, so that a process reserves many ids at once.
CREATE SEQUENCE user_ids INCREMENT BY 1000;
CREATE TABLE users (
  organization_id bigint NOT NULL,
  id bigint NOT NULL,
  role text NOT NULL CHECK (role IN ('integration', 'dispatcher', 'org_admin', 'agent', 'super_admin')),
  email text NOT NULL,
  first_name text NOT NULL,
  last_name text NOT NULL,
  password_hash text,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id)
);
CREATE UNIQUE INDEX users_email ON users (lower(email));

CREATE SEQUENCE channel_ids;
CREATE TABLE channels (
  organization_id bigint NOT NULL,
  id bigint NOT NULL,
  name text NOT NULL,
  status text NOT NULL DEFAULT 'ACTIVE' CHECK (status IN ('ACTIVE', 'INACTIVE', 'SUSPENDED')),
  user_id bigint NOT NULL,
  key_hash bytea,
  -- Requests a second; 0 = unlimited, null = the default.
  rate_limit int,
  locations_write boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id)
);
CREATE UNIQUE INDEX channels_key_hash ON channels (key_hash);

CREATE SEQUENCE agent_ids;
CREATE TABLE agents (
  organization_id bigint NOT NULL,
  id bigint NOT NULL,
  user_id bigint NOT NULL,
  agent_type text NOT NULL CHECK (agent_type IN ('employee', 'freelancer')),
  first_name text NOT NULL,
  last_name text NOT NULL,
  email text,
  country_code text,
  phone_number text,
  PRIMARY KEY (organization_id, id)
);

-- What follows is written by commit_group alone (0002).

CREATE TABLE organization_heads (
  organization_id bigint PRIMARY KEY,
  shard int NOT NULL,
  last_sequence bigint NOT NULL DEFAULT 0,
  last_at timestamptz NOT NULL DEFAULT now(),
  last_group uuid,
  next_deadline_at timestamptz
) WITH (fillfactor = 50);
CREATE INDEX organization_heads_deadline ON organization_heads (shard, next_deadline_at) WHERE next_deadline_at IS NOT NULL;

CREATE SEQUENCE customer_ids INCREMENT BY 1000;
CREATE TABLE customers (
  organization_id bigint NOT NULL,
  id bigint NOT NULL,
  version int NOT NULL,
  user_id bigint NOT NULL,
  customer_type text NOT NULL CHECK (customer_type IN ('individual', 'business')),
  first_name text NOT NULL,
  last_name text NOT NULL,
  email text,
  phone_e164 text,
  country_code text,
  phone_number text,
  address text,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, id)
);
CREATE UNIQUE INDEX customers_phone ON customers (organization_id, phone_e164) WHERE phone_e164 IS NOT NULL;
CREATE INDEX customers_email ON customers (organization_id, lower(email)) WHERE email IS NOT NULL AND phone_e164 IS NULL;

CREATE SEQUENCE location_ids INCREMENT BY 1000;
CREATE TABLE locations (
  organization_id bigint NOT NULL,
  id bigint NOT NULL,
  address text NOT NULL,
  latitude float8 NOT NULL CHECK (latitude BETWEEN -90 AND 90),
  longitude float8 NOT NULL CHECK (longitude BETWEEN -180 AND 180),
  building text,
  floor text,
  apartment text,
  PRIMARY KEY (organization_id, id)
);

CREATE SEQUENCE task_ids INCREMENT BY 1000;
CREATE TABLE tasks (
  organization_id bigint NOT NULL,
  id bigint NOT NULL,
  version int NOT NULL,
  name text NOT NULL,
  code text NOT NULL,
  task_type text NOT NULL,
  status text NOT NULL,
  -- Lifecycle order, for sorting.
  status_rank smallint NOT NULL,
  time_to_serve text NOT NULL,
  scheduled_at timestamptz,
  assigned_at timestamptz,
  accepted_at timestamptz,
  started_at timestamptz,
  completed_at timestamptz,
  description text,
  notes text,
  customer_id bigint,
  agent_id bigint,
  courier_type text NOT NULL,
  courier_id bigint,
  payment_id bigint,
  location_id bigint,
  pickup_location_id bigint,
  channel_id bigint NOT NULL,
  parent_id bigint,
  integration_data json,
  auto_assignment_status text NOT NULL,
  auto_assignment_failure_reason text,
  preferred_agent_id bigint,
  ready_at timestamptz,
  window_start timestamptz,
  window_end timestamptz,
  estimated_duration int,
  required_skills json,
  amount_minor bigint,
  currency text,
  outcome text,
  failure_reason text,
  tracking_token text NOT NULL,
  delayed_at timestamptz,
  deadline_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, id),
  CONSTRAINT tasks_status CHECK (status_rank BETWEEN 0 AND 6),
  CONSTRAINT tasks_customer CHECK (customer_id IS NOT NULL OR task_type IN ('cash_collection', 'cash_drop')),
  CONSTRAINT tasks_in_transit_agent CHECK (status <> 'in_transit' OR agent_id IS NOT NULL OR courier_id IS NOT NULL)
);
CREATE UNIQUE INDEX tasks_code ON tasks (organization_id, code);
CREATE INDEX tasks_created ON tasks (organization_id, created_at, id);
CREATE INDEX tasks_customer ON tasks (organization_id, customer_id, created_at, id);
CREATE INDEX tasks_deadline ON tasks (organization_id, deadline_at) WHERE deadline_at IS NOT NULL;

CREATE SEQUENCE package_ids INCREMENT BY 1000;
CREATE TABLE packages (
  organization_id bigint NOT NULL,
  id bigint NOT NULL,
  version int NOT NULL,
  task_id bigint,
  name text NOT NULL,
  description text NOT NULL,
  quantity int NOT NULL CHECK (quantity >= 1),
  weight float8 CHECK (weight >= 0 AND weight < 'Infinity'),
  width float8 CHECK (width >= 0 AND width < 'Infinity'),
  height float8 CHECK (height >= 0 AND height < 'Infinity'),
  length float8 CHECK (length >= 0 AND length < 'Infinity'),
  is_fragile boolean NOT NULL,
  barcode text,
  notes text,
  status text NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX packages_task ON packages (organization_id, task_id, id) WHERE task_id IS NOT NULL;

CREATE TABLE task_history (
  organization_id bigint NOT NULL,
  task_id bigint NOT NULL,
  sequence bigint NOT NULL,
  at timestamptz NOT NULL,
  kind text NOT NULL,
  from_status text,
  to_status text,
  reason text,
  reason_code text,
  actor_type text NOT NULL,
  actor_id bigint,
  PRIMARY KEY (organization_id, task_id, sequence)
);

-- The log. `body` is the JSON shown to webhooks, streams and readers; `epoch` proves that writers never interleaved.
CREATE TABLE events (
  organization_id bigint NOT NULL,
  sequence bigint NOT NULL,
  at timestamptz NOT NULL,
  type text NOT NULL,
  epoch bigint NOT NULL,
  body text NOT NULL,
  PRIMARY KEY (organization_id, sequence, at)
) PARTITION BY RANGE (at);

CREATE TABLE idempotency_records (
  organization_id bigint NOT NULL,
  scope text NOT NULL,
  key text NOT NULL,
  at timestamptz NOT NULL,
  fingerprint text NOT NULL,
  status int NOT NULL,
  body text NOT NULL,
  PRIMARY KEY (organization_id, scope, key, at)
) PARTITION BY RANGE (at);

CREATE TABLE usage (
  organization_id bigint NOT NULL,
  resource text NOT NULL,
  -- First day of the calendar month (UTC) for resources counted by month, else 1970-01-01.
  period date NOT NULL,
  used bigint NOT NULL,
  PRIMARY KEY (organization_id, resource, period)
) WITH (fillfactor = 50);

-- Written by the workers.

CREATE TABLE relay_positions (
  organization_id bigint NOT NULL,
  consumer text NOT NULL,
  last_sequence bigint NOT NULL,
  PRIMARY KEY (organization_id, consumer)
);

-- Events by day and type: outlives the log, counted exactly once by position.
CREATE TABLE daily_activity (
  organization_id bigint NOT NULL,
  day date NOT NULL,
  type text NOT NULL,
  count bigint NOT NULL,
  PRIMARY KEY (organization_id, day, type)
);

-- Makes the daily partitions of a time-partitioned table from yesterday to `days_ahead` days ahead.
-- Large values are stored uncompressed and in line where they fit: compressing costs more than writing. Waits for its
-- lock only briefly (55P03): commits would wait behind it.
CREATE FUNCTION ensure_daily_partitions(parent regclass, days_ahead int) RETURNS void LANGUAGE plpgsql
  SET timezone = 'UTC' SET lock_timeout = '500ms' AS $$
DECLARE
  day date;
  partition text;
BEGIN
  PERFORM pg_advisory_xact_lock(7206317);
  FOR day IN SELECT generate_series(current_date - 1, current_date + days_ahead, interval '1 day')::date LOOP
    partition := format('%s_%s', parent, to_char(day, 'YYYYMMDD'));
    IF to_regclass(partition) IS NULL THEN
      EXECUTE format('CREATE TABLE %I PARTITION OF %s FOR VALUES FROM (%L) TO (%L) WITH (toast_tuple_target = 8160)',
        partition, parent, day, day + 1);
      EXECUTE format('ALTER TABLE %I ALTER COLUMN body SET STORAGE EXTERNAL', partition);
    END IF;
  END LOOP;
END $$;

-- Drops the daily partitions that hold nothing younger than `keep`; waits for its lock only briefly.
CREATE FUNCTION drop_daily_partitions(parent regclass, keep interval) RETURNS int LANGUAGE plpgsql
  SET timezone = 'UTC' SET lock_timeout = '500ms' AS $$
DECLARE
  partition regclass;
  dropped int := 0;
BEGIN
  PERFORM pg_advisory_xact_lock(7206317);
  FOR partition IN
    SELECT c.oid::regclass FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = parent AND c.relname ~ '_[0-9]{8}$'
      AND to_date(substring(c.relname, '_([0-9]{8})$'), 'YYYYMMDD') + 1 < now() - keep
  LOOP
    EXECUTE format('DROP TABLE %s', partition);
    dropped := dropped + 1;
  END LOOP;
  RETURN dropped;
END $$;

SELECT ensure_daily_partitions('events', 7), ensure_daily_partitions('idempotency_records', 7);
