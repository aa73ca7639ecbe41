import * as v from 'valibot';

/** An amount of money in major units; how many decimals it may have depends on the currency, and is checked with it. */
export const amountInput = v.union([v.number(), v.string()], 'must be a number or a decimal string');

const CURRENCY = /^[A-Z]{3}$/;
const BAD_CURRENCY = 'must be an ISO 4217 code of three capital letters';

/** Whether there is such a currency is judged elsewhere. */
export const currencyInput = v.pipe(v.string('must be a string'), v.regex(CURRENCY, BAD_CURRENCY));

/** The same in a query. Its document shows no pattern, because a release took any text. */
export const queryCurrency = v.pipe(
  v.string(),
  v.check((code) => CURRENCY.test(code), BAD_CURRENCY),
);
