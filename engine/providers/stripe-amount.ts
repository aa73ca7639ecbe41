import { exponentOf } from '../domain/money/money.ts';

/** Whose amounts Stripe counts in whole units. Source: its page on currencies, "Zero-decimal currencies". */
const WHOLE = new Set('BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' '));
/** Whose amounts it takes with two decimals that have to be zero. Source: the same page, "Special cases". */
const PADDED = new Set(['ISK', 'UGX']);

/** Minor units of ISO 4217 to Stripe's; undefined for what Stripe cannot charge. */
export function toStripeAmount(amountMinor: number, currency: string): number | undefined {
  const exponent = exponentOf(currency);
  if (exponent === undefined || exponent > 3) return undefined;
  // Where a currency has three decimals, the last one has to be zero.
  if (exponent === 3 && amountMinor % 10 !== 0) return undefined;
  const amount = shift(amountMinor, stripeExponentOf(currency, exponent) - exponent);
  return Number.isSafeInteger(amount) ? amount : undefined;
}

/** Stripe's units to minor units of ISO 4217; 0, which no payment is about, when there is no such amount. */
export function fromStripeAmount(amount: number, stripeCurrency: string): number {
  const currency = stripeCurrency.toUpperCase();
  const exponent = exponentOf(currency) ?? 2;
  const amountMinor = shift(amount, exponent - stripeExponentOf(currency, exponent));
  return Number.isSafeInteger(amountMinor) ? amountMinor : 0;
}

function stripeExponentOf(currency: string, exponent: number): number {
  if (WHOLE.has(currency)) return 0;
  return PADDED.has(currency) ? 2 : exponent;
}

/** By decimal places; exact whenever the outcome is a whole number. */
function shift(amount: number, places: number): number {
  return places < 0 ? amount / 10 ** -places : amount * 10 ** places;
}
