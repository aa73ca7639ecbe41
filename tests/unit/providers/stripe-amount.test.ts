import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isCurrency } from '../../../engine/domain/money/money.ts';
import { fromStripeAmount, toStripeAmount } from '../../../engine/providers/stripe-amount.ts';

/** In minor units of ISO 4217, and in Stripe's; typed by hand from Stripe's page on currencies. */
for (const [currency, amountMinor, amount] of [
  ['EUR', 1_250, 1_250],
  ['USD', 1, 1],
  // Whole units on both sides.
  ['JPY', 500, 500],
  ['KRW', 99_999_999, 99_999_999],
  // No decimals by ISO, and two for Stripe, which have to be zero.
  ['ISK', 5, 500],
  ['UGX', 1_000, 100_000],
  // Two decimals by ISO, and none for Stripe.
  ['MGA', 11_500, 115],
  // Three decimals, of which the last has to be zero.
  ['KWD', 5_120, 5_120],
  ['BHD', 10, 10],
] as const) {
  test(`${amountMinor} ${currency} are ${amount} for Stripe, and back`, () => {
    assert.equal(toStripeAmount(amountMinor, currency), amount);
    assert.equal(fromStripeAmount(amount, currency.toLowerCase()), amountMinor);
  });
}

for (const [currency, amountMinor, why] of [
  ['KWD', 5_124, 'the third decimal is not zero'],
  ['MGA', 1_250, 'it has no decimals there'],
  ['CLF', 10_000, 'it is none that Stripe has'],
  ['XXX', 100, 'it is no currency'],
] as const) {
  test(`${amountMinor} ${currency} cannot be charged: ${why}`, () => {
    assert.equal(toStripeAmount(amountMinor, currency), undefined);
  });
}

test('an amount that has no whole minor units is taken for none that a payment could be about', () => {
  assert.equal(fromStripeAmount(550, 'isk'), 0);
  assert.equal(fromStripeAmount(1.5, 'eur'), 0);
});

test('every amount that is sent to Stripe comes back unchanged, in every currency', () => {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const codes = letters.flatMap((a) => letters.flatMap((b) => letters.map((c) => a + b + c))).filter(isCurrency);
  assert.ok(codes.length > 100);
  for (const currency of codes) {
    for (let amountMinor = 1; amountMinor < 20_000; amountMinor += 37) {
      const amount = toStripeAmount(amountMinor, currency);
      if (amount !== undefined)
        assert.equal(fromStripeAmount(amount, currency), amountMinor, `${amountMinor} ${currency}`);
    }
  }
});
