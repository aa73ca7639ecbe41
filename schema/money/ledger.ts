import * as v from 'valibot';
import { amountInput, queryCurrency } from '../fields/amount.ts';
import { isoTime, queryId, shortText } from '../fields/fields.ts';
import { named } from '../fields/named.ts';
import { pageQuery } from '../fields/page-query.ts';
import { nullableId, shownId, shownInteger, shownTime } from '../fields/shown-fields.ts';

/**
 * The accounts of an organization's ledger. Debits are positive and credits negative, so that what somebody has of ours
 * is above 0, and what we owe is below.
 *
 *   wallet             what a customer has paid in, and not spent
 *   agent_cash         what an agent has collected, and not handed over; courier_cash the same of external couriers
 *   cash_office        cash that was handed over, or taken without a courier
 *   provider_clearing  what the payment provider took for the organization
 *   wallet_funding     what was paid for top-ups, outside of this system
 *   revenue, refunds   what tasks brought, and what was given back
 */
export const LEDGER_ACCOUNTS = [
  'wallet',
  'agent_cash',
  'courier_cash',
  'cash_office',
  'provider_clearing',
  'wallet_funding',
  'revenue',
  'refunds',
] as const;
export type LedgerAccount = (typeof LEDGER_ACCOUNTS)[number];

export const TRANSFER_KINDS = named('TransferKind', ['payment', 'refund', 'top_up', 'cash_drop'] as const);
export type TransferKind = (typeof TRANSFER_KINDS)[number];

/** Whose account: `ownerId` is the customer, agent or courier; 0 for an account of the organization. */
export interface AccountOwner {
  readonly account: LedgerAccount;
  readonly ownerId: number;
}

/** The balance of an account in one currency; an unused account has 0 entries. */
export interface AccountBalance extends AccountOwner {
  readonly currency: string;
  readonly balanceMinor: number;
  readonly entries: number;
}

/** A row of `ledger_transfers`. */
export interface TransferRecord {
  readonly organizationId: number;
  readonly id: number;
  readonly kind: TransferKind;
  readonly paymentId: number | null;
  readonly taskId: number | null;
  readonly reference: string | null;
  readonly at: string;
  readonly actorType: string;
  readonly actorId: number | null;
}

/** A row of `ledger_entries`. */
export interface EntryRecord extends AccountOwner {
  readonly organizationId: number;
  readonly transferId: number;
  readonly line: number;
  readonly currency: string;
  readonly amountMinor: number;
  /** The balance of the account after this entry. */
  readonly balanceMinor: number;
  /** Its number within the account, from 1 without gaps. */
  readonly entry: number;
}

/** The balances of an owner's account, in every currency that was ever used, in the order of their codes. */
export interface OwnerBalances {
  readonly balances: readonly Pick<AccountBalance, 'currency' | 'balanceMinor'>[];
  /** The organization's own currency. */
  readonly homeCurrency: string;
}

/** An entry of an account with what its transfer was for. */
export type StatementLine = Pick<EntryRecord, 'transferId' | 'currency' | 'amountMinor' | 'balanceMinor'> &
  Pick<TransferRecord, 'kind' | 'paymentId' | 'taskId' | 'reference' | 'at'>;

/** The body of POST /wallets/:customerId/top-ups. */
export const topUpInput = named(
  'TopUpInput',
  v.object(
    { amount: amountInput, currency: v.nullish(shortText), reference: v.nullish(shortText) },
    'the body must be an object',
  ),
);
export type TopUpInput = v.InferOutput<typeof topUpInput>;

const balanceView = named('Balance', v.object({ balance: v.string(), currency: v.string() }));

/**
 * A customer's balances; `balance` is in the organization's currency, `balances` has every currency that was ever used.
 */
export const walletView = named(
  'Wallet',
  v.object({
    customerId: shownId,
    ...balanceView.entries,
    balances: v.array(balanceView),
  }),
);

/** The cash that an agent has collected and not handed over. */
export const agentCashView = named(
  'AgentCash',
  v.object({
    agentId: shownId,
    ...balanceView.entries,
    balances: v.array(balanceView),
  }),
);

export const topUpView = named(
  'TopUp',
  v.object({
    id: shownId,
    customerId: shownId,
    amount: v.string(),
    currency: v.string(),
    /** The balance of the wallet after it. */
    balance: v.string(),
    reference: v.nullable(v.string()),
    createdAt: shownTime,
  }),
);

/** A line of a wallet's statement: `amount` is signed, above 0 for what came in. */
const statementLineView = named(
  'StatementLine',
  v.object({
    transferId: shownId,
    kind: v.picklist(TRANSFER_KINDS),
    amount: v.string(),
    currency: v.string(),
    balance: v.string(),
    paymentId: nullableId,
    taskId: nullableId,
    reference: v.nullable(v.string()),
    at: shownTime,
  }),
);
export const statementView = named('Statement', v.object({ items: v.array(statementLineView), count: shownInteger }));

/** The newest first. */
export const statementQuery = v.object({
  ...pageQuery,
  currency: v.optional(queryCurrency),
  from: v.optional(isoTime),
  to: v.optional(isoTime),
  paymentId: v.optional(queryId),
});
export type StatementQuery = v.InferOutput<typeof statementQuery>;
