import { formatMinor } from '../../../../engine/domain/money/money.ts';
import type { Sql } from '../../../../engine/store/postgres.ts';
import { PAYMENT } from '../../../../engine/store/rows/record-tables.ts';
import type { PaymentRecord } from '../../../../schema/money/payment.ts';
import type { TaskRecord } from '../../../../schema/tasks/task.ts';

export type PlainTask = Pick<
  TaskRecord,
  | 'id'
  | 'taskType'
  | 'status'
  | 'customerId'
  | 'agentId'
  | 'courierId'
  | 'childIds'
  | 'parentId'
  | 'amountMinor'
  | 'currency'
  | 'paymentId'
>;

/** The predictable fields of a payment. */
export type PlainPayment = Pick<
  PaymentRecord,
  | 'id'
  | 'taskId'
  | 'customerId'
  | 'agentId'
  | 'courierId'
  | 'method'
  | 'status'
  | 'amountMinor'
  | 'currency'
  | 'providerReference'
  | 'step'
  | 'failureReason'
> & {
  readonly refund: {
    readonly status: string;
    readonly attempt: number;
    readonly reason: string;
    readonly providerReference: string | null;
    readonly failureReason: string | null;
  } | null;
};

/**
 * The holder of money, or its source or target: `wallet 7 USD` holds the balance of customer 7. Balances of 0 are left
 * out.
 */
export type Pots = Record<string, number>;

/** An organization as far as money goes. */
export interface MoneyState {
  readonly tasks: PlainTask[];
  /** In the order in which they were made. */
  readonly payments: PlainPayment[];
  readonly pots: Pots;
}

/** The balances by the rows. */
export async function readMoney(sql: Sql, organizationId: number): Promise<MoneyState> {
  const tasks = await sql<PlainTask[]>`
    SELECT id, task_type, status, customer_id, agent_id, courier_id, child_ids, parent_id, amount_minor, currency,
      payment_id
    FROM tasks WHERE organization_id = ${organizationId} ORDER BY id`;
  const records = await readPayments(sql, organizationId);
  const accounts = await sql<{ account: string; ownerId: number; currency: string; balanceMinor: number }[]>`
    SELECT account, owner_id, currency, balance_minor FROM ledger_accounts
    WHERE organization_id = ${organizationId} AND balance_minor <> 0`;
  // An account that is owed money, or has brought it, is below 0 in the ledger.
  const isOwed = (account: string) => ['wallet', 'revenue'].includes(account);
  const pots = accounts.map(({ account, ownerId, currency, balanceMinor }) => [
    `${account} ${ownerId} ${currency}`,
    isOwed(account) ? -balanceMinor : balanceMinor,
  ]);
  return { tasks: [...tasks], payments: records.map(plainPayment), pots: Object.fromEntries(pots) as Pots };
}

export async function readPayments(sql: Sql, organizationId: number): Promise<PaymentRecord[]> {
  const rows = await sql<{ payment: unknown[] }[]>`
    SELECT ${sql.unsafe(PAYMENT.json('p'))} AS payment FROM payments p
    WHERE organization_id = ${organizationId} ORDER BY id`;
  return rows.map(({ payment }) => PAYMENT.ofJson(payment));
}

/** A state with its new payments numbered from 1, so that two can be compared; those of `before` keep their ids. */
export function withPlainIds({ tasks, payments, pots }: MoneyState, before: MoneyState): MoneyState {
  const known = new Set(before.payments.map(({ id }) => id));
  const fresh = payments.filter(({ id }) => !known.has(id)).map(({ id }) => id);
  const plain = (id: number) => (known.has(id) ? id : fresh.indexOf(id) + 1);
  return {
    tasks: tasks.map((task) => ({ ...task, paymentId: task.paymentId === null ? null : plain(task.paymentId) })),
    payments: payments.map((payment) => ({ ...payment, id: plain(payment.id) })),
    pots: Object.fromEntries(Object.entries(pots).filter(([, minor]) => minor !== 0)),
  };
}

export function decimal({ amountMinor, currency }: { readonly amountMinor: number; readonly currency: string }) {
  return { amount: formatMinor(amountMinor, currency), currency };
}

function plainPayment(record: PaymentRecord): PlainPayment {
  const { id, taskId, customerId, agentId, courierId, method, status, amountMinor, currency, refund } = record;
  const { providerReference, step, failureReason } = record;
  return {
    id,
    taskId,
    customerId,
    agentId,
    courierId,
    method,
    status,
    amountMinor,
    currency,
    providerReference,
    step,
    failureReason,
    refund: refund && {
      status: refund.status,
      attempt: refund.attempt,
      reason: refund.reason,
      providerReference: refund.providerReference,
      failureReason: refund.failureReason,
    },
  };
}
