-- Who is told what: devices of users, what customers are mailed, and every notice that was or will be sent.

-- Where users want to be told. Written by plain transactions; the workers remove what a push service calls gone.
CREATE SEQUENCE push_token_ids;
CREATE TABLE push_tokens (
  organization_id bigint NOT NULL,
  user_id bigint NOT NULL,
  -- What the app calls the device.
  device_id text NOT NULL,
  -- The same for as long as the user has the device, whatever its token is.
  id bigint NOT NULL,
  -- It is told nothing any more once this has ended.
  session_id bigint NOT NULL,
  platform text NOT NULL CHECK (platform IN ('ios', 'android', 'web')),
  token text NOT NULL,
  token_hash bytea NOT NULL,
  registered_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, user_id, device_id)
);
CREATE UNIQUE INDEX push_tokens_id ON push_tokens (organization_id, id);
CREATE UNIQUE INDEX push_tokens_token ON push_tokens (token_hash);

-- Those whose session goes on.
CREATE VIEW live_devices AS
  SELECT d.* FROM push_tokens d JOIN sessions s ON s.organization_id = d.organization_id AND s.id = d.session_id
  WHERE s.revoked_at IS NULL AND coalesce(s.refresh_expires_at, s.access_expires_at) > now();

-- A row once an organization has said anything. Written by plain transactions.
CREATE TABLE notification_settings (
  organization_id bigint PRIMARY KEY,
  version int NOT NULL,
  mail_created boolean NOT NULL,
  mail_on_the_way boolean NOT NULL,
  mail_completed boolean NOT NULL,
  templates json NOT NULL,
  updated_at timestamptz NOT NULL
);

-- One row for each notice and each device or customer: what is to be sent, and what became of it. Written by the workers.
CREATE SEQUENCE notification_ids;
CREATE TABLE notifications (
  organization_id bigint NOT NULL,
  id bigint NOT NULL,
  kind text NOT NULL,
  channel text NOT NULL CHECK (channel IN ('push', 'mail')),
  task_id bigint NOT NULL,
  -- The offer that it is about.
  request_id bigint,
  -- Of a push: whose device it goes to.
  agent_id bigint,
  user_id bigint,
  push_token_id bigint,
  platform text,
  -- Of a mail. `topic_id`: the task, or the job, of which the customer is told once.
  customer_id bigint,
  topic_id bigint,
  -- Where it was sent, not to be read by everybody: a***@example.com.
  address text,
  status text NOT NULL CHECK (status IN ('pending', 'sent', 'failed', 'dropped')),
  -- Why it was not sent, or not yet.
  reason text,
  attempts int NOT NULL DEFAULT 0,
  -- Of a pending one; also the end of a worker's lease.
  due_at timestamptz,
  -- From then on it is of no use.
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  settled_at timestamptz,
  PRIMARY KEY (organization_id, id),
  CHECK ((status = 'pending') = (due_at IS NOT NULL)),
  CHECK ((channel = 'push') = (user_id IS NOT NULL AND push_token_id IS NOT NULL)),
  CHECK ((channel = 'mail') = (customer_id IS NOT NULL AND topic_id IS NOT NULL))
);
CREATE INDEX notifications_due ON notifications (organization_id, due_at) WHERE status = 'pending';
CREATE INDEX notifications_task ON notifications (organization_id, task_id, id);
CREATE INDEX notifications_created ON notifications (organization_id, created_at);
-- A customer is told of one thing once.
CREATE UNIQUE INDEX notifications_mail ON notifications (organization_id, topic_id, customer_id, kind) WHERE channel = 'mail';

-- One row: what browsers know this installation's pushes by. Made by the first process that needs it.
CREATE TABLE vapid_keys (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  public_key text NOT NULL,
  private_key text NOT NULL
);
