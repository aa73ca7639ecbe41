import fc from 'fast-check';
import { PAYMENT_METHODS, type ProviderReport } from '../../../../schema/money/payment.ts';
import type { FaultMoment } from '../../../support/system/faulty-commit-store.ts';
import type { Operation, Sum } from './money-model.ts';
import { CASH_MINOR } from './money-place.ts';
import type { MoneyState, PlainPayment, PlainTask } from './money-state.ts';

/** The parts of an operation that are chosen when its turn comes, from the records of that moment. */
export interface Known extends MoneyState {
  readonly customerIds: readonly number[];
}

export type Make = (known: Known) => Operation | undefined;

export type MoneyStep =
  | { readonly kind: 'together'; readonly makes: readonly Make[]; readonly fault: FaultMoment | undefined }
  | { readonly kind: 'retire' | 'restart' };

const nat = fc.nat(60);
const sum: fc.Arbitrary<Sum> = fc.record({
  amountMinor: fc.constantFrom(1, CASH_MINOR, CASH_MINOR, 400, 999),
  currency: fc.constantFrom('USD', 'USD', 'USD', 'JPY', 'KWD'),
});

function pick<T>(items: readonly T[], index: number): T | undefined {
  return items[index % Math.max(1, items.length)];
}

/** Lately made ones are named more often than others: between them things happen. */
function pickPayment({ payments }: Known, index: number) {
  return index % 3 === 0
    ? pick(payments, index)
    : payments.at(-1 - (index % Math.min(4, Math.max(1, payments.length))));
}

/** Every other time one that was paid for, or was to be, a short while ago. */
function pickTask(known: Known, index: number): PlainTask {
  const lately = index % 2 === 0 ? undefined : pickPayment(known, index);
  return known.tasks.find(({ id }) => id === lately?.taskId) ?? pick(known.tasks, index)!;
}

const pay: fc.Arbitrary<Make> = fc
  .record({ task: nat, method: fc.constantFrom(...PAYMENT_METHODS, 'online' as const), sum, isRight: fc.nat(5) })
  .map(({ task: index, method, sum: any, isRight }) => (known) => {
    const task = pickTask(known, index);
    const right = task.amountMinor !== null && isRight > 0;
    const own = right ? { amountMinor: task.amountMinor!, currency: task.currency! } : any;
    return { kind: 'pay', taskId: task.id, method, sum: own };
  });

const refund: fc.Arbitrary<Make> = nat.map((index) => (known) => {
  const payment = pickPayment(known, index);
  return payment && { kind: 'refund', paymentId: index === 60 ? payment.id + 500_000 : payment.id };
});

const topUp: fc.Arbitrary<Make> = fc
  .record({ customer: nat, sum })
  .map(({ customer, sum: own }) => ({ customerIds }) => {
    return { kind: 'top-up', customerId: pick(customerIds, customer)!, sum: own };
  });

const end: fc.Arbitrary<Make> = fc
  .record({ task: nat, how: fc.constantFrom('completed', 'completed', 'failed', 'cancelled', 'cancelled') })
  .map(({ task: index, how }) => (known) => {
    const taskId = pickTask(known, index).id;
    if (how === 'cancelled') return { kind: 'end', taskId, status: 'cancelled' };
    return { kind: 'end', taskId, status: 'completed', ...(how === 'failed' ? { outcome: 'failed' } : {}) };
  });

type Kind = ProviderReport['kind'];
const KINDS: readonly Kind[] = [
  'checkout-made',
  'paid',
  'not-paid',
  'checkout-refused',
  'refund-begun',
  'refunded',
  'refund-failed',
  'given-back',
  'give-back-failed',
];

/** A report that a provider would send next, or again. */
function likelyKinds({ status, refund: asked, step }: PlainPayment): readonly Kind[] {
  if (step === 'create_checkout') return ['checkout-made', 'checkout-made', 'paid'];
  if (asked?.status === 'pending')
    return ['refund-begun', 'refunded', 'refunded', 'refund-failed', 'given-back', 'paid'];
  if (asked?.status === 'succeeded') return ['refunded', 'refund-failed', 'given-back', 'give-back-failed', 'paid'];
  return status === 'succeeded'
    ? ['paid', 'refunded', 'refund-failed', 'given-back']
    : ['paid', 'paid', 'paid', 'not-paid'];
}

/** A refund by hand: the full amount or, sometimes, a part. */
function givenBack({ id, amountMinor }: PlainPayment, wrong: number): ProviderReport {
  const isWhole = wrong !== 7;
  const refundReference = `re_hand_${id}${wrong === 8 ? '_again' : ''}`;
  return { kind: 'given-back', refundReference, amountMinor: isWhole ? amountMinor : 1, isWhole };
}

/** Most reports are right, some of them late, twice or too early; a few are of another checkout, sum or attempt. */
const report: fc.Arbitrary<Make> = fc
  .record({ payment: nat, kind: nat, isLikely: fc.nat(3), wrong: fc.nat(14) })
  .map(({ payment: index, kind: which, isLikely, wrong }) => (known) => {
    const online = known.payments.filter(({ method }) => method === 'online');
    const payment = pickPayment({ ...known, payments: index > 3 ? online : known.payments }, index);
    if (!payment) return undefined;
    const kind = pick(isLikely > 0 ? likelyKinds(payment) : KINDS, which)!;
    const providerReference = wrong === 1 && kind !== 'paid' ? 'cs_other' : `cs_${payment.id}`;
    const attempt = Math.max(1, (payment.refund?.attempt ?? 1) + (wrong === 2 ? -1 : wrong === 3 ? 1 : 0));
    const refundReference = `re_${payment.id}_${attempt}`;
    const reports: Readonly<Record<ProviderReport['kind'], ProviderReport>> = {
      'checkout-made': { kind: 'checkout-made', providerReference, page: 'https://pay.example/c' },
      'checkout-refused': { kind: 'checkout-refused', reason: 'currency_not_supported' },
      paid: {
        kind: 'paid',
        providerReference,
        amountMinor: payment.amountMinor + (wrong === 4 ? 1 : 0),
        currency: wrong === 5 ? 'EUR' : payment.currency,
      },
      'not-paid': { kind: 'not-paid', providerReference: wrong === 6 ? null : providerReference, reason: 'declined' },
      'refund-begun': { kind: 'refund-begun', attempt, refundReference },
      refunded: { kind: 'refunded', attempt, refundReference },
      'refund-failed': {
        kind: 'refund-failed',
        attempt,
        ...(wrong === 9 ? {} : { refundReference }),
        reason: 'closed_account',
      },
      'given-back': givenBack(payment, wrong),
      'give-back-failed': {
        kind: 'give-back-failed',
        refundReference: `re_hand_${payment.id}`,
        reason: 'no_such_card',
      },
    };
    return { kind: 'report', paymentId: payment.id, report: reports[kind] };
  });

const operation: fc.Arbitrary<Make> = fc.oneof(
  { weight: 8, arbitrary: pay },
  { weight: 4, arbitrary: refund },
  { weight: 3, arbitrary: topUp },
  { weight: 4, arbitrary: end },
  { weight: 10, arbitrary: report },
);

const fault = fc.oneof(
  { weight: 5, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.constantFrom<FaultMoment>('before', 'during', 'after') },
);

function together(fewest: number, most: number): fc.Arbitrary<MoneyStep> {
  const makes = fc.array(operation, { minLength: fewest, maxLength: most, size: 'max' });
  return fc.record({ kind: fc.constant('together' as const), makes, fault });
}

export const moneyStep: fc.Arbitrary<MoneyStep> = fc.oneof(
  { weight: 30, arbitrary: together(1, 1) },
  { weight: 12, arbitrary: together(2, 7) },
  { weight: 3, arbitrary: fc.constant<MoneyStep>({ kind: 'retire' }) },
  { weight: 1, arbitrary: fc.constant<MoneyStep>({ kind: 'restart' }) },
);
