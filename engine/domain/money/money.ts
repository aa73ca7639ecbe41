import { LIMITS } from '../../../schema/limits.ts';

/** The currencies of ISO 4217 in use, funds included, by the decimals that they have. */
const CODES_BY_EXPONENT: Readonly<Record<number, string>> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  2:
    'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CNY ' +
    'COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS ' +
    'INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR ' +
    'MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP ' +
    'STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XAD XCD XCG YER ZAR ZMW ZWG',
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
};

const EXPONENTS: ReadonlyMap<string, number> = new Map(
  Object.entries(CODES_BY_EXPONENT).flatMap(([exponent, codes]) =>
    codes.split(' ').map((code) => [code, Number(exponent)] as const),
  ),
);

const LARGEST_CENTS = Math.round(LIMITS.amountMajorUnits * 100);
const DECIMAL = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?$/;

/** How many decimals a currency has; undefined for one that is not in ISO 4217. */
export function exponentOf(currency: string): number | undefined {
  return EXPONENTS.get(currency);
}

/** The violation of a field `currency`. */
export const NO_CURRENCY = 'currency must be a code of ISO 4217 in use, in capitals';

/** Whether the text is a code of ISO 4217 in use, in capital letters. */
export function isCurrency(code: string): boolean {
  return EXPONENTS.has(code);
}

/**
 * An amount of money in major units, as a JSON number or a decimal text, to minor units of a known currency: exactly,
 * never through a product of floats. More than 0, at most LIMITS.amountMajorUnits, with no more decimals than the
 * currency has. The violation names the field: "amount must be more than 0".
 */
export function parseAmount(
  input: number | string,
  currency: string,
): { readonly minor: number } | { readonly violation: string } {
  const exponent = EXPONENTS.get(currency);
  if (exponent === undefined) return { violation: NO_CURRENCY };
  // Numbers print as the shortest decimal that reads back as themselves; those with an exponent are out of range anyway.
  const match = DECIMAL.exec(String(input));
  if (!match) return { violation: 'amount must be a decimal such as 12.50' };
  const [, sign, whole = '', decimals = ''] = match;
  if (sign || !/[1-9]/.test(whole + decimals)) return { violation: 'amount must be more than 0' };
  if (decimals.length > exponent) {
    return { violation: `amount must have ${exponent === 0 ? 'no' : `at most ${exponent}`} decimals in ${currency}` };
  }
  const minor = Number(whole + decimals.padEnd(exponent, '0'));
  return minor > largestMinor(exponent)
    ? { violation: `amount must be at most ${LIMITS.amountMajorUnits}` }
    : { minor };
}

/** Minor units to a decimal with as many places as the currency has: 1250, 'USD' → '12.50'. */
export function formatMinor(amountMinor: number, currency: string): string {
  const exponent = EXPONENTS.get(currency) ?? 2;
  if (exponent === 0) return String(amountMinor);
  const digits = String(Math.abs(amountMinor)).padStart(exponent + 1, '0');
  const sign = amountMinor < 0 ? '-' : '';
  return `${sign}${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`;
}

function largestMinor(exponent: number): number {
  return exponent >= 2 ? LARGEST_CENTS * 10 ** (exponent - 2) : Math.floor(LARGEST_CENTS / 10 ** (2 - exponent));
}
