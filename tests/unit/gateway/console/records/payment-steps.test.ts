import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evidence } from '../../../../../gateway/console/text/english-evidence.ts';
import { PAYMENT_STATUSES } from '../../../../../schema/money/payment.ts';

test('the history tells a payment from its refund and its failure, each with the amount', () => {
  assert.deepEqual(
    PAYMENT_STATUSES.map((status) => evidence.paymentStep({ status, amount: '12.00', currency: 'EUR' })),
    ['Waits for a payment of 12.00 EUR', 'Payment of 12.00 EUR', 'Failed payment of 12.00 EUR', 'Refund of 12.00 EUR'],
  );
});
