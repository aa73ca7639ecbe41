import type { Caller, PayTask } from '../../../../schema/commands.ts';
import { type Refusal, refusal } from '../../../../schema/errors.ts';
import type { EventType } from '../../../../schema/events.ts';
import { LIMITS } from '../../../../schema/limits.ts';
import type { AccountOwner, EntryRecord, TransferRecord } from '../../../../schema/money/ledger.ts';
import type { PaymentRecord } from '../../../../schema/money/payment.ts';
import type { PackageRecord } from '../../../../schema/tasks/package.ts';
import type { TaskRecord } from '../../../../schema/tasks/task.ts';
import { captureOf, fundsOf, type Movement, refundOf } from '../../../domain/money/ledger.ts';
import { formatMinor } from '../../../domain/money/money.ts';
import { givenUp } from '../../../domain/money/payment-machine.ts';
import { afterPayment } from '../../../domain/tasks/package-machine.ts';
import { changedTask } from '../../../domain/tasks/task-deadline.ts';
import { BASE64_URL } from '../../../runtime/random.ts';
import type { Draft } from '../../state/draft.ts';
import type { TaskFacts } from '../../state/state-view.ts';
import type { DecideContext } from '../decision.ts';

type What = Pick<TransferRecord, 'kind' | 'paymentId' | 'taskId' | 'reference'>;
export type Sum = Pick<PaymentRecord, 'amountMinor' | 'currency'>;

/** The amount that an owner can spend or hand over. */
export function fundsIn(draft: Draft, owner: AccountOwner, currency: string): number {
  return fundsOf(owner, draft.findBalance(owner, currency)?.balanceMinor ?? 0);
}

export function insufficientFunds(fundsMinor: number, { amountMinor, currency }: Sum): Refusal {
  const balance = formatMinor(fundsMinor, currency);
  return refusal('INSUFFICIENT_FUNDS', undefined, { balance, amount: formatMinor(amountMinor, currency), currency });
}

/**
 * Why accounts cannot take a movement: past 2^53 - 1 minor units a number is not exact. Asked before anything is drafted,
 * because a decision that throws fails every other one in memory with it.
 */
export function judgeMovement(draft: Draft, { debit, credit, amountMinor, currency }: Movement): Refusal | undefined {
  const isFull = (owner: AccountOwner, byMinor: number) =>
    !Number.isSafeInteger(balanceAfter(draft, owner, byMinor, currency));
  if (!isFull(debit, amountMinor) && !isFull(credit, -amountMinor)) return undefined;
  const most = formatMinor(Number.MAX_SAFE_INTEGER, currency);
  const violation = `amount must keep every balance within ${most} ${currency}: use a smaller amount or another currency`;
  return refusal('VALIDATION_FAILED', undefined, { violations: [violation] });
}

function balanceAfter(draft: Draft, owner: AccountOwner, byMinor: number, currency: string): number {
  return (draft.findBalance(owner, currency)?.balanceMinor ?? 0) + byMinor;
}

/** Drafts a line of the ledger, which judgeMovement has let pass; returns it. */
export function draftTransfer(
  draft: Draft,
  movement: Movement,
  what: What,
  caller: Caller,
  context: DecideContext,
): TransferRecord {
  const { organizationId } = draft;
  const id = context.nextId('transfer');
  const transfer = { organizationId, id, ...what, at: context.now, actorType: caller.type, actorId: caller.id };
  const { debit, credit, amountMinor, currency } = movement;
  const entries = [
    { ...debit, amountMinor },
    { ...credit, amountMinor: -amountMinor },
  ].map((side, index): EntryRecord => {
    const before = draft.findBalance(side, currency);
    const balanceMinor = balanceAfter(draft, side, side.amountMinor, currency);
    if (!Number.isSafeInteger(balanceMinor)) throw new RangeError(`an account would have ${balanceMinor} ${currency}`);
    const entry = (before?.entries ?? 0) + 1;
    return { organizationId, transferId: id, line: index + 1, currency, ...side, balanceMinor, entry };
  });
  draft.put({ kind: 'move-money', transfer, entries });
  return transfer;
}

/** Drafts the money of a payment that succeeds. */
export function draftCapture(draft: Draft, payment: PaymentRecord, caller: Caller, context: DecideContext): void {
  const { id: paymentId, taskId, reference } = payment;
  draftTransfer(draft, captureOf(payment), { kind: 'payment', paymentId, taskId, reference }, caller, context);
}

/** Drafts the money of a payment that goes back. */
export function draftRefund(draft: Draft, payment: PaymentRecord, caller: Caller, context: DecideContext): void {
  const { id: paymentId, taskId, refund } = payment;
  const what = { kind: 'refund', paymentId, taskId, reference: refund!.reason } as const;
  draftTransfer(draft, refundOf(payment), what, caller, context);
}

/** The payment that counts for a task: the one that succeeded, else the newest. */
export function currentPayment(draft: Draft, { paymentId }: TaskRecord): PaymentRecord | undefined {
  if (paymentId === null) return undefined;
  const payment = draft.findPayment(paymentId);
  // Taken for a task without one, it would be paid twice.
  if (!payment) throw new Error(`payment ${paymentId} is not in memory`);
  return payment;
}

/** Whether an agent has the task without having accepted it. */
export function isOnlyOffered({ status, agentId }: Pick<TaskRecord, 'status' | 'agentId'>): boolean {
  return status === 'assigned' && agentId !== null;
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
    // Nobody answers for cash of a task that they have not accepted: the office has it.
    agentId: isCash && !isOnlyOffered(task) ? task.agentId : null,
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
  // Before the task changes, because that is the step of the payment that succeeds.
  if (open?.status === 'pending') giveUpPayment(draft, open, 'superseded', context.now);
  draftPaidTask(draft, draft.findTask(payment.taskId)!, payment, context.now);
  tellPayment(draft, payment, 'payment.succeeded');
}

/** Drafts a payment as it has become. */
export function changePayment(
  draft: Draft,
  before: PaymentRecord,
  fields: Partial<PaymentRecord>,
  now: string,
): PaymentRecord {
  const payment = { ...before, ...fields, version: before.version + 1, updatedAt: now };
  draft.put({ kind: 'put-payment', payment });
  return payment;
}

export function tellPayment(draft: Draft, { id: paymentId, taskId }: PaymentRecord, type: EventType): void {
  draft.put({ kind: 'tell-payment', type, paymentId, taskId });
}

/** Drafts the end of a payment that something else came before; its task may have been drafted already. */
export function giveUpPayment(
  draft: Draft,
  payment: PaymentRecord,
  why: 'superseded' | 'task_cancelled',
  now: string,
): void {
  tellPayment(draft, changePayment(draft, payment, givenUp(payment, why), now), 'payment.failed');
}

/** Drafts a task with the payment that counts for it; one that succeeded moves the packages that wait for it. */
export function draftPaidTask(draft: Draft, facts: TaskFacts, payment: PaymentRecord, now: string): void {
  const isPaid = payment.status === 'succeeded';
  const packages = isPaid ? movePackages(draft, facts, payment, now) : facts.packages;
  draft.put({ kind: 'put-task', task: changedTask(facts.task, { paymentId: payment.id }, now), packages });
}

function movePackages(
  draft: Draft,
  { task, packages }: TaskFacts,
  { method }: PaymentRecord,
  now: string,
): readonly PackageRecord[] {
  if (task.amountMinor === null) return packages;
  return packages.map((before) => {
    const status = afterPayment(before.status, method);
    if (status === before.status) return before;
    const record = { ...before, version: before.version + 1, status, updatedAt: now };
    draft.put({ kind: 'put-package', record, leaves: null });
    return record;
  });
}
