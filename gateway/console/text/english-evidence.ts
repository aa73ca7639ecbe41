import type { PaymentView } from '../../../schema/money/payment.ts';
import type { ProofView } from '../../../schema/tasks/proof.ts';

const kb = (bytes: number) => `${Math.max(1, Math.round(bytes / 1_024)).toLocaleString('en')} KB`;

const paymentSteps: Readonly<Record<string, string>> = {
  pending: 'Waits for a payment',
  succeeded: 'Payment',
  failed: 'Failed payment',
  refunded: 'Refund',
};

/** The texts of proofs, payments and receipts. */
export const evidence = {
  proofs: 'Proofs',
  kinds: { photo: 'Photo', signature: 'Signature', pin: 'PIN of the customer' } satisfies Readonly<
    Record<ProofView['kind'], string>
  >,
  of: (kind: string, time: string) => `${kind}, ${time}`,
  size: (bytes: number) => kb(bytes),
  open: (name: string) => `Open: ${name}`,
  failed: (why: string) => `It could not be loaded. ${why}`,
  previous: 'Previous',
  next: 'Next',
  payments: 'Payments',
  methods: { online: 'Online', cash: 'Cash', wallet: 'Wallet' } satisfies Readonly<
    Record<PaymentView['method'], string>
  >,
  statuses: { pending: 'not paid yet', succeeded: 'paid', failed: 'failed', refunded: 'refunded' } satisfies Readonly<
    Record<PaymentView['status'], string>
  >,
  /** A step of the history, by its details. */
  paymentStep: ({ status, amount, currency }: Readonly<Record<string, unknown>>) =>
    `${paymentSteps[String(status)] ?? 'Payment'} of ${amount} ${currency}`,
  checkout: 'Payment page',
  ofFailed: 'for the failed attempt',
  morePayments: (shown: number) => `These are the newest ${shown}. The task has more.`,
  receipt: 'Save the receipt',
};
