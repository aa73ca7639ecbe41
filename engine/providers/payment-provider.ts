import type { ProviderName, ProviderReport } from '../../schema/money/payment.ts';

/** A payment, as much of it as its provider has to know. The same at each attempt of a step. */
export interface ProviderPayment {
  readonly organizationId: number;
  readonly paymentId: number;
  /** See paymentMark. */
  readonly mark: string;
  readonly amountMinor: number;
  readonly currency: string;
  /** The subject of the payment, as the customer reads it. */
  readonly description: string;
  /** Where the customer goes from the provider's page; absolute. */
  readonly returnUrl: string;
}

/** A checkout that the provider has made: `reference` is what it calls it. */
export interface ProviderCheckout extends ProviderPayment {
  readonly reference: string;
}

/** The report of a callback, and its payment. */
export interface ProviderNews {
  readonly organizationId: number;
  readonly paymentId: number;
  /** The mark of the payment that it is about; without one it is about the one with these ids. */
  readonly mark?: string;
  readonly report: ProviderReport;
}

/**
 * A provider of online payments. Each call may be repeated, by several processes at once, and after a crash: money
 * moves once. A call rejects when its outcome is unknown, or when a later try may succeed; a final refusal of the
 * provider is a report.
 */
export interface PaymentProvider {
  readonly name: ProviderName;
  /** Has a checkout made: `checkout-made`, the same one each time, or `checkout-refused`. */
  makeCheckout(payment: ProviderPayment): Promise<ProviderReport>;
  /** `paid` or `not-paid`; undefined while the customer may still pay. */
  findOutcome(checkout: ProviderCheckout): Promise<ProviderReport | undefined>;
  /** Sees to it that nobody pays any more; as `findOutcome`, since somebody may have, or may be about to. */
  closeCheckout(checkout: ProviderCheckout): Promise<ProviderReport | undefined>;
  /**
   * Pays the full amount back: `refund-begun`, `refunded` or `refund-failed`; a repeated call reports the present
   * state. Each `attempt` is a refund of its own.
   */
  refund(checkout: ProviderCheckout, attempt: number): Promise<ProviderReport>;
  /**
   * Reads a callback; undefined for one that tells nothing about a payment of ours. Throws UntrustedCallbackError when
   * the provider has not signed it, or not within LIMITS.callbackToleranceSeconds of now.
   */
  readCallback(callback: Callback): ProviderNews | undefined | Promise<ProviderNews | undefined>;
  /**
   * Reports, one after the other, the content of missed callbacks of the last LIMITS.callbacksMissedMs, the newest
   * LIMITS.callbacksMissed that this process has not reported; some may be known. Rejects at the end when some reports
   * failed. Providers that lose no callbacks do without.
   */
  readMissed?(tell: (news: ProviderNews) => Promise<void>): Promise<void>;
}

/** A callback as it was received; `header` finds one by its lower-case name. */
export interface Callback {
  readonly body: Buffer;
  readonly header: (name: string) => string | undefined;
}

export class UntrustedCallbackError extends Error {
  override readonly name = 'UntrustedCallbackError';
}
