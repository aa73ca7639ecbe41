import type { Caller } from '../../../../schema/commands.ts';
import type { Refusal } from '../../../../schema/errors.ts';
import { isCashType, type TaskRecord } from '../../../../schema/tasks/task.ts';
import { cashOf, collectionOf, dropOf } from '../../../domain/money/ledger.ts';
import type { Draft } from '../../state/draft.ts';
import type { DecideContext } from '../decision.ts';
import {
  currentPayment,
  draftPayment,
  draftTransfer,
  fundsIn,
  giveUpPayment,
  insufficientFunds,
  judgeMovement,
  newPayment,
} from './payment-steps.ts';

type Ended = Pick<TaskRecord, 'status' | 'outcome'>;

/** Whether the cash that a task would hand over is there, and the accounts can take what its end moves. */
export function judgeCash(draft: Draft, task: TaskRecord, ended: Ended): Refusal | undefined {
  if (!isCashType(task.taskType) || !isDone(ended)) return undefined;
  const [amountMinor, currency] = [task.amountMinor!, task.currency!];
  if (task.taskType === 'cash_collection') {
    const isPaid = currentPayment(draft, task)?.status === 'succeeded';
    return isPaid ? undefined : judgeMovement(draft, collectionOf(task, amountMinor, currency));
  }
  const funds = fundsIn(draft, cashOf(task), currency);
  if (funds < amountMinor) return insufficientFunds(funds, { amountMinor, currency });
  return judgeMovement(draft, dropOf(task, amountMinor, currency));
}

/** Drafts the end of the payment that a task waits for, once that is cancelled. */
export function draftUnpaid(draft: Draft, taskId: number, now: string): void {
  const { task } = draft.findTask(taskId)!;
  if (task.status !== 'cancelled') return;
  const open = currentPayment(draft, task);
  if (open?.status === 'pending') giveUpPayment(draft, open, 'task_cancelled', now);
}

/**
 * Drafts what the end of a task does to money, once the end itself is drafted. Cash that was collected is a payment,
 * unless the task has been paid; a cancelled task waits for no payment any more.
 */
export function draftCash(draft: Draft, taskId: number, caller: Caller, context: DecideContext): void {
  const { task } = draft.findTask(taskId)!;
  draftUnpaid(draft, taskId, context.now);
  if (!isDone(task) || !isCashType(task.taskType)) return;
  const [amountMinor, currency] = [task.amountMinor!, task.currency!];
  if (task.taskType === 'cash_drop') {
    const what = { kind: 'cash_drop', paymentId: null, taskId, reference: null } as const;
    draftTransfer(draft, dropOf(task, amountMinor, currency), what, caller, context);
    return;
  }
  const current = currentPayment(draft, task);
  if (current?.status === 'succeeded') return;
  const payment = newPayment(task, { amountMinor, currency }, { method: 'cash' }, context);
  draftPayment(draft, payment, current, caller, context);
}

function isDone({ status, outcome }: Ended): boolean {
  return status === 'completed' && outcome !== 'failed';
}
