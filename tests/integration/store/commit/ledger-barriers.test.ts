import assert from 'node:assert/strict';
import { test } from 'node:test';
import { numberArray, type Sql } from '../../../../engine/store/postgres.ts';
import type { EntryRecord, TransferRecord } from '../../../../schema/money/ledger.ts';
import { useDatabase } from '../../../support/system/use-database.ts';

/** The writes that Postgres itself refuses, from every writer, however wrong the process is. */

const { sql } = useDatabase();
let lastId = 0;

type Line = Pick<EntryRecord, 'transferId' | 'account' | 'ownerId' | 'amountMinor' | 'balanceMinor' | 'entry'> & {
  readonly currency?: string;
};

/** Each test has an organization of its own. */
function newOrganization(): number {
  lastId += 1;
  return lastId;
}

function line(transferId: number, account: Line['account'], amountMinor: number, more: Partial<Line> = {}): Line {
  return { transferId, account, ownerId: 0, amountMinor, balanceMinor: amountMinor, entry: 1, ...more };
}

function entryRecords(organizationId: number, lines: readonly Line[]): EntryRecord[] {
  return lines.map((own, index) => ({ currency: 'USD', ...own, organizationId, line: index + 1 }));
}

/** Every row by one statement. */
function insertEntries(organizationId: number, lines: readonly Line[], on: Pick<Sql, 'unsafe'> = sql) {
  const records = JSON.stringify(entryRecords(organizationId, lines));
  return on.unsafe(
    `INSERT INTO ledger_entries (organization_id, transfer_id, line, account, owner_id, currency, amount_minor,
        balance_minor, entry)
      SELECT "organizationId", "transferId", line, account, "ownerId", currency, "amountMinor", "balanceMinor", entry
      FROM json_to_recordset($1::text::json) AS n("organizationId" bigint, "transferId" bigint, line smallint,
        account text, "ownerId" bigint, currency text, "amountMinor" bigint, "balanceMinor" bigint, entry bigint)`,
    [records],
  );
}

function insertTransfer(organizationId: number, id: number) {
  return sql`
    INSERT INTO ledger_transfers (organization_id, id, kind, at, actor_type)
    VALUES (${organizationId}, ${id}, 'top_up', now(), 'system')`;
}

/** A transfer of 250 from outside into the wallet of customer 7. */
async function seedTopUp(organizationId: number): Promise<void> {
  await insertTransfer(organizationId, 1);
  await insertEntries(organizationId, [line(1, 'wallet_funding', 250), line(1, 'wallet', -250, { ownerId: 7 })]);
}

function refuses(query: PromiseLike<unknown>, constraint: string): Promise<void> {
  return assert.rejects(async () => await query, { constraint_name: constraint });
}

test('a transfer whose debits are its credits is taken', async () => {
  await seedTopUp(newOrganization());
});

for (const [what, lines] of [
  ['has one side only', [line(1, 'revenue', -5)]],
  ['has more on one side than on the other', [line(1, 'cash_office', 6), line(1, 'revenue', -5)]],
  ['balances only across currencies', [line(1, 'cash_office', 5), line(1, 'revenue', -5, { currency: 'EUR' })]],
  ['balances only together with another', [line(1, 'cash_office', 5), line(2, 'revenue', -5)]],
] as const) {
  test(`a transfer that ${what} is refused`, async () => {
    await refuses(insertEntries(newOrganization(), lines), 'ledger_balanced');
  });
}

test('a transfer is refused that is balanced by a later statement only', async () => {
  const organizationId = newOrganization();
  const inTwo = sql.begin(async (tx) => {
    await insertEntries(organizationId, [line(1, 'cash_office', 5)], tx);
    await insertEntries(organizationId, [line(1, 'revenue', -5)], tx);
  });
  await refuses(inTwo, 'ledger_balanced');
});

test('an entry of nothing, and a second entry of the same number, are refused', async () => {
  const organizationId = newOrganization();
  const nothing = insertEntries(organizationId, [line(1, 'cash_office', 0), line(1, 'revenue', 0)]);
  await refuses(nothing, 'ledger_entries_amount_minor_check');
  await seedTopUp(organizationId);
  const again = [line(2, 'wallet_funding', 5, { entry: 1 }), line(2, 'wallet', -5, { ownerId: 7, entry: 2 })];
  await refuses(insertEntries(organizationId, again), 'ledger_entries_account');
});

for (const table of ['ledger_entries', 'ledger_transfers'] as const) {
  test(`${table} are neither changed nor deleted nor emptied`, async () => {
    const organizationId = newOrganization();
    await seedTopUp(organizationId);
    const column = table === 'ledger_entries' ? 'balance_minor' : 'kind';
    const name = sql(table);
    const own = sql`organization_id = ${organizationId}`;
    await refuses(sql`UPDATE ${name} SET ${sql(column)} = ${sql(column)} WHERE ${own}`, 'ledger_append_only');
    await refuses(sql`DELETE FROM ${name} WHERE ${own}`, 'ledger_append_only');
    await refuses(sql`TRUNCATE ${name}`, 'ledger_append_only');
    const [{ count } = { count: 0 }] = await sql<{ count: number }[]>`SELECT count(*) FROM ${name} WHERE ${own}`;
    assert.equal(count, table === 'ledger_entries' ? 2 : 1);
  });
}

test('the ledger of an organization that is being deleted goes, and no other', async () => {
  const [deleted, other] = [newOrganization(), newOrganization()];
  for (const organizationId of [deleted, other]) await seedTopUp(organizationId);
  await sql`INSERT INTO deleted_organizations (organization_id, name_hash) VALUES (${deleted}, '\\x00')`;
  for (const table of ['ledger_entries', 'ledger_transfers']) {
    const name = sql(table);
    await refuses(
      sql`DELETE FROM ${name} WHERE organization_id = ANY(${numberArray([deleted, other])}::bigint[])`,
      'ledger_append_only',
    );
    await refuses(
      sql`UPDATE ${name} SET organization_id = ${other} WHERE organization_id = ${deleted}`,
      'ledger_append_only',
    );
    await sql`DELETE FROM ${name} WHERE organization_id = ${deleted}`;
    const left = await sql`SELECT DISTINCT organization_id FROM ${name} WHERE organization_id >= ${deleted}`;
    assert.deepEqual([...left], [{ organizationId: other }]);
  }
});

/** Debits are positive: a wallet is owed to its customer, and so below 0. */
for (const [account, refused, taken, constraint] of [
  ['wallet', 1, -1, 'ledger_wallet_covered'],
  ['agent_cash', -1, 1, 'ledger_cash_covered'],
  ['courier_cash', -1, 1, 'ledger_cash_covered'],
] as const) {
  test(`more than there is does not leave ${account}`, async () => {
    const organizationId = newOrganization();
    const put = (balance: number) => sql`
      INSERT INTO ledger_accounts (organization_id, account, owner_id, currency, balance_minor, entries, updated_at)
      VALUES (${organizationId}, ${account}, 7, 'USD', ${balance}, 1, now())`;
    await refuses(put(refused), constraint);
    await put(taken);
    const update = sql`
      UPDATE ledger_accounts SET balance_minor = balance_minor - ${2 * taken}::bigint
      WHERE organization_id = ${organizationId}`;
    await refuses(update, constraint);
  });
}

test("the ledger state in a process's memory is written only where it continues the rows of Postgres", async () => {
  const organizationId = newOrganization();
  const write = async (lines: readonly Line[]) => {
    const transfers = [...new Set(lines.map(({ transferId }) => transferId))].map(
      (id): TransferRecord => ({
        organizationId,
        id,
        kind: 'top_up',
        paymentId: null,
        taskId: null,
        reference: null,
        at: new Date().toISOString(),
        actorType: 'system',
        actorId: null,
      }),
    );
    const entries = entryRecords(organizationId, lines);
    await sql`
      SELECT write_ledger(${JSON.stringify(transfers)}::text::json, ${JSON.stringify(entries)}::text::json,
        ${transfers.length}, ${lines.length})`;
  };
  const topUp = (id: number, amount: number, balance: number, entry: number) => [
    line(id, 'wallet_funding', amount, { balanceMinor: balance, entry }),
    line(id, 'wallet', -amount, { ownerId: 7, balanceMinor: -balance, entry }),
  ];
  const stale = { code: 'DE002' };
  await assert.rejects(write(topUp(1, 250, 300, 1)), stale, 'an account that has had something before');
  await assert.rejects(write(topUp(1, 250, 250, 2)), stale, 'an account whose first entry is missing');
  await write([...topUp(1, 250, 250, 1), ...topUp(2, 50, 300, 2)]);
  await assert.rejects(write(topUp(3, 50, 300, 3)), stale, 'a balance that forgets an entry');
  await assert.rejects(write(topUp(3, 50, 350, 4)), stale, 'a gap');
  await assert.rejects(write(topUp(3, 50, 300, 2)), { constraint_name: 'ledger_entries_account' }, 'a second opinion');
  await write(topUp(3, 50, 350, 3));
  const accounts = await sql`
    SELECT account, balance_minor, entries FROM ledger_accounts WHERE organization_id = ${organizationId} ORDER BY 1`;
  assert.deepEqual(
    [...accounts],
    [
      { account: 'wallet', balanceMinor: -350, entries: 3 },
      { account: 'wallet_funding', balanceMinor: 350, entries: 3 },
    ],
  );
});
