import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatMinor } from '../../../../engine/domain/money/money.ts';

const SEED = 20_261_122;

for (const [minor, currency, shown] of [
  [0, 'USD', '0.00'],
  [5, 'USD', '0.05'],
  [99, 'EUR', '0.99'],
  [100, 'EUR', '1.00'],
  [1250, 'USD', '12.50'],
  [9_999_999_999, 'USD', '99999999.99'],
  [-5, 'USD', '-0.05'],
  [-1250, 'USD', '-12.50'],
  [1250, 'JPY', '1250'],
  [0, 'KRW', '0'],
  [5, 'KWD', '0.005'],
  [12_345, 'BHD', '12.345'],
  [12_345, 'CLF', '1.2345'],
] as const) {
  test(`${minor} minor units of ${currency} are ${shown}`, () => assert.equal(formatMinor(minor, currency), shown));
}

test('no amount loses or gains a unit on its way into a decimal', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), fc.constantFrom('USD', 'JPY', 'KWD', 'CLF'), (minor, currency) => {
      assert.equal(BigInt(formatMinor(minor, currency).replace('.', '')), BigInt(minor));
    }),
    { seed: SEED },
  );
});
