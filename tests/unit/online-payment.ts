import type { PaymentRecord } from '../../schema/money/payment.ts';

/** An online payment of 12.50 USD as it begins, except for the given fields. */
export function onlinePayment(at: string, fields: Partial<PaymentRecord> = {}): PaymentRecord {
  return {
    organizationId: 1,
    id: 30,
    version: 1,
    taskId: 100,
    customerId: 9,
    agentId: null,
    courierId: null,
    channelId: 6,
    method: 'online',
    status: 'pending',
    amountMinor: 1250,
    currency: 'USD',
    reference: null,
    provider: 'test',
    providerReference: null,
    checkoutToken: 'token',
    checkoutPage: null,
    step: 'create_checkout',
    refund: null,
    failureReason: null,
    createdAt: at,
    updatedAt: at,
    ...fields,
  };
}
