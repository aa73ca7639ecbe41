import assert from 'node:assert/strict';
import type { Sql } from '../../engine/store/postgres.ts';

/** Contradictions in the books of an organization; each query returns no row when all is well. */
export const WRONG_BOOKS: Readonly<Record<string, string>> = {
  'a transfer that does not balance': `
    SELECT transfer_id, currency, sum(amount_minor) FROM ledger_entries WHERE organization_id = $1
    GROUP BY 1, 2 HAVING sum(amount_minor) <> 0`,
  'a transfer that is not from one account to another': `
    SELECT t.id FROM ledger_transfers t LEFT JOIN ledger_entries e ON e.organization_id = $1 AND e.transfer_id = t.id
    WHERE t.organization_id = $1
    GROUP BY t.id HAVING count(e.*) <> 2 OR count(DISTINCT (e.account, e.owner_id)) <> 2 OR count(DISTINCT e.currency) <> 1`,
  'an entry without a transfer': `
    SELECT e.* FROM ledger_entries e LEFT JOIN ledger_transfers t ON t.organization_id = $1 AND t.id = e.transfer_id
    WHERE e.organization_id = $1 AND t.id IS NULL`,
  'money that came from nowhere': `
    SELECT currency, sum(amount_minor) FROM ledger_entries WHERE organization_id = $1
    GROUP BY 1 HAVING sum(amount_minor) <> 0`,
  'a balance that is not what the entries add up to': `
    SELECT account, owner_id, currency, a.balance_minor, a.entries, e.sum, e.last, e.count
    FROM (SELECT * FROM ledger_accounts WHERE organization_id = $1) a
    FULL JOIN (SELECT account, owner_id, currency, sum(amount_minor) AS sum, count(*) AS count,
        (array_agg(balance_minor ORDER BY entry DESC))[1] AS last
      FROM ledger_entries WHERE organization_id = $1 GROUP BY 1, 2, 3) e USING (account, owner_id, currency)
    WHERE (a.balance_minor, a.balance_minor, a.entries) IS DISTINCT FROM (e.sum, e.last, e.count)`,
  'a gap, or a running balance that does not run': `
    SELECT * FROM (SELECT transfer_id, account, owner_id, currency, entry, balance_minor,
        row_number() OVER own AS number, sum(amount_minor) OVER own AS running
      FROM ledger_entries WHERE organization_id = $1
      WINDOW own AS (PARTITION BY account, owner_id, currency ORDER BY entry)) e
    WHERE entry <> number OR balance_minor <> running`,
  'a wallet or a purse below zero': `
    SELECT account, owner_id, currency, balance_minor FROM ledger_entries WHERE organization_id = $1
      AND (account = 'wallet' AND balance_minor > 0 OR account IN ('agent_cash', 'courier_cash') AND balance_minor < 0)`,
  'a payment that was taken or given back more or less than once': `
    SELECT p.id, p.status, m.* FROM payments p CROSS JOIN LATERAL (
      SELECT coalesce(sum(-e.amount_minor) FILTER (WHERE e.account = 'revenue'), 0) AS taken,
        coalesce(sum(e.amount_minor) FILTER (WHERE e.account = 'refunds'), 0) AS given_back
      FROM ledger_transfers t JOIN ledger_entries e ON e.organization_id = $1 AND e.transfer_id = t.id
      WHERE t.organization_id = $1 AND t.payment_id = p.id AND e.currency = p.currency) m
    WHERE p.organization_id = $1 AND (m.taken, m.given_back) IS DISTINCT FROM (
      CASE WHEN p.status IN ('succeeded', 'refunded') THEN p.amount_minor ELSE 0 END,
      CASE WHEN p.status = 'refunded' THEN p.amount_minor ELSE 0 END)`,
  'a transfer of no payment': `
    SELECT t.id, t.kind FROM ledger_transfers t
    LEFT JOIN payments p ON p.organization_id = $1 AND p.id = t.payment_id AND p.task_id = t.task_id
    WHERE t.organization_id = $1 AND t.kind IN ('payment', 'refund') AND p.id IS NULL`,
  'money of a payment from or to the wallet of another customer': `
    SELECT p.id, p.method, p.customer_id, e.transfer_id, e.owner_id FROM ledger_transfers t
    JOIN ledger_entries e ON e.organization_id = $1 AND e.transfer_id = t.id AND e.account = 'wallet'
    JOIN payments p ON p.organization_id = $1 AND p.id = t.payment_id
    WHERE t.organization_id = $1 AND t.kind IN ('payment', 'refund') AND e.owner_id IS DISTINCT FROM p.customer_id`,
  // A person must look at a payment whose refund failed: it may stand beside another.
  'a task that was paid twice': `
    SELECT task_id FROM payments WHERE organization_id = $1 AND status = 'succeeded' AND refund IS NULL
    GROUP BY 1 HAVING count(*) > 1`,
  'a task that names another payment than the one that counts': `
    SELECT t.id, t.payment_id, p.id AS paid FROM tasks t JOIN payments p ON p.organization_id = $1 AND p.task_id = t.id
    WHERE t.organization_id = $1 AND p.status = 'succeeded' AND p.refund IS NULL AND t.payment_id IS DISTINCT FROM p.id`,
  'a task that names a payment that is not its own': `
    SELECT t.id, t.payment_id FROM tasks t
    LEFT JOIN payments p ON p.organization_id = $1 AND p.id = t.payment_id AND p.task_id = t.id
    WHERE t.organization_id = $1 AND t.payment_id IS NOT NULL AND p.id IS NULL`,
  'a count of payments that is not how many there are': `
    SELECT status, method, c.count, p.count AS there FROM (SELECT * FROM payment_counts WHERE organization_id = $1) c
    FULL JOIN (SELECT status, method, count(*) FROM payments WHERE organization_id = $1 GROUP BY 1, 2) p
      USING (status, method)
    WHERE coalesce(c.count, 0) <> coalesce(p.count, 0)`,
  'a payment that nobody carries on': `
    SELECT id, method, status, step, refund FROM payments WHERE organization_id = $1 AND NOT CASE
      WHEN method <> 'online' THEN step IS NULL AND status <> 'pending' AND coalesce(refund ->> 'status', '') <> 'pending'
      WHEN status = 'pending' THEN coalesce(step, '') IN ('create_checkout', 'await_payment')
      -- Of money that was booked, or of money that never was.
      WHEN refund ->> 'status' = 'pending' THEN status IN ('succeeded', 'failed') AND coalesce(step, '') IN ('refund', 'await_refund')
      WHEN status = 'failed' THEN step IS NULL OR step = 'cancel_checkout'
      ELSE step IS NULL END`,
};

/** Fails when the books of an organization contradict themselves, one another, or the payments. */
export async function assertBooksAgree(sql: Sql, organizationId: number): Promise<void> {
  const found = await Promise.all(
    Object.entries(WRONG_BOOKS).map(async ([what, query]) => {
      const rows = await sql.unsafe(query, [organizationId]);
      return rows.length === 0 ? [] : [`${what}: ${JSON.stringify(rows)}`];
    }),
  );
  assert.deepEqual(found.flat(), []);
}
