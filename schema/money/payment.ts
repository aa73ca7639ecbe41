import * as v from 'valibot';
import { amountInput } from '../fields/amount.ts';
import { id, isoTime, queryId, queryIds, queryList, requiredText, shortText } from '../fields/fields.ts';
import { named } from '../fields/named.ts';
import { listQuery, pageView } from '../fields/page-query.ts';
import { nullableId, nullableTime, shownId, shownTime } from '../fields/shown-fields.ts';
import { LIMITS } from '../limits.ts';

export const PAYMENT_METHODS = named('PaymentMethod', ['online', 'cash', 'wallet'] as const);
export type PaymentMethod = (typeof PAYMENT_METHODS)[number];

export const PAYMENT_STATUSES = named('PaymentStatus', ['pending', 'succeeded', 'failed', 'refunded'] as const);
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

export const REFUND_STATUSES = named('RefundStatus', ['pending', 'succeeded', 'failed'] as const);

/** The step that workers must take at the provider, or ask it about. */
export const PROVIDER_STEPS = [
  'create_checkout',
  'await_payment',
  'cancel_checkout',
  'refund',
  'await_refund',
] as const;
export type ProviderStep = (typeof PROVIDER_STEPS)[number];

/** The providers of online payments: Stripe where a key of it is set, otherwise one of our own that behaves like it. */
export const PAYMENT_PROVIDERS = ['stripe', 'test'] as const;
export type ProviderName = (typeof PAYMENT_PROVIDERS)[number];

/** The full refund of a payment; one that failed may be asked for again. */
export interface Refund {
  readonly status: (typeof REFUND_STATUSES)[number];
  readonly reason: string;
  /** Counts the times it was asked for, from 1: each is a request of its own to the provider. */
  readonly attempt: number;
  readonly requestedAt: string;
  readonly refundedAt: string | null;
  readonly providerReference: string | null;
  readonly failureReason: string | null;
}

/** A row of `payments`. */
export interface PaymentRecord {
  readonly organizationId: number;
  readonly id: number;
  readonly version: number;
  readonly taskId: number;
  /** The customer of the task when the payment was made. */
  readonly customerId: number | null;
  /** The holder of the cash. */
  readonly agentId: number | null;
  readonly courierId: number | null;
  /** The task's. */
  readonly channelId: number;
  readonly method: PaymentMethod;
  readonly status: PaymentStatus;
  readonly amountMinor: number;
  readonly currency: string;
  /** The caller's reference. */
  readonly reference: string | null;
  readonly provider: ProviderName | null;
  /** The provider's name for its checkout. */
  readonly providerReference: string | null;
  readonly checkoutToken: string | null;
  /** The provider's page; null until it is made. */
  readonly checkoutPage: string | null;
  readonly step: ProviderStep | null;
  readonly refund: Refund | null;
  readonly failureReason: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/**
 * A provider's report about a payment, by a callback or to a worker's question. It may come late, twice or in another
 * order; engine/domain/money/payment-machine.ts decides its effect.
 */
export type ProviderReport =
  | { readonly kind: 'checkout-made'; readonly providerReference: string; readonly page: string }
  /** It will not make one, however often it is asked. */
  | { readonly kind: 'checkout-refused'; readonly reason: string }
  | {
      readonly kind: 'paid';
      readonly providerReference: string;
      readonly amountMinor: number;
      readonly currency: string;
    }
  /** The checkout is over, and nothing was paid. */
  | { readonly kind: 'not-paid'; readonly providerReference: string | null; readonly reason: string }
  | { readonly kind: 'refund-begun'; readonly attempt: number; readonly refundReference: string }
  | { readonly kind: 'refunded'; readonly attempt: number; readonly refundReference: string }
  /** Without a `refundReference` where the provider has refused to make one. */
  | {
      readonly kind: 'refund-failed';
      readonly attempt: number;
      readonly refundReference?: string;
      readonly reason: string;
    }
  /** Somebody has given money back at the provider itself; `amountMinor`: so far, `refundReference` names the newest. */
  | {
      readonly kind: 'given-back';
      readonly refundReference: string;
      readonly amountMinor: number;
      readonly isWhole: boolean;
    }
  /** The refund did not arrive. */
  | { readonly kind: 'give-back-failed'; readonly refundReference: string; readonly reason: string };

/** The owner's answer to a report about a payment that it does not have: of data that a restore lost, or of others. */
export const UNKNOWN_PAYMENT = '{"payment":null}';

const paymentFields = {
  taskId: id,
  amount: amountInput,
  /** The organization's by default. */
  currency: v.nullish(shortText),
  reference: v.nullish(shortText),
};

/** The body of POST /payments/initialize, /payments/cash and /payments/wallet. */
export const payTaskInput = named('PayTaskInput', v.object(paymentFields, 'the body must be an object'));
export type PayTaskInput = v.InferOutput<typeof payTaskInput>;

export const refundPaymentInput = named(
  'RefundPaymentInput',
  v.object({ reason: requiredText(LIMITS.shortTextChars) }, 'the body must be an object'),
);
export type RefundPaymentInput = v.InferOutput<typeof refundPaymentInput>;

export const listPaymentsQuery = listQuery('payments', {
  status: v.optional(queryList(PAYMENT_STATUSES)),
  method: v.optional(queryList(PAYMENT_METHODS)),
  taskId: v.optional(queryId),
  customerId: v.optional(queryId),
  agentId: v.optional(queryIds),
  from: v.optional(isoTime),
  to: v.optional(isoTime),
});
export type ListPaymentsQuery = v.InferOutput<typeof listPaymentsQuery>;

const nullableText = v.nullable(v.string());

const refundView = v.nullable(
  named(
    'Refund',
    v.object({
      status: v.picklist(REFUND_STATUSES),
      reason: v.string(),
      requestedAt: shownTime,
      refundedAt: nullableTime,
      failureReason: nullableText,
    }),
  ),
);

/** Source: docs/contract.md §7. `checkoutUrl`: where the customer pays, below the address of this service. */
export const paymentView = named(
  'Payment',
  v.object({
    id: shownId,
    taskId: shownId,
    method: v.picklist(PAYMENT_METHODS),
    status: v.picklist(PAYMENT_STATUSES),
    amount: v.string(),
    currency: v.string(),
    customerId: nullableId,
    agentId: nullableId,
    courierId: nullableId,
    reference: nullableText,
    provider: nullableText,
    providerReference: nullableText,
    checkoutUrl: nullableText,
    refund: refundView,
    failureReason: nullableText,
    createdAt: shownTime,
    updatedAt: shownTime,
  }),
);
export type PaymentView = v.InferOutput<typeof paymentView>;

export const paymentListView = pageView('PaymentList', paymentView);
