import { jobStatus } from '../../../../engine/domain/tasks/job.ts';
import type { PaymentMethod, ProviderReport } from '../../../../schema/money/payment.ts';
import type { MoneyState, PlainPayment, PlainTask } from './money-state.ts';

export interface Sum {
  readonly amountMinor: number;
  readonly currency: string;
}

/** Something that is asked of the engine. */
export type Operation =
  | { readonly kind: 'pay'; readonly taskId: number; readonly method: PaymentMethod; readonly sum: Sum }
  | { readonly kind: 'refund'; readonly paymentId: number }
  | { readonly kind: 'top-up'; readonly customerId: number; readonly sum: Sum }
  | {
      readonly kind: 'end';
      readonly taskId: number;
      readonly status: 'completed' | 'cancelled';
      readonly outcome?: 'failed';
    }
  | { readonly kind: 'report'; readonly paymentId: number; readonly report: ProviderReport };

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * The effect of an operation by docs/contract.md §7, as plainly as possible: no ledger, no actor, only pots of money.
 * Changes `state`; returns `ok`, or the code of a refusal.
 */
export function carryOut(state: MoneyState, operation: Operation): string {
  const model = new MoneyModel(state);
  switch (operation.kind) {
    case 'pay':
      return model.pay(operation);
    case 'refund':
      return model.refund(operation.paymentId);
    case 'top-up':
      return model.topUp(operation);
    case 'end':
      return model.end(operation);
    case 'report':
      return model.hear(operation.paymentId, operation.report);
  }
}

class MoneyModel {
  readonly #state: MoneyState;

  constructor(state: MoneyState) {
    this.#state = state;
  }

  pay({ taskId, method, sum }: Extract<Operation, { kind: 'pay' }>): string {
    const task = this.#task(taskId);
    if (!task) return 'NOT_FOUND';
    const current = this.#paymentOf(task);
    if (task.status === 'cancelled' || task.taskType === 'cash_drop') return 'TASK_NOT_PAYABLE';
    if (current?.status === 'succeeded') return 'TASK_ALREADY_PAID';
    if (current?.status === 'pending' && method === 'online') return 'PAYMENT_PENDING';
    const isBound = task.taskType === 'cash_collection';
    if (isBound && (task.amountMinor !== sum.amountMinor || task.currency !== sum.currency))
      return 'PAYMENT_AMOUNT_MISMATCH';
    if (method === 'wallet') {
      if (task.customerId === null) return 'CUSTOMER_REQUIRED';
      if (this.#has('wallet', task.customerId, sum.currency) < sum.amountMinor) return 'INSUFFICIENT_FUNDS';
    }
    this.#makePayment(task, method, sum);
    return 'ok';
  }

  refund(paymentId: number): string {
    const payment = this.#payment(paymentId);
    if (!payment) return 'NOT_FOUND';
    if (payment.status === 'refunded' || payment.refund?.status === 'pending') return 'PAYMENT_ALREADY_REFUNDED';
    if (payment.status === 'failed' && payment.refund?.status === 'succeeded') return 'PAYMENT_ALREADY_REFUNDED';
    if (payment.status !== 'succeeded' && payment.refund?.status !== 'failed') return 'PAYMENT_NOT_REFUNDABLE';
    this.#askBack(payment, 'asked for');
    if (payment.method === 'online') return 'ok';
    payment.refund = { ...payment.refund!, status: 'succeeded' };
    payment.status = 'refunded';
    this.#giveBack(payment, 1);
    return 'ok';
  }

  topUp({ customerId, sum }: Extract<Operation, { kind: 'top-up' }>): string {
    this.#add('wallet_funding', 0, sum, 1);
    this.#add('wallet', customerId, sum, 1);
    return 'ok';
  }

  end({ taskId, status, outcome }: Extract<Operation, { kind: 'end' }>): string {
    const task = this.#task(taskId)!;
    const isJob = task.childIds !== null;
    if (status === 'completed') {
      if (isJob) return 'STATUS_DERIVED';
      if (task.status === 'completed') return 'ok';
      if (task.status !== 'in_transit') return 'INVALID_STATUS_TRANSITION';
      const refused = outcome === 'failed' ? undefined : this.#settleCash(task);
      if (refused) return refused;
      task.status = 'completed';
    } else {
      if (['completed', 'cancelled'].includes(task.status)) return 'INVALID_STATUS_TRANSITION';
      for (const one of [task, ...this.#childrenOf(task)]) if (one.status !== 'completed') this.#cancel(one);
    }
    if (task.parentId !== null) this.#follow(task.parentId);
    return 'ok';
  }

  hear(paymentId: number, report: ProviderReport): string {
    const payment = this.#payment(paymentId);
    // Only online payments have to do with a provider.
    if (payment?.method === 'online') this.#hear(payment, report);
    return 'ok';
  }

  #hear(payment: Mutable<PlainPayment>, report: ProviderReport): void {
    const isOpen = payment.status === 'pending';
    switch (report.kind) {
      case 'checkout-made':
        if (payment.providerReference !== null) return;
        if (payment.step !== 'create_checkout' && payment.step !== 'cancel_checkout') return;
        payment.providerReference = report.providerReference;
        if (isOpen) payment.step = 'await_payment';
        return;
      case 'not-paid':
      case 'checkout-refused': {
        const told = report.kind === 'not-paid' ? report.providerReference : null;
        if (told !== null && payment.providerReference !== null && told !== payment.providerReference) return;
        if (isOpen) Object.assign(payment, { status: 'failed', failureReason: report.reason, step: null });
        else if (payment.step === 'cancel_checkout') payment.step = null;
        return;
      }
      case 'paid':
        if (isOpen || payment.status === 'failed') this.#hearPaid(payment, report);
        return;
      case 'given-back':
        this.#hearGivenBack(payment, report);
        return;
      case 'give-back-failed': {
        const { refund } = payment;
        const isThis = refund?.providerReference === report.refundReference;
        if (isThis && refund.status === 'succeeded') this.#unrefund(payment, report.reason);
        return;
      }
      default:
        if (payment.refund?.attempt === report.attempt && payment.refund.status !== 'failed')
          this.#hearOfRefund(payment, report);
    }
  }

  #hearGivenBack(payment: Mutable<PlainPayment>, report: Extract<ProviderReport, { kind: 'given-back' }>): void {
    const { refundReference: providerReference, amountMinor, isWhole } = report;
    const before = payment.refund;
    if (before?.status === 'succeeded') return;
    const isOurs = before?.status === 'pending';
    if (!isWhole && (isOurs || payment.status !== 'succeeded' || before?.providerReference === providerReference))
      return;
    if (!isOurs) this.#askBack(payment, 'refunded_at_provider');
    payment.refund = { ...payment.refund!, providerReference };
    payment.step = null;
    if (isWhole) return this.#refunded(payment);
    const failureReason = `partial: ${amountMinor} of ${payment.amountMinor} minor units`;
    payment.refund = { ...payment.refund, status: 'failed', failureReason };
  }

  /** Only what was booked as a payment leaves the pots. */
  #refunded(payment: Mutable<PlainPayment>): void {
    payment.refund = { ...payment.refund!, status: 'succeeded' };
    payment.step = null;
    if (payment.status === 'succeeded') {
      payment.status = 'refunded';
      this.#giveBack(payment, 1);
    } else {
      payment.status = 'failed';
      payment.failureReason ??= 'refunded_at_provider';
    }
  }

  #unrefund(payment: Mutable<PlainPayment>, failureReason: string): void {
    payment.refund = { ...payment.refund!, status: 'failed', failureReason };
    payment.step = null;
    if (payment.status === 'refunded') {
      payment.status = 'succeeded';
      this.#giveBack(payment, -1);
    }
    if (payment.status !== 'succeeded') return;
    const task = this.#task(payment.taskId)!;
    const current = this.#paymentOf(task);
    if (current?.status === 'succeeded') return;
    if (current?.status === 'pending') this.#giveUp(current, 'superseded');
    task.paymentId = payment.id;
  }

  #hearPaid(payment: Mutable<PlainPayment>, report: Extract<ProviderReport, { kind: 'paid' }>): void {
    const { providerReference } = report;
    if (payment.refund) return;
    if (report.amountMinor !== payment.amountMinor || report.currency !== payment.currency) {
      Object.assign(payment, { status: 'failed', failureReason: 'amount_mismatch', providerReference });
      this.#askBack(payment, `taken instead: ${report.amountMinor} minor units of ${report.currency}`);
      return;
    }
    const task = this.#task(payment.taskId)!;
    const current = this.#paymentOf(task);
    const wasGivenUp = payment.failureReason === 'superseded' || payment.failureReason === 'task_cancelled';
    const isPaidOtherwise = current !== payment && current?.status === 'succeeded';
    Object.assign(payment, { status: 'succeeded', failureReason: null, providerReference, step: null });
    this.#take(payment);
    if (wasGivenUp || isPaidOtherwise || task.status === 'cancelled') {
      this.#askBack(payment, 'late_payment');
      return;
    }
    if (current !== payment && current?.status === 'pending') this.#giveUp(current, 'superseded');
    task.paymentId = payment.id;
  }

  #hearOfRefund(payment: Mutable<PlainPayment>, report: Extract<ProviderReport, { attempt: number }>): void {
    const refund = payment.refund!;
    if (report.kind === 'refund-failed') {
      const { refundReference: failed = refund.providerReference } = report;
      const isReplaced = refund.status === 'succeeded' && failed !== refund.providerReference;
      if (!isReplaced) this.#unrefund(payment, report.reason);
    } else if (refund.status !== 'succeeded' && report.kind === 'refunded') {
      payment.refund = { ...refund, providerReference: report.refundReference };
      this.#refunded(payment);
    } else if (refund.status !== 'succeeded' && refund.providerReference !== report.refundReference) {
      payment.refund = { ...refund, providerReference: report.refundReference };
      payment.step = 'await_refund';
    }
  }

  /** Cash that a task collects or hands over when it succeeds. */
  #settleCash(task: Mutable<PlainTask>): string | undefined {
    const sum = { amountMinor: task.amountMinor ?? 0, currency: task.currency ?? '' };
    if (task.taskType === 'cash_drop') {
      const [pot, owner] = cashPot(task);
      if (this.#has(pot, owner, sum.currency) < sum.amountMinor) return 'INSUFFICIENT_FUNDS';
      this.#add(pot, owner, sum, -1);
      this.#add('cash_office', 0, sum, 1);
    } else if (task.taskType === 'cash_collection' && this.#paymentOf(task)?.status !== 'succeeded') {
      this.#makePayment(task, 'cash', sum);
    }
    return undefined;
  }

  #makePayment(task: Mutable<PlainTask>, method: PaymentMethod, sum: Sum): void {
    const { id: taskId, customerId, agentId, courierId } = task;
    const isOnline = method === 'online';
    const isCash = method === 'cash';
    const payment: PlainPayment = {
      // Below those of the rows, and rising.
      id: -1_000 + this.#state.payments.length,
      taskId,
      customerId,
      // An agent answers for cash only of a task that it has accepted.
      agentId: isCash && task.status !== 'assigned' ? agentId : null,
      courierId: isCash ? courierId : null,
      method,
      status: isOnline ? 'pending' : 'succeeded',
      ...sum,
      providerReference: null,
      step: isOnline ? 'create_checkout' : null,
      failureReason: null,
      refund: null,
    };
    const before = this.#paymentOf(task);
    if (!isOnline) {
      if (before?.status === 'pending') this.#giveUp(before, 'superseded');
      this.#take(payment);
    }
    this.#state.payments.push(payment);
    task.paymentId = payment.id;
  }

  #cancel(task: Mutable<PlainTask>): void {
    task.status = 'cancelled';
    const payment = this.#paymentOf(task);
    if (payment?.status === 'pending') this.#giveUp(payment, 'task_cancelled');
  }

  #follow(jobId: number): void {
    const job = this.#task(jobId)!;
    const status = jobStatus(this.#childrenOf(job));
    if (status === 'cancelled') this.#cancel(job);
    job.status = status;
  }

  #giveUp(payment: Mutable<PlainPayment>, failureReason: string): void {
    Object.assign(payment, { status: 'failed', failureReason, step: 'cancel_checkout' });
  }

  #askBack(payment: Mutable<PlainPayment>, reason: string): void {
    const attempt = (payment.refund?.attempt ?? 0) + 1;
    payment.refund = { status: 'pending', attempt, reason, providerReference: null, failureReason: null };
    if (payment.method === 'online') payment.step = 'refund';
  }

  #take(payment: PlainPayment): void {
    this.#add('revenue', 0, payment, 1);
    if (payment.method === 'wallet') this.#add('wallet', payment.customerId!, payment, -1);
    else if (payment.method === 'online') this.#add('provider_clearing', 0, payment, 1);
    else this.#add(...cashPot(payment), payment, 1);
  }

  /** `way`: 1 for a refund, -1 for one that did not arrive. Cash goes back at the office, whichever agent took it. */
  #giveBack(payment: PlainPayment, way: 1 | -1): void {
    this.#add('refunds', 0, payment, way);
    if (payment.method === 'wallet') this.#add('wallet', payment.customerId!, payment, way);
    else this.#add(payment.method === 'online' ? 'provider_clearing' : 'cash_office', 0, payment, way === 1 ? -1 : 1);
  }

  #has(pot: string, owner: number, currency: string): number {
    return this.#state.pots[`${pot} ${owner} ${currency}`] ?? 0;
  }

  #add(pot: string, owner: number, { amountMinor, currency }: Sum, way: 1 | -1): void {
    this.#state.pots[`${pot} ${owner} ${currency}`] = this.#has(pot, owner, currency) + way * amountMinor;
  }

  #task(id: number): Mutable<PlainTask> | undefined {
    return this.#state.tasks.find((task) => task.id === id);
  }

  #payment(id: number): Mutable<PlainPayment> | undefined {
    return this.#state.payments.find((payment) => payment.id === id);
  }

  #paymentOf({ paymentId }: PlainTask): Mutable<PlainPayment> | undefined {
    return paymentId === null ? undefined : this.#payment(paymentId);
  }

  #childrenOf({ childIds }: PlainTask): Mutable<PlainTask>[] {
    return (childIds ?? []).map((id) => this.#task(id)!);
  }
}

function cashPot({ agentId, courierId }: Pick<PlainTask, 'agentId' | 'courierId'>): [pot: string, owner: number] {
  if (agentId !== null) return ['agent_cash', agentId];
  return courierId === null ? ['cash_office', 0] : ['courier_cash', courierId];
}
