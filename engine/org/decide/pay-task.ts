import type { Caller, PayTask } from '../../../schema/commands.ts';
import { notFound, type Refusal, refusal } from '../../../schema/errors.ts';
import { LIMITS } from '../../../schema/limits.ts';
import type { PaymentRecord } from '../../../schema/payment.ts';
import { isCashType, type TaskRecord } from '../../../schema/task.ts';
import { walletOf } from '../../domain/ledger.ts';
import { formatMinor, parseAmount } from '../../domain/money.ts';
import { maySee } from '../../domain/task-machine.ts';
import { BASE64_URL } from '../../runtime/random.ts';
import type { Draft } from '../draft.ts';
import { paymentStep } from '../event-encoding.ts';
import { type DecideContext, type Decision, done, refuse, violate } from './decision.ts';
import { draftCapture, draftPaidTask, fundsIn, giveUpPayment, tellPayment } from './payment-steps.ts';

type Sum = Pick<PaymentRecord, 'amountMinor' | 'currency'>;

/**
 * POST /payments/cash, /payments/wallet and /payments/initialize. Cash and wallets pay at once, and in place of an
 * online payment that is still open; an online one waits for what the provider reports.
 * Refuses: 400 for an amount that its currency does not allow; 404, also for a task that the agent does not have; 409
 * TASK_NOT_PAYABLE, TASK_ALREADY_PAID, PAYMENT_PENDING, PAYMENT_AMOUNT_MISMATCH, CUSTOMER_REQUIRED, INSUFFICIENT_FUNDS.
 */
export function decidePayTask(draft: Draft, command: PayTask, context: DecideContext): Decision {
  const { input, method, caller } = command;
  const { taskId } = input;
  const currency = input.currency ?? draft.organization.currency;
  const parsed = parseAmount(input.amount, currency);
  if ('violation' in parsed) return violate(`amount ${parsed.violation}`);
  const sum = { amountMinor: parsed.minor, currency };
  const facts = draft.findTask(taskId);
  if (!facts || !maySee(facts.task, caller)) return refuse(notFound('Task', taskId));
  const current = currentPayment(draft, facts.task);
  const unpayable = judgePaying(facts.task, current, sum, method);
  if (unpayable) return refuse(unpayable);

  const uncovered = method === 'wallet' ? judgeWallet(draft, facts.task, sum) : undefined;
  if (uncovered) return refuse(uncovered);
  const payment = newPayment(facts.task, sum, command, context);
  if (method === 'online') {
    draft.put({ kind: 'put-payment', payment });
    draftPaidTask(draft, facts, payment, context.now);
    const step = paymentStep(payment);
    draft.put({ kind: 'tell', type: 'task.updated', taskId, extra: { changed: ['paymentId'] }, step });
  } else {
    draftPayment(draft, payment, current, caller, context);
  }
  return done('payment', payment.id, 201);
}

/** Drafts a new payment that has succeeded, in place of one that is open. */
export function draftPayment(
  draft: Draft,
  payment: PaymentRecord,
  open: PaymentRecord | undefined,
  caller: Caller,
  context: DecideContext,
): void {
  draftCapture(draft, payment, caller, context);
  draft.put({ kind: 'put-payment', payment });
  draftPaidTask(draft, draft.findTask(payment.taskId)!, payment, context.now);
  if (open?.status === 'pending') giveUpPayment(draft, open, 'superseded', context.now);
  tellPayment(draft, payment, 'payment.succeeded');
}

/** The payment that counts for a task: the one that succeeded, else the newest. */
export function currentPayment(draft: Draft, { paymentId }: TaskRecord): PaymentRecord | undefined {
  if (paymentId === null) return undefined;
  const payment = draft.findPayment(paymentId);
  // Taken for a task without one, it would be paid twice.
  if (!payment) throw new Error(`payment ${paymentId} is not in memory`);
  return payment;
}

export function newPayment(
  task: TaskRecord,
  { amountMinor, currency }: Sum,
  command: Pick<PayTask, 'method'> & {
    readonly provider?: PaymentRecord['provider'];
    readonly input?: PayTask['input'];
  },
  { now, random, nextId }: DecideContext,
): PaymentRecord {
  const { method, provider = null, input } = command;
  const isOnline = method === 'online';
  const isCash = method === 'cash';
  return {
    organizationId: task.organizationId,
    id: nextId('payment'),
    version: 1,
    taskId: task.id,
    customerId: task.customerId,
    agentId: isCash ? task.agentId : null,
    courierId: isCash ? task.courierId : null,
    channelId: task.channelId,
    method,
    status: isOnline ? 'pending' : 'succeeded',
    amountMinor,
    currency,
    reference: input?.reference ?? null,
    provider,
    providerReference: null,
    checkoutToken: isOnline ? random.text(LIMITS.checkoutTokenChars, BASE64_URL) : null,
    checkoutPage: null,
    step: isOnline ? 'create_checkout' : null,
    refund: null,
    failureReason: null,
    createdAt: now,
    updatedAt: now,
  };
}

export function insufficientFunds(fundsMinor: number, { amountMinor, currency }: Sum): Refusal {
  const balance = formatMinor(fundsMinor, currency);
  return refusal('INSUFFICIENT_FUNDS', undefined, { balance, amount: formatMinor(amountMinor, currency), currency });
}

function judgeWallet(draft: Draft, { customerId }: TaskRecord, sum: Sum): Refusal | undefined {
  if (customerId === null) return refusal('CUSTOMER_REQUIRED');
  const funds = fundsIn(draft, walletOf(customerId), sum.currency);
  return funds < sum.amountMinor ? insufficientFunds(funds, sum) : undefined;
}

function judgePaying(
  task: TaskRecord,
  current: PaymentRecord | undefined,
  { amountMinor, currency }: Sum,
  method: PayTask['method'],
): Refusal | undefined {
  if (task.status === 'cancelled') return refusal('TASK_NOT_PAYABLE');
  if (current?.status === 'succeeded') return refusal('TASK_ALREADY_PAID', undefined, { paymentId: current.id });
  if (current?.status === 'pending' && method === 'online') {
    return refusal('PAYMENT_PENDING', undefined, { paymentId: current.id });
  }
  if (!isCashType(task.taskType) || (amountMinor === task.amountMinor && currency === task.currency)) return undefined;
  const amount = formatMinor(task.amountMinor!, task.currency!);
  return refusal('PAYMENT_AMOUNT_MISMATCH', undefined, { amount, currency: task.currency });
}
