import type { AccountBalance, AccountOwner } from '../../../schema/money/ledger.ts';
import type { PaymentRecord } from '../../../schema/money/payment.ts';
import { numberArray, type Sql, textArray } from '../postgres.ts';
import { PAYMENT } from '../rows/record-tables.ts';

export async function fetchPayments(
  sql: Sql,
  organizationId: number,
  ids: ReadonlySet<number>,
): Promise<readonly PaymentRecord[]> {
  if (ids.size === 0) return [];
  const rows = await sql<{ payment: unknown[] }[]>`
    SELECT ${sql.unsafe(PAYMENT.json('p'))} AS payment FROM payments p
    WHERE p.organization_id = ${organizationId} AND p.id = ANY(${numberArray(ids)}::bigint[])`;
  return rows.map((row) => PAYMENT.ofJson(row.payment));
}

/** The balances of these owners, in every currency. */
export async function fetchBalances(
  sql: Sql,
  organizationId: number,
  owners: readonly AccountOwner[],
): Promise<readonly AccountBalance[]> {
  if (owners.length === 0) return [];
  return sql<AccountBalance[]>`
    SELECT a.account, a.owner_id, a.currency, a.balance_minor, a.entries
    FROM unnest(${textArray(owners.map(({ account }) => account))}::text[],
      ${numberArray(owners.map(({ ownerId }) => ownerId))}::bigint[]) AS w(account, owner_id)
    JOIN ledger_accounts a ON a.organization_id = ${organizationId} AND a.account = w.account
      AND a.owner_id = w.owner_id`;
}
