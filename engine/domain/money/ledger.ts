import type { AccountOwner } from '../../../schema/money/ledger.ts';
import type { PaymentRecord } from '../../../schema/money/payment.ts';
import type { TaskRecord } from '../../../schema/tasks/task.ts';

/** Money on its way from one account to another. */
export interface Movement {
  readonly debit: AccountOwner;
  readonly credit: AccountOwner;
  readonly amountMinor: number;
  readonly currency: string;
}

type Holder = Pick<TaskRecord, 'agentId' | 'courierId'>;

const OFFICE: AccountOwner = { account: 'cash_office', ownerId: 0 };
const CLEARING: AccountOwner = { account: 'provider_clearing', ownerId: 0 };
const FUNDING: AccountOwner = { account: 'wallet_funding', ownerId: 0 };
const REVENUE: AccountOwner = { account: 'revenue', ownerId: 0 };
const REFUNDS: AccountOwner = { account: 'refunds', ownerId: 0 };

/** The accounts of the organization itself, which every movement has on one side. */
export const OWN_ACCOUNTS: readonly AccountOwner[] = [OFFICE, CLEARING, FUNDING, REVENUE, REFUNDS];

export function walletOf(customerId: number): AccountOwner {
  return { account: 'wallet', ownerId: customerId };
}

/** The holder of the cash for a task: its agent or courier, otherwise the office. */
export function cashOf({ agentId, courierId }: Holder): AccountOwner {
  if (agentId !== null) return { account: 'agent_cash', ownerId: agentId };
  return courierId === null ? OFFICE : { account: 'courier_cash', ownerId: courierId };
}

/** A payment that succeeds: from the payer to the earnings. */
export function captureOf(payment: PaymentRecord): Movement {
  return { debit: paidInto(payment), credit: REVENUE, ...sumOf(payment) };
}

/** Cash is given back at the office, wherever it is by then. */
export function refundOf(payment: PaymentRecord): Movement {
  return { debit: REFUNDS, credit: payment.method === 'cash' ? OFFICE : paidInto(payment), ...sumOf(payment) };
}

/** A refund that the provider could not carry out after all. */
export function refundReversalOf(payment: PaymentRecord): Movement {
  const { debit, credit, ...sum } = refundOf(payment);
  return { debit: credit, credit: debit, ...sum };
}

export function topUpOf(customerId: number, amountMinor: number, currency: string): Movement {
  return { debit: FUNDING, credit: walletOf(customerId), amountMinor, currency };
}

/** Cash that a task collects at its end: as the payment that it becomes. */
export function collectionOf(task: Holder, amountMinor: number, currency: string): Movement {
  return { debit: cashOf(task), credit: REVENUE, amountMinor, currency };
}

/** An agent hands over collected cash. */
export function dropOf(task: Holder, amountMinor: number, currency: string): Movement {
  return { debit: OFFICE, credit: cashOf(task), amountMinor, currency };
}

/** The amount that the owner of an account can spend or hand over: a wallet is owed to its customer, and so below 0. */
export function fundsOf({ account }: AccountOwner, balanceMinor: number): number {
  // Never the negative zero, which JSON and comparisons tell from zero.
  return account === 'wallet' && balanceMinor !== 0 ? -balanceMinor : balanceMinor;
}

function paidInto(payment: PaymentRecord): AccountOwner {
  switch (payment.method) {
    case 'online':
      return CLEARING;
    case 'wallet':
      return walletOf(payment.customerId!);
    case 'cash':
      return cashOf(payment);
  }
}

function sumOf({ amountMinor, currency }: PaymentRecord): Pick<Movement, 'amountMinor' | 'currency'> {
  return { amountMinor, currency };
}
