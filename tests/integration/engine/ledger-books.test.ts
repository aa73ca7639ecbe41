import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Sql } from '../../../engine/store/postgres.ts';
import { assertBooksAgree, WRONG_BOOKS } from '../../support/assert-books-agree.ts';
import { type SeededOrganization, seedOrganization } from '../../support/seeds/seed.ts';
import { seedTasks } from '../../support/seeds/seed-task.ts';
import { useDatabase } from '../../support/system/use-database.ts';

/** The check of the books is itself seen to find what it is for. */

let organization: SeededOrganization;
let tasks: readonly number[];

const { url, sql } = useDatabase({}, async () => {
  organization = await seedOrganization(url);
  tasks = (await seedTasks(url, organization, [{}, {}])).map(({ id }) => id);
});

/** Two top-ups of a wallet, of 900 in all; 250 of it paid for the first task, and 400 online for the second. */
const SOUND = `
  INSERT INTO payments (organization_id, id, version, task_id, customer_id, channel_id, method, status, amount_minor,
    currency, created_at, updated_at)
  VALUES (ORG, 1, 1, FIRST, 7, 1, 'wallet', 'succeeded', 250, 'USD', now(), now()),
    (ORG, 2, 1, SECOND, 7, 1, 'online', 'succeeded', 400, 'USD', now(), now());
  INSERT INTO payment_counts VALUES (ORG, 'succeeded', 'wallet', 1), (ORG, 'succeeded', 'online', 1);
  UPDATE tasks SET payment_id = CASE id WHEN FIRST THEN 1 ELSE 2 END WHERE organization_id = ORG;
  INSERT INTO ledger_transfers (organization_id, id, kind, payment_id, task_id, at, actor_type)
  VALUES (ORG, 1, 'top_up', NULL, NULL, now(), 'system'), (ORG, 2, 'top_up', NULL, NULL, now(), 'system'),
    (ORG, 3, 'payment', 1, FIRST, now(), 'system'), (ORG, 4, 'payment', 2, SECOND, now(), 'system');
  INSERT INTO ledger_entries VALUES
    (ORG, 1, 1, 'wallet_funding', 0, 'USD', 500, 500, 1), (ORG, 1, 2, 'wallet', 7, 'USD', -500, -500, 1),
    (ORG, 2, 1, 'wallet_funding', 0, 'USD', 400, 900, 2), (ORG, 2, 2, 'wallet', 7, 'USD', -400, -900, 2),
    (ORG, 3, 1, 'wallet', 7, 'USD', 250, -650, 3), (ORG, 3, 2, 'revenue', 0, 'USD', -250, -250, 1),
    (ORG, 4, 1, 'provider_clearing', 0, 'USD', 400, 400, 1), (ORG, 4, 2, 'revenue', 0, 'USD', -400, -650, 2);
  INSERT INTO ledger_accounts SELECT organization_id, account, owner_id, currency, sum(amount_minor), count(*), now()
    FROM ledger_entries GROUP BY 1, 2, 3, 4;`;

/** Each is planted past the triggers, where nothing else can do it. */
const PLANTED: Readonly<Record<string, string>> = {
  'a transfer that does not balance': `UPDATE ledger_entries SET amount_minor = -251 WHERE transfer_id = 3 AND line = 2`,
  'a transfer that is not from one account to another': `DELETE FROM ledger_entries WHERE transfer_id = 2`,
  'an entry without a transfer': `DELETE FROM ledger_transfers WHERE id = 2`,
  'money that came from nowhere': `DELETE FROM ledger_entries WHERE transfer_id = 4 AND line = 1`,
  'a balance that is not what the entries add up to': `
    UPDATE ledger_accounts SET balance_minor = balance_minor - 1 WHERE account = 'revenue'`,
  'a gap, or a running balance that does not run': `UPDATE ledger_entries SET entry = 4 WHERE transfer_id = 3 AND line = 1`,
  'a wallet or a purse below zero': `
    UPDATE ledger_entries SET account = 'courier_cash', balance_minor = -1 WHERE transfer_id = 3 AND line = 1`,
  'a payment that was taken or given back more or less than once': `
    INSERT INTO ledger_transfers VALUES (ORG, 5, 'payment', 1, FIRST, NULL, now(), 'system');
    INSERT INTO ledger_entries VALUES
      (ORG, 5, 1, 'wallet', 7, 'USD', 250, -400, 4), (ORG, 5, 2, 'revenue', 0, 'USD', -250, -900, 3)`,
  'a transfer of no payment': `UPDATE ledger_transfers SET payment_id = 99 WHERE id = 3`,
  'money of a payment from or to the wallet of another customer': `UPDATE payments SET customer_id = 8 WHERE id = 1`,
  'a task that was paid twice': `UPDATE payments SET task_id = FIRST WHERE id = 2`,
  'a task that names another payment than the one that counts': `UPDATE tasks SET payment_id = 2 WHERE id = FIRST`,
  'a task that names a payment that is not its own': `
    UPDATE payments SET status = 'failed' WHERE id = 2; UPDATE tasks SET payment_id = 99 WHERE id = SECOND`,
  'a count of payments that is not how many there are': `DELETE FROM payment_counts WHERE method = 'online'`,
  'a payment that nobody carries on': `UPDATE payments SET status = 'pending' WHERE id = 2`,
};

/** Runs statements where none of them is kept. */
async function withPlanted(statements: string, body: (tx: Sql) => Promise<void>): Promise<void> {
  const ids = { ORG: organization.organizationId, FIRST: tasks[0]!, SECOND: tasks[1]! };
  const undone = new Error('undone');
  const told = sql.begin(async (tx) => {
    await tx.unsafe(
      `SET LOCAL session_replication_role = replica; ${SOUND}; ${statements}`.replace(
        /\b(ORG|FIRST|SECOND)\b/g,
        (name) => String(ids[name as keyof typeof ids]),
      ),
    );
    await body(tx as unknown as Sql);
    throw undone;
  });
  await assert.rejects(told, undone);
}

test('books that are sound are found to be', async () => {
  await withPlanted('SELECT 1', (tx) => assertBooksAgree(tx, organization.organizationId));
});

for (const [what, statements] of Object.entries(PLANTED)) {
  test(`the check of the books finds ${what}`, async () => {
    await withPlanted(statements, (tx) =>
      assert.rejects(assertBooksAgree(tx, organization.organizationId), (error: { actual: string[] }) =>
        error.actual.some((found) => found.startsWith(`${what}: `)),
      ),
    );
  });
}

test('everything that the check is for was planted', () => {
  assert.deepEqual(Object.keys(PLANTED).sort(), Object.keys(WRONG_BOOKS).sort());
});
