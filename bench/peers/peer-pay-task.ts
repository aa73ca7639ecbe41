import { parseAmount } from '../../engine/domain/money/money.ts';
import { isoTime } from '../../engine/runtime/clock.ts';
import type { Sql } from '../../engine/store/postgres.ts';
import { BUNDLE } from '../../engine/store/rows/record-tables.ts';
import { encodePayment } from '../../engine/views/money/payment-view.ts';
import { encodeTask } from '../../engine/views/task-view.ts';
import type { PaymentRecord } from '../../schema/money/payment.ts';
import type { TaskBundle } from '../../schema/tasks/task.ts';
import type { Counting, Transaction } from './counting.ts';
import { encodePeerEvent, type PeerCaller, PeerRefusal } from './peer-create-task.ts';
import { insertEvent, insertHistory } from './peer-rows.ts';

/** POST /payments/wallet as a JSON schema for Fastify's own validator. */
export const payTaskBody = {
  type: 'object',
  required: ['taskId', 'amount', 'currency'],
  properties: {
    taskId: { type: 'integer', minimum: 1 },
    amount: { type: ['string', 'number'] },
    currency: { type: 'string' },
    reference: { type: ['string', 'null'], maxLength: 255 },
  },
} as const;

export interface PeerPayment {
  readonly taskId: number;
  readonly amount: string | number;
  readonly currency: string;
  readonly reference?: string | null;
}

export interface PaidTask {
  readonly paymentJson: string;
  readonly sequence: number;
}

/**
 * Pays a task from its customer's wallet in one transaction: the rows of the task and of the wallet are locked, in this
 * order, and the rest is sent together. It does less than we do: it does not sum up earnings, whose row would put all
 * payments of an organization in line; its entries have numbers with gaps and no balance.
 */
export function payPeerTask(sql: Sql, counting: Counting, caller: PeerCaller, body: PeerPayment): Promise<PaidTask> {
  const { organizationId } = caller;
  const now = isoTime(Date.now());
  const sum = parseAmount(body.amount, body.currency);
  if ('violation' in sum) throw new PeerRefusal(400, `amount ${sum.violation}`);
  return sql.begin(async (tx) => {
    const bundle = await lockTask(tx, sql, organizationId, body.taskId);
    if (!bundle) throw new PeerRefusal(404, `Task with ID ${body.taskId} not found`);
    const { customerId } = bundle.task;
    if (bundle.task.status === 'cancelled') throw new PeerRefusal(409, 'The task is cancelled');
    if (bundle.task.paymentId !== null) throw new PeerRefusal(409, 'The task has been paid');
    if (customerId === null) throw new PeerRefusal(409, 'The task has no customer');
    const [[wallet], [ids], sequence] = await Promise.all([
      tx<{ balanceMinor: number; entries: number }[]>`
        SELECT balance_minor, entries FROM ledger_accounts WHERE organization_id = ${organizationId}
          AND account = 'wallet' AND owner_id = ${customerId} AND currency = ${body.currency} FOR UPDATE`,
      tx<{ payment: number; transfer: number; earned: number }[]>`
        SELECT nextval('payment_ids') AS payment, nextval('transfer_ids') AS transfer,
          nextval('revenue_entries') AS earned`,
      counting.nextSequence(tx, organizationId),
    ]);
    if (!wallet || -wallet.balanceMinor < sum.minor) throw new PeerRefusal(409, 'The wallet does not cover the amount');
    const payment = newPayment(bundle, ids!.payment, sum.minor, body, now);
    const task = { ...bundle.task, paymentId: payment.id, version: bundle.task.version + 1, updatedAt: now };
    const paymentJson = encodePayment(payment);
    const actor = `"actor":{"type":"channel","id":${caller.channelId}}`;
    const data = `"payment":${paymentJson},"task":${encodeTask({ ...bundle, task })},${actor}`;
    const event = { organizationId, channelId: task.channelId, type: 'payment.succeeded', at: now, sequence } as const;
    await Promise.all([
      insertPayment(tx, payment),
      insertTransfer(tx, payment, caller, ids!, wallet),
      tx`
        UPDATE ledger_accounts SET balance_minor = balance_minor + ${sum.minor}, entries = entries + 1, updated_at = ${now}
        WHERE organization_id = ${organizationId} AND account = 'wallet' AND owner_id = ${customerId}
          AND currency = ${body.currency}`,
      tx`
        UPDATE tasks SET payment_id = ${payment.id}, version = ${task.version}, updated_at = ${now}
        WHERE organization_id = ${organizationId} AND id = ${task.id}`,
      insertEvent(tx, { ...event, body: encodePeerEvent(event, data) }),
      insertHistory(tx, {
        organizationId,
        taskId: task.id,
        sequence,
        at: now,
        kind: 'payment',
        toStatus: null,
        channelId: caller.channelId,
      }),
      tx`
        INSERT INTO audit_records (organization_id, record_type, record_id, version, at, actor_type, actor_id, after)
        VALUES (${organizationId}, 'payment', ${payment.id}, 1, ${now}, 'channel', ${caller.channelId},
          ${JSON.stringify(payment)}::text::json)`,
    ]);
    return { paymentJson, sequence };
  }) as Promise<PaidTask>;
}

/** The tables that the migrated database lacks for it. */
export async function preparePeerPayments(sql: Sql): Promise<void> {
  await sql`CREATE SEQUENCE IF NOT EXISTS revenue_entries`;
}

async function lockTask(
  tx: Transaction,
  sql: Sql,
  organizationId: number,
  taskId: number,
): Promise<TaskBundle | undefined> {
  const [row] = await tx`
    SELECT ${sql.unsafe(BUNDLE.list)} FROM tasks t
    WHERE t.organization_id = ${organizationId} AND t.id = ${taskId} FOR UPDATE OF t`.values();
  return row && BUNDLE.ofRow(row);
}

function newPayment(
  { task }: TaskBundle,
  id: number,
  amountMinor: number,
  { currency, reference = null }: PeerPayment,
  now: string,
): PaymentRecord {
  return {
    organizationId: task.organizationId,
    id,
    version: 1,
    taskId: task.id,
    customerId: task.customerId,
    agentId: null,
    courierId: null,
    channelId: task.channelId,
    method: 'wallet',
    status: 'succeeded',
    amountMinor,
    currency,
    reference,
    provider: null,
    providerReference: null,
    checkoutToken: null,
    checkoutPage: null,
    step: null,
    refund: null,
    failureReason: null,
    createdAt: now,
    updatedAt: now,
  };
}

function insertPayment(tx: Transaction, row: PaymentRecord) {
  return tx`
    INSERT INTO payments (organization_id, id, version, task_id, customer_id, channel_id, method, status, amount_minor,
      currency, reference, created_at, updated_at)
    VALUES (${row.organizationId}, ${row.id}, ${row.version}, ${row.taskId}, ${row.customerId}, ${row.channelId},
      ${row.method}, ${row.status}, ${row.amountMinor}, ${row.currency}, ${row.reference}, ${row.createdAt},
      ${row.updatedAt})`;
}

/** The transfer and, by one statement, both its entries. */
function insertTransfer(
  tx: Transaction,
  { organizationId, id, taskId, customerId, amountMinor, currency, createdAt }: PaymentRecord,
  { channelId }: PeerCaller,
  ids: { readonly transfer: number; readonly earned: number },
  wallet: { readonly balanceMinor: number; readonly entries: number },
) {
  return Promise.all([
    tx`
      INSERT INTO ledger_transfers (organization_id, id, kind, payment_id, task_id, at, actor_type, actor_id)
      VALUES (${organizationId}, ${ids.transfer}, 'payment', ${id}, ${taskId}, ${createdAt}, 'channel', ${channelId})`,
    tx`
      INSERT INTO ledger_entries (organization_id, transfer_id, line, account, owner_id, currency, amount_minor,
        balance_minor, entry)
      VALUES
        (${organizationId}, ${ids.transfer}, 1, 'wallet', ${customerId}, ${currency}, ${amountMinor},
          ${wallet.balanceMinor + amountMinor}, ${wallet.entries + 1}),
        (${organizationId}, ${ids.transfer}, 2, 'revenue', 0, ${currency}, ${-amountMinor}, 0, ${ids.earned})`,
  ]);
}
