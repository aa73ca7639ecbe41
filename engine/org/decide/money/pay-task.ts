import type { PayTask } from '../../../../schema/commands.ts';
import { notFound, type Refusal, refusal } from '../../../../schema/errors.ts';
import type { PaymentRecord } from '../../../../schema/money/payment.ts';
import { isCashType, type TaskRecord } from '../../../../schema/tasks/task.ts';
import { captureOf, walletOf } from '../../../domain/money/ledger.ts';
import { formatMinor, parseAmount } from '../../../domain/money/money.ts';
import { maySee } from '../../../domain/tasks/task-machine.ts';
import { paymentStep } from '../../apply/event-encoding.ts';
import type { Draft } from '../../state/draft.ts';
import { type DecideContext, type Decision, done, refuse, violate } from '../decision.ts';
import { MONEY } from '../id-demand.ts';
import { rule } from '../rule.ts';
import {
  currentPayment,
  draftPaidTask,
  draftPayment,
  fundsIn,
  insufficientFunds,
  isOnlyOffered,
  judgeMovement,
  newPayment,
  type Sum,
} from '../steps/payment-steps.ts';
import { tellUpdated } from '../steps/tell-updated.ts';

export const payTaskRule = rule<PayTask>({
  needs(needed, { input }) {
    needed.task(input.taskId);
    needed.moneyOf(input.taskId);
  },
  ids: () => MONEY,
  followsAgent: true,
  task: (draft, { input }) => draft.findTask(input.taskId)?.task,
  decide: decidePayTask,
});

/**
 * POST /payments/cash, /payments/wallet and /payments/initialize. Cash and wallets pay at once, and in place of an
 * online payment that is still open; an online one waits for what the provider reports.
 * Refuses: 400 for a currency that does not exist, or an amount that it or the accounts do not allow; 404, also for a task that the
 * agent does not have; 409 TASK_NOT_PAYABLE, also for an agent that has not accepted the task; TASK_ALREADY_PAID,
 * PAYMENT_PENDING, PAYMENT_AMOUNT_MISMATCH, CUSTOMER_REQUIRED, INSUFFICIENT_FUNDS.
 */
export function decidePayTask(draft: Draft, command: PayTask, context: DecideContext): Decision {
  const { input, method, caller } = command;
  const { taskId } = input;
  const currency = input.currency ?? draft.organization.currency;
  const parsed = parseAmount(input.amount, currency);
  if ('violation' in parsed) return violate(parsed.violation);
  const sum = { amountMinor: parsed.minor, currency };
  const facts = draft.findTask(taskId);
  if (!facts || !maySee(facts.task, caller)) return refuse(notFound('Task', taskId));
  const current = currentPayment(draft, facts.task);
  const unpayable = judgePaying(facts.task, current, sum, method);
  if (unpayable) return refuse(unpayable);
  if (method === 'cash' && caller.role === 'agent' && isOnlyOffered(facts.task)) {
    return refuse(refusal('TASK_NOT_PAYABLE', 'Accept the task before you collect its cash'));
  }

  const uncovered = method === 'wallet' ? judgeWallet(draft, facts.task, sum) : undefined;
  if (uncovered) return refuse(uncovered);
  const payment = newPayment(facts.task, sum, command, context);
  // Also online: nobody is to pay what cannot be booked.
  const overflow = judgeMovement(draft, captureOf(payment));
  if (overflow) return refuse(overflow);
  if (method === 'online') {
    draft.put({ kind: 'put-payment', payment });
    draftPaidTask(draft, facts, payment, context.now);
    tellUpdated(draft, taskId, ['paymentId'], paymentStep(payment));
  } else {
    draftPayment(draft, payment, current, caller, context);
  }
  return done('payment', payment.id, 201);
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
  if (task.nextTaskId !== null) {
    const { nextTaskId } = task;
    return refusal('TASK_NOT_PAYABLE', 'The task is reattempted: pay the next one', { nextTaskId });
  }
  if (task.taskType === 'cash_drop')
    return refusal('TASK_NOT_PAYABLE', 'A cash_drop hands over what was paid elsewhere');
  if (current?.status === 'succeeded') return refusal('TASK_ALREADY_PAID', undefined, { paymentId: current.id });
  if (current?.status === 'pending' && method === 'online') {
    return refusal('PAYMENT_PENDING', undefined, { paymentId: current.id });
  }
  if (!isCashType(task.taskType) || (amountMinor === task.amountMinor && currency === task.currency)) return undefined;
  const amount = formatMinor(task.amountMinor!, task.currency!);
  return refusal('PAYMENT_AMOUNT_MISMATCH', undefined, { amount, currency: task.currency });
}
