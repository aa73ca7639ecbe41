import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isWaiting, URGENT_STEPS, WAITING_STEPS } from '../../../../engine/domain/money/provider-steps.ts';
import { hintsOf } from '../../../../engine/org/hints-of.ts';
import type { ProviderStep } from '../../../../schema/money/payment.ts';
import { onlinePayment } from '../../online-payment.ts';

const STEPS: readonly (readonly [ProviderStep | null, isAnnounced: boolean])[] = [
  ['create_checkout', true],
  ['await_payment', false],
  ['cancel_checkout', true],
  ['refund', true],
  ['await_refund', false],
  [null, false],
];

for (const [step, isAnnounced] of STEPS) {
  test(`a payment with ${step ?? 'no step'} left is ${isAnnounced ? 'announced' : 'not announced'}`, () => {
    const record = onlinePayment('2030-01-01T00:00:00.000Z', { step });
    const payments = new Map([[record.id, { record, expectedVersion: 0 }]]);
    assert.deepEqual(hintsOf({ events: [], helpsSearches: false, payments }), isAnnounced ? ['payments'] : []);
    if (step === null) return;
    assert.equal(isWaiting(step), !isAnnounced);
    assert.deepEqual([URGENT_STEPS.includes(step), WAITING_STEPS.includes(step)], [isAnnounced, !isAnnounced]);
  });
}
