import { LIMITS } from '../../../schema/limits.ts';
import type { OwnerBalances, StatementLine, StatementQuery } from '../../../schema/money/ledger.ts';
import type { Fragment, Sql } from '../postgres.ts';
import { retried } from '../statements.ts';

/** The owners whose accounts are shown, and their table. */
const OWNERS = { wallet: 'customers', agent_cash: 'agents' } as const;
export type OwnedAccount = keyof typeof OWNERS;

export interface BalancesDetail extends OwnerBalances {
  /** Sequence of the organization's log at which the balances were true. */
  readonly sequence: number;
}

export interface StatementPage {
  readonly items: readonly StatementLine[];
  /** Exact number of matching entries, of the same snapshot as the items. */
  readonly count: number;
  /** Sequence of the organization's log at which the page was true. */
  readonly sequence: number;
}

/** The balances of a customer's wallet or an agent; undefined when the organization has no such customer or agent. */
export async function readBalances(
  sql: Sql,
  organizationId: number,
  account: OwnedAccount,
  ownerId: number,
): Promise<BalancesDetail | undefined> {
  type Account = OwnerBalances['balances'][number] | { currency: null; balanceMinor: null };
  const query = () => sql<({ sequence: number; homeCurrency: string } & Account)[]>`
    SELECT h.last_sequence AS sequence, o.currency AS home_currency, a.currency, a.balance_minor
    FROM ${sql(OWNERS[account])} w JOIN organizations o ON o.organization_id = w.organization_id
    JOIN organization_heads h ON h.organization_id = w.organization_id
    LEFT JOIN ledger_accounts a
      ON a.organization_id = w.organization_id AND a.account = ${account} AND a.owner_id = w.id
    WHERE w.organization_id = ${organizationId} AND w.id = ${ownerId}
    ORDER BY a.currency`;
  const rows = await retried(query, LIMITS.readDeadlineMs, 'reading what an account has');
  const [first] = rows;
  if (!first) return undefined;
  const balances = rows.flatMap(({ currency, balanceMinor }) => (currency === null ? [] : { currency, balanceMinor }));
  return { balances, homeCurrency: first.homeCurrency, sequence: first.sequence };
}

/** A page of the movements of a customer's wallet, newest first; undefined when there is no such customer. */
export async function listStatement(
  sql: Sql,
  organizationId: number,
  customerId: number,
  { page, limit, ...filter }: StatementQuery,
): Promise<StatementPage | undefined> {
  const accounts = accountsOf(sql, organizationId, customerId, filter);
  const entries = entriesOf(sql, filter);
  const { currency: _, ...ofEntries } = filter;
  const isFiltered = Object.values(ofEntries).some((value) => value !== undefined);
  // An account's entries are numbered in the order of time, and it knows their number: only shown entries are read.
  const query = () => sql<({ sequence: number; count: number } & (StatementLine | { transferId: null }))[]>`
    SELECT h.last_sequence AS sequence, b.*,
      (SELECT coalesce(sum(CASE WHEN ${isFiltered} THEN (SELECT count(*) FROM ${entries}) ELSE a.entries END), 0)::bigint
        FROM ${accounts}) AS count
    FROM customers c JOIN organization_heads h ON h.organization_id = c.organization_id
    LEFT JOIN (
      SELECT n.* FROM ${accounts} CROSS JOIN LATERAL (
        SELECT e.transfer_id, e.currency, e.amount_minor, e.balance_minor, e.entry, t.kind, t.payment_id, t.task_id,
          t.reference, t.at
        FROM ${entries} ORDER BY e.entry DESC LIMIT ${limit * page}) n
      ORDER BY n.at DESC, n.currency, n.entry DESC LIMIT ${limit} OFFSET ${(page - 1) * limit}) b ON true
    WHERE c.organization_id = ${organizationId} AND c.id = ${customerId}
    ORDER BY b.at DESC, b.currency, b.entry DESC`;
  const rows = await retried(query, LIMITS.readDeadlineMs, 'reading the statement of a wallet');
  const [first] = rows;
  if (!first) return undefined;
  const items = rows.flatMap((row) => (row.transferId === null ? [] : [row]));
  return { items, count: first.count, sequence: first.sequence };
}

type StatementFilter = Omit<StatementQuery, 'page' | 'limit'>;

/** The accounts `a` of a wallet, by currency. */
function accountsOf(
  sql: Sql,
  organizationId: number,
  customerId: number,
  { currency }: Pick<StatementFilter, 'currency'>,
): Fragment {
  return sql`(SELECT * FROM ledger_accounts
    WHERE organization_id = ${organizationId} AND account = 'wallet' AND owner_id = ${customerId}
      ${currency === undefined ? sql`` : sql`AND currency = ${currency}`}) a`;
}

/** The matching entries `e` of an account `a`, each with its transfer `t`. */
function entriesOf(sql: Sql, { from, to, paymentId }: Omit<StatementFilter, 'currency'>): Fragment {
  return sql`ledger_entries e
    JOIN ledger_transfers t ON t.organization_id = e.organization_id AND t.id = e.transfer_id
    WHERE e.organization_id = a.organization_id AND e.account = a.account AND e.owner_id = a.owner_id
      AND e.currency = a.currency
      ${paymentId === undefined ? sql`` : sql`AND t.payment_id = ${paymentId}`}
      ${from === undefined ? sql`` : sql`AND t.at >= ${from}`}
      ${to === undefined ? sql`` : sql`AND t.at <= ${to}`}`;
}
