import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { formatMinor, isCurrency, parseAmount } from '../../../../engine/domain/money/money.ts';

const SEED = 20_261_122;

/** A currency of every number of decimals, with the largest amount that it takes, in minor units. */
const LARGEST = { JPY: 99_999_999, USD: 9_999_999_999, KWD: 99_999_999_990, CLF: 999_999_999_900 } as const;
const CURRENCIES = Object.keys(LARGEST) as (keyof typeof LARGEST)[];

describe('amounts that are taken', () => {
  for (const [input, currency, minor] of [
    [12.5, 'USD', 1_250],
    ['12.5', 'USD', 1_250],
    ['12.50', 'USD', 1_250],
    [12, 'USD', 1_200],
    ['0.01', 'EUR', 1],
    [0.01, 'EUR', 1],
    [1.1, 'EUR', 110],
    [8.2, 'EUR', 820],
    [1.005, 'KWD', 1_005],
    [4.35, 'EUR', 435],
    [1e2, 'EUR', 10_000],
    [99_999_999.99, 'USD', 9_999_999_999],
    ['99999999.99', 'USD', 9_999_999_999],
    ['99999999', 'JPY', 99_999_999],
    ['99999999.990', 'BHD', 99_999_999_990],
    ['0.0001', 'CLF', 1],
  ] as const) {
    test(`${JSON.stringify(input)} ${currency} is ${minor} minor units`, () => {
      assert.deepEqual(parseAmount(input, currency), { minor });
    });
  }
});

describe('amounts that are refused', () => {
  const NO_DECIMAL = 'amount must be a decimal such as 12.50';
  const TOO_MUCH = 'amount must be at most 99999999.99';
  const TOO_LITTLE = 'amount must be more than 0';

  for (const [input, currency, violation] of [
    [0, 'USD', TOO_LITTLE],
    [-0, 'USD', TOO_LITTLE],
    ['0.00', 'USD', TOO_LITTLE],
    ['-0', 'USD', TOO_LITTLE],
    [-1, 'USD', TOO_LITTLE],
    ['-12.50', 'USD', TOO_LITTLE],
    [0.001, 'USD', 'amount must have at most 2 decimals in USD'],
    ['12.500', 'USD', 'amount must have at most 2 decimals in USD'],
    [0.1 + 0.2, 'USD', 'amount must have at most 2 decimals in USD'],
    ['1.0005', 'KWD', 'amount must have at most 3 decimals in KWD'],
    [0.5, 'JPY', 'amount must have no decimals in JPY'],
    ['100.0', 'JPY', 'amount must have no decimals in JPY'],
    [100_000_000, 'USD', TOO_MUCH],
    ['100000000', 'JPY', TOO_MUCH],
    ['99999999.991', 'KWD', TOO_MUCH],
    ['9'.repeat(400), 'USD', TOO_MUCH],
    [1e21, 'USD', NO_DECIMAL],
    [1e-7, 'USD', NO_DECIMAL],
    [Number.NaN, 'USD', NO_DECIMAL],
    [Number.POSITIVE_INFINITY, 'USD', NO_DECIMAL],
    ['', 'USD', NO_DECIMAL],
    [' 1', 'USD', NO_DECIMAL],
    ['1\n', 'USD', NO_DECIMAL],
    ['+1', 'USD', NO_DECIMAL],
    ['1.', 'USD', NO_DECIMAL],
    ['.5', 'USD', NO_DECIMAL],
    ['01', 'USD', NO_DECIMAL],
    ['1,50', 'USD', NO_DECIMAL],
    ['1e2', 'USD', NO_DECIMAL],
    ['0x10', 'USD', NO_DECIMAL],
    ['١٢', 'USD', NO_DECIMAL],
    ['NaN', 'USD', NO_DECIMAL],
    [1, 'XXX', 'currency must be a code of ISO 4217 in use, in capitals'],
    [1, 'usd', 'currency must be a code of ISO 4217 in use, in capitals'],
  ] as const) {
    const shown = String(input).length > 40 ? 'a number of 400 digits' : JSON.stringify(input);
    test(`${shown} ${currency}: ${violation}`, () => {
      assert.deepEqual(parseAmount(input, currency), { violation });
    });
  }
});

describe('amounts of any size', () => {
  for (const currency of CURRENCIES) {
    const amounts = fc.integer({ min: 1, max: LARGEST[currency] });

    test(`an amount of ${currency} reads back from its text as itself`, () => {
      fc.assert(
        fc.property(amounts, (minor) =>
          assert.deepEqual(parseAmount(formatMinor(minor, currency), currency), { minor }),
        ),
        { seed: SEED },
      );
    });

    test(`an amount of ${currency} reads back from its JSON number as itself`, () => {
      fc.assert(
        fc.property(amounts, (minor) => {
          assert.deepEqual(parseAmount(JSON.parse(formatMinor(minor, currency)) as number, currency), { minor });
        }),
        { seed: SEED },
      );
    });

    test(`one minor unit of ${currency} over the largest amount is refused`, () => {
      assert.deepEqual(parseAmount(formatMinor(LARGEST[currency], currency), currency), { minor: LARGEST[currency] });
      assert.ok('violation' in parseAmount(formatMinor(LARGEST[currency] + 1, currency), currency));
    });
  }

  test('no text is taken for an amount that it does not spell', () => {
    const nearly = fc.stringMatching(/^[-+ 0-9.,eE]{0,14}$/);
    fc.assert(
      fc.property(nearly, fc.constantFrom(...CURRENCIES), (text, currency) => {
        const parsed = parseAmount(text, currency);
        if ('violation' in parsed) return;
        assert.ok(Number.isSafeInteger(parsed.minor) && parsed.minor > 0);
        assert.equal(Number(formatMinor(parsed.minor, currency)), Number(text));
      }),
      { seed: SEED },
    );
  });
});

describe('currencies', () => {
  test('codes in use are known', () => {
    for (const code of ['USD', 'EUR', 'AED', 'JPY', 'KWD', 'CLF', 'XOF', 'XCG', 'SLE', 'ZWG', 'VED']) {
      assert.ok(isCurrency(code), code);
    }
  });

  test('codes that are withdrawn, no money, or no codes are not', () => {
    for (const code of ['HRK', 'DEM', 'ZWL', 'XXX', 'XTS', 'XAU', 'usd', 'US', 'USDT', '', 'toString', '__proto__']) {
      assert.ok(!isCurrency(code), code);
    }
  });
});
