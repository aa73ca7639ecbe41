-- Writes the payments and the ledger for commit_group. These files run in the order of their names, and none needs
-- another until it is called.

-- Payments, and the number of each kind.
CREATE OR REPLACE FUNCTION write_payments(payments_in payment_line[], meant int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  written bigint;
  updated bigint := 0;
BEGIN
  WITH made AS (
    INSERT INTO payments (organization_id, id, version, task_id, customer_id, agent_id, courier_id, channel_id,
        method, status, amount_minor, currency, reference, provider, provider_reference, checkout_token, checkout_page,
        step, refund, failure_reason, created_at, updated_at)
      SELECT "organizationId", id, version, "taskId", "customerId", "agentId", "courierId", "channelId", method,
        status, "amountMinor", currency, reference, provider, "providerReference", "checkoutToken", "checkoutPage",
        step, refund, "failureReason", "createdAt", "updatedAt"
      FROM unnest(payments_in) n
      WHERE "expectedVersion" = 0
      RETURNING organization_id, status, method
  ), counted AS (
    INSERT INTO payment_counts AS c (organization_id, status, method, count)
      SELECT organization_id, status, method, count(*) FROM made GROUP BY 1, 2, 3
      ON CONFLICT (organization_id, status, method) DO UPDATE SET count = c.count + excluded.count
  )
  SELECT count(*) INTO written FROM made;
  IF written < meant THEN
    WITH changed AS (
      UPDATE payments p SET version = n.version, status = n.status, provider_reference = n."providerReference",
          checkout_page = n."checkoutPage", step = n.step, refund = n.refund, failure_reason = n."failureReason",
          updated_at = n."updatedAt"
        FROM unnest(payments_in) n
        JOIN payments was ON was.organization_id = n."organizationId" AND was.id = n.id
        WHERE p.organization_id = n."organizationId" AND p.id = n.id AND p.version = n."expectedVersion"
        RETURNING p.organization_id, p.method, was.status AS before, p.status AS after
    ), counted AS (
      INSERT INTO payment_counts AS c (organization_id, status, method, count)
        SELECT organization_id, status, method, sum(delta) FROM (
          SELECT organization_id, before AS status, method, -1 AS delta FROM changed WHERE before <> after
          UNION ALL SELECT organization_id, after, method, 1 FROM changed WHERE before <> after) d
        GROUP BY 1, 2, 3
        ON CONFLICT (organization_id, status, method) DO UPDATE SET count = c.count + excluded.count
    )
    SELECT count(*) INTO updated FROM changed;
  END IF;
  PERFORM assert_written('payments', written + updated, meant);
END $$;

-- Transfers with their entries, and the resulting balances, which must equal those in the actor's memory.
CREATE OR REPLACE FUNCTION write_ledger(transfers_in json, entries_in json, transfers_meant int, entries_meant int)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  written bigint;
  moved bigint;
  agreeing bigint;
BEGIN
  INSERT INTO ledger_transfers (organization_id, id, kind, payment_id, task_id, reference, at, actor_type, actor_id)
    SELECT "organizationId", id, kind, "paymentId", "taskId", reference, at, "actorType", "actorId"
    FROM json_to_recordset(transfers_in) AS n("organizationId" bigint, id bigint, kind text, "paymentId" bigint,
      "taskId" bigint, reference text, at timestamptz, "actorType" text, "actorId" bigint);
  GET DIAGNOSTICS written = ROW_COUNT;
  PERFORM assert_written('transfers', written, transfers_meant);

  WITH n AS MATERIALIZED (
    SELECT * FROM json_to_recordset(entries_in) AS n("organizationId" bigint, "transferId" bigint, line smallint,
      account text, "ownerId" bigint, currency text, "amountMinor" bigint, "balanceMinor" bigint, entry bigint)
  ), inserted AS (
    INSERT INTO ledger_entries (organization_id, transfer_id, line, account, owner_id, currency, amount_minor,
        balance_minor, entry)
      SELECT "organizationId", "transferId", line, account, "ownerId", currency, "amountMinor", "balanceMinor", entry
      FROM n
      RETURNING 1
  ), meant AS (
    SELECT "organizationId", account, "ownerId", currency, sum("amountMinor") AS amount, count(*) AS entries,
      max(entry) AS last_entry, (array_agg("balanceMinor" ORDER BY entry DESC))[1] AS balance
    FROM n GROUP BY 1, 2, 3, 4
  ), continued AS (
    UPDATE ledger_accounts a SET balance_minor = a.balance_minor + m.amount, entries = a.entries + m.entries,
        updated_at = now()
      FROM meant m
      WHERE a.organization_id = m."organizationId" AND a.account = m.account AND a.owner_id = m."ownerId"
        AND a.currency = m.currency AND a.entries + m.entries = m.last_entry AND a.balance_minor + m.amount = m.balance
      RETURNING 1
  ), opened AS (
    INSERT INTO ledger_accounts (organization_id, account, owner_id, currency, balance_minor, entries, updated_at)
      SELECT "organizationId", account, "ownerId", currency, amount, entries, now() FROM meant
      WHERE entries = last_entry AND amount = balance
      RETURNING 1
  )
  SELECT (SELECT count(*) FROM inserted), (SELECT count(*) FROM meant),
      (SELECT count(*) FROM continued) + (SELECT count(*) FROM opened)
    INTO written, moved, agreeing;
  PERFORM assert_written('ledger entries', written, entries_meant);
  PERFORM assert_written('balances', agreeing, moved::int);
END $$;
