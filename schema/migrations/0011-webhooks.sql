-- Where organizations want to be told of their events. Written by plain transactions.
CREATE SEQUENCE webhook_ids;
CREATE TABLE webhooks (
  organization_id bigint NOT NULL,
  id bigint NOT NULL,
  version int NOT NULL,
  -- The channel whose key made it, and which alone may use it beside administrators; null: an administrator's.
  channel_id bigint,
  url text NOT NULL,
  -- Types, 'task.*' and the like, or '*'.
  events text[] NOT NULL,
  -- Statuses and channels that narrow the events; null: all.
  statuses text[],
  channel_ids bigint[],
  description text,
  -- First attempts under way at a time; with 1 they arrive in the order of the log.
  concurrency int NOT NULL,
  secret text NOT NULL,
  -- Signs along until then.
  previous_secret text,
  previous_secret_until timestamptz,
  is_active boolean NOT NULL,
  -- Disabled by the workers only if that was later: whoever switches it on again begins anew.
  active_since timestamptz NOT NULL,
  -- It is told of events after this one.
  start_sequence bigint NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, id)
);

-- What callers have asked to be sent beside the log, in the order of ids. Written by plain transactions; the workers
-- take away what they have carried out.
CREATE SEQUENCE webhook_order_ids;
CREATE TABLE webhook_orders (
  organization_id bigint NOT NULL,
  webhook_id bigint NOT NULL,
  id bigint NOT NULL,
  kind text NOT NULL CHECK (kind IN ('test', 'redelivery', 'replay')),
  -- The delivery that a test makes, or that is to be attempted once more.
  delivery_id bigint,
  -- What is replayed: events after the one up to the other.
  after_sequence bigint,
  last_sequence bigint,
  -- Of a test: its event.
  event_id text,
  body text,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, webhook_id, id)
);

-- How far each webhook has been told, and how it takes it. Written by the workers; one of them at a time holds the lease.
CREATE TABLE webhook_followers (
  organization_id bigint NOT NULL,
  webhook_id bigint NOT NULL,
  -- Every event up to this one has a delivery, or is not wanted.
  last_sequence bigint NOT NULL,
  lease uuid,
  leased_until timestamptz,
  -- Failures since the last success, when the first of them was, and until when it is left alone.
  failures int NOT NULL DEFAULT 0,
  failing_since timestamptz,
  paused_until timestamptz,
  disabled_at timestamptz,
  disabled_reason text CHECK (disabled_reason IN ('gone', 'failing')),
  -- When the administrators were told of that.
  notified_at timestamptz,
  -- No pending delivery is due before; null: there is none.
  next_due_at timestamptz,
  -- When it was last told where agents are.
  positions_told_at timestamptz,
  PRIMARY KEY (organization_id, webhook_id)
) WITH (fillfactor = 50);

-- What was sent, or waits to be sent again. Written by the workers, in batches.
CREATE SEQUENCE webhook_delivery_ids;
CREATE TABLE webhook_deliveries (
  organization_id bigint NOT NULL,
  id bigint NOT NULL,
  webhook_id bigint NOT NULL,
  created_at timestamptz NOT NULL,
  event_id text NOT NULL,
  type text NOT NULL,
  -- Its place in the log, which has the body; null for what is not in the log.
  sequence bigint,
  body text,
  state text NOT NULL CHECK (state IN ('pending', 'succeeded', 'failed')),
  -- Attempts so far, and what became of each: [{at, status, error, excerpt, durationMs}].
  attempt int NOT NULL,
  attempts jsonb NOT NULL,
  -- Of a pending one.
  next_attempt_at timestamptz,
  PRIMARY KEY (organization_id, id, created_at),
  CHECK ((state = 'pending') = (next_attempt_at IS NOT NULL))
) PARTITION BY RANGE (created_at);
CREATE INDEX webhook_deliveries_webhook ON webhook_deliveries (organization_id, webhook_id, id);
-- For whoever looks for the few that failed among the many.
CREATE INDEX webhook_deliveries_unsuccessful ON webhook_deliveries (organization_id, webhook_id, id)
  WHERE state <> 'succeeded';
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (organization_id, webhook_id, next_attempt_at)
  WHERE state = 'pending';

SELECT ensure_daily_partitions('webhook_deliveries', 1, 7);
