import * as v from 'valibot';

/** An amount of money in major units; how many decimals it may have depends on the currency, and is checked with it. */
export const amountInput = v.union([v.number(), v.string()], 'must be a number or a decimal string');
