import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  captureOf,
  cashOf,
  dropOf,
  fundsOf,
  type Movement,
  OWN_ACCOUNTS,
  refundOf,
  refundReversalOf,
  topUpOf,
  walletOf,
} from '../../../../engine/domain/money/ledger.ts';
import type { PaymentMethod, PaymentRecord } from '../../../../schema/money/payment.ts';

const AGENT = { agentId: 7, courierId: null };
const COURIER = { agentId: null, courierId: 3 };
const OFFICE = { agentId: null, courierId: null };

function payment(method: PaymentMethod, holder: Pick<PaymentRecord, 'agentId' | 'courierId'>): PaymentRecord {
  return { method, ...holder, customerId: 9, amountMinor: 1250, currency: 'KWD' } as PaymentRecord;
}

function sidesOf({ debit, credit, amountMinor, currency }: Movement): readonly string[] {
  assert.deepEqual([amountMinor, currency], [1250, 'KWD']);
  return [debit, credit].map(({ account, ownerId }) => `${account} ${ownerId}`);
}

/** Debit and credit; a refund goes back from the account that took the money. */
// biome-ignore format: read by columns
const MOVEMENTS = [
  //                                     capture                              refund
  ['online', OFFICE,  'no courier',      ['provider_clearing 0', 'revenue 0'], ['refunds 0', 'provider_clearing 0']],
  ['online', AGENT,   'an agent',        ['provider_clearing 0', 'revenue 0'], ['refunds 0', 'provider_clearing 0']],
  ['wallet', OFFICE,  'no courier',      ['wallet 9', 'revenue 0'],            ['refunds 0', 'wallet 9']],
  ['cash',   AGENT,   'an agent',        ['agent_cash 7', 'revenue 0'],        ['refunds 0', 'cash_office 0']],
  ['cash',   COURIER, 'another courier', ['courier_cash 3', 'revenue 0'],      ['refunds 0', 'cash_office 0']],
  ['cash',   OFFICE,  'no courier',      ['cash_office 0', 'revenue 0'],       ['refunds 0', 'cash_office 0']],
] as const;

for (const [method, holder, who, captured, refunded] of MOVEMENTS) {
  describe(`a payment by ${method}, with ${who}`, () => {
    test(`a payment by ${method}, with ${who} goes from ${captured[1]} to ${captured[0]}`, () => {
      assert.deepEqual(sidesOf(captureOf(payment(method, holder))), captured);
    });
    test(`a payment by ${method}, with ${who} goes back from ${refunded[1]} to ${refunded[0]}, and the other way when that does not arrive`, () => {
      assert.deepEqual(sidesOf(refundOf(payment(method, holder))), refunded);
      assert.deepEqual(sidesOf(refundReversalOf(payment(method, holder))), refunded.toReversed());
    });
  });
}

test('a top-up comes from outside into the wallet', () => {
  assert.deepEqual(sidesOf(topUpOf(9, 1250, 'KWD')), ['wallet_funding 0', 'wallet 9']);
});

test('an agent with cash hands it over to the office', () => {
  assert.deepEqual(sidesOf(dropOf(AGENT, 1250, 'KWD')), ['cash_office 0', 'agent_cash 7']);
  assert.deepEqual(sidesOf(dropOf(COURIER, 1250, 'KWD')), ['cash_office 0', 'courier_cash 3']);
});

test('every movement has an account of the organization on one side at least', () => {
  const own = OWN_ACCOUNTS.map(({ account }) => account);
  const all = MOVEMENTS.flatMap(([method, holder]) => [
    captureOf(payment(method, holder)),
    refundOf(payment(method, holder)),
  ]);
  for (const { debit, credit } of [...all, topUpOf(9, 1, 'USD'), dropOf(AGENT, 1, 'USD'), dropOf(COURIER, 1, 'USD')])
    assert.ok(own.includes(debit.account) || own.includes(credit.account));
});

test('a customer can spend its balance, and an agent can hand over the cash it has', () => {
  assert.equal(fundsOf(walletOf(9), -1250), 1250);
  assert.equal(fundsOf(cashOf(AGENT), 1250), 1250);
  assert.ok(Object.is(fundsOf(walletOf(9), 0), 0), 'never the negative zero');
});
