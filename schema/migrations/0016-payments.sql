-- Payments, and the ledger that every movement of money is written into. Written by actors, through commit_group.

CREATE SEQUENCE payment_ids INCREMENT BY 1000;
CREATE TABLE payments (
  organization_id bigint NOT NULL,
  id bigint NOT NULL,
  version int NOT NULL,
  task_id bigint NOT NULL,
  -- Of the task, when it was made.
  customer_id bigint,
  -- Who took the cash; none for what was paid at the office, or without cash.
  agent_id bigint,
  courier_id bigint,
  channel_id bigint NOT NULL,
  method text NOT NULL CHECK (method IN ('online', 'cash', 'wallet')),
  status text NOT NULL CHECK (status IN ('pending', 'succeeded', 'failed', 'refunded')),
  amount_minor bigint NOT NULL CHECK (amount_minor > 0),
  currency text NOT NULL,
  reference text,
  provider text,
  provider_reference text,
  -- What the link to its checkout ends with, and where that leads once the provider has made a page.
  checkout_token text,
  checkout_page text,
  -- What is to be done at the provider; null when nothing is.
  step text CHECK (step IN ('create_checkout', 'await_payment', 'cancel_checkout', 'refund', 'await_refund')),
  -- The one refund that was asked for last.
  refund json,
  failure_reason text,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX payments_task ON payments (organization_id, task_id, id);
CREATE INDEX payments_created ON payments (organization_id, created_at, id);
CREATE INDEX payments_customer ON payments (organization_id, customer_id, created_at, id);
CREATE INDEX payments_agent ON payments (organization_id, agent_id, created_at, id) WHERE agent_id IS NOT NULL;
-- Those that workers have something to do for: few among many. By the step, since most of them only wait.
CREATE INDEX payments_step ON payments (step, organization_id, id) WHERE step IS NOT NULL;

-- What workers know of the steps that they carry out. Whoever is at one puts it off, so that nobody else is.
CREATE TABLE payment_attempts (
  organization_id bigint NOT NULL,
  payment_id bigint NOT NULL,
  step text NOT NULL,
  attempts int NOT NULL DEFAULT 0,
  due_at timestamptz NOT NULL,
  last_error text,
  PRIMARY KEY (organization_id, payment_id, step)
);
CREATE INDEX payment_attempts_due ON payment_attempts (due_at);

-- One row for each movement of money; its entries say from where to where.
CREATE SEQUENCE transfer_ids INCREMENT BY 1000;
CREATE TABLE ledger_transfers (
  organization_id bigint NOT NULL,
  id bigint NOT NULL,
  kind text NOT NULL CHECK (kind IN ('payment', 'refund', 'top_up', 'cash_drop')),
  payment_id bigint,
  task_id bigint,
  reference text,
  at timestamptz NOT NULL,
  actor_type text NOT NULL,
  actor_id bigint,
  PRIMARY KEY (organization_id, id)
);

-- Debits are positive, credits negative. `entry` numbers the entries of an account without gaps; `balance_minor` is
-- what the account has after this one.
CREATE TABLE ledger_entries (
  organization_id bigint NOT NULL,
  transfer_id bigint NOT NULL,
  line smallint NOT NULL,
  account text NOT NULL,
  owner_id bigint NOT NULL,
  currency text NOT NULL,
  amount_minor bigint NOT NULL CHECK (amount_minor <> 0),
  balance_minor bigint NOT NULL,
  entry bigint NOT NULL,
  PRIMARY KEY (organization_id, transfer_id, line)
);
CREATE UNIQUE INDEX ledger_entries_account ON ledger_entries (organization_id, account, owner_id, currency, entry);

-- Balances, for speed: what they say follows from the entries, and is compared with them by each commit.
CREATE TABLE ledger_accounts (
  organization_id bigint NOT NULL,
  account text NOT NULL CHECK (account IN ('wallet', 'agent_cash', 'courier_cash', 'cash_office', 'provider_clearing',
    'revenue', 'refunds', 'wallet_funding')),
  -- The customer, agent or courier; 0 for an account of the organization.
  owner_id bigint NOT NULL,
  currency text NOT NULL,
  balance_minor bigint NOT NULL,
  entries bigint NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, account, owner_id, currency),
  -- The last barrier: an owner's wallet is owed to it, and nobody hands over cash that was never taken.
  CONSTRAINT ledger_wallet_covered CHECK (account <> 'wallet' OR balance_minor <= 0),
  CONSTRAINT ledger_cash_covered CHECK (account NOT IN ('agent_cash', 'courier_cash') OR balance_minor >= 0)
);

CREATE FUNCTION refuse_unbalanced_transfers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM added GROUP BY organization_id, transfer_id, currency HAVING sum(amount_minor) <> 0) THEN
    RAISE EXCEPTION 'a transfer is not balanced' USING ERRCODE = 'check_violation', CONSTRAINT = 'ledger_balanced';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER ledger_balanced AFTER INSERT ON ledger_entries REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_unbalanced_transfers();

-- The ledger is only added to, until its organization is deleted.
CREATE FUNCTION refuse_ledger_changes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND EXISTS (
    SELECT FROM deleted_organizations d WHERE d.organization_id = OLD.organization_id) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'the ledger is append-only' USING ERRCODE = 'check_violation', CONSTRAINT = 'ledger_append_only';
END $$;
CREATE TRIGGER ledger_append_only BEFORE UPDATE OR DELETE ON ledger_entries
  FOR EACH ROW EXECUTE FUNCTION refuse_ledger_changes();
CREATE TRIGGER ledger_append_only BEFORE UPDATE OR DELETE ON ledger_transfers
  FOR EACH ROW EXECUTE FUNCTION refuse_ledger_changes();
CREATE TRIGGER ledger_never_emptied BEFORE TRUNCATE ON ledger_entries
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_ledger_changes();
CREATE TRIGGER ledger_never_emptied BEFORE TRUNCATE ON ledger_transfers
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_ledger_changes();
