import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cashOf, OWN_ACCOUNTS, walletOf } from '../../../../engine/domain/money/ledger.ts';
import type { DecideContext, Decision } from '../../../../engine/org/decide/decision.ts';
import { decideRefundPayment } from '../../../../engine/org/decide/money/refund-payment.ts';
import { decideSettlePayment } from '../../../../engine/org/decide/money/settle-payment.ts';
import { decideTopUpWallet } from '../../../../engine/org/decide/money/top-up-wallet.ts';
import { decideChangeTaskStatus } from '../../../../engine/org/decide/tasks/change-task-status.ts';
import type { Draft } from '../../../../engine/org/state/draft.ts';
import { PAYMENT_METHODS, type PaymentRecord, type ProviderReport } from '../../../../schema/money/payment.ts';
import { rounds } from '../../../support/runner/rounds.ts';
import { decideOn, OWN_AGENT, stateWith, TASK } from './decide-fixture.ts';
import { CURRENT, CURRENTS, CUSTOMER, type Current, PAYMENT, pay, SYSTEM, told } from './payment-fixture.ts';

const MOST = Number.MAX_SAFE_INTEGER;
const caller = SYSTEM;

const WALLET = walletOf(CUSTOMER);
const PURSE = cashOf({ agentId: OWN_AGENT, courierId: null });
const ACCOUNTS = [...OWN_ACCOUNTS, WALLET, PURSE];
type Balances = Readonly<Partial<Record<(typeof ACCOUNTS)[number]['account'], number>>>;

interface Place {
  readonly current: Current;
  readonly taskType: 'delivery' | 'cash_collection' | 'cash_drop';
  readonly balances: Balances;
}

/** A task of 12.50 USD, of a customer and an agent whose accounts may be nearly full. */
function stateOf({ current, taskType, balances }: Place) {
  const payment: PaymentRecord | undefined = CURRENT[current];
  const money = taskType === 'delivery' ? {} : { amountMinor: 1250, currency: 'USD' };
  const fields = { paymentId: payment?.id ?? null, taskType, ...money };
  const state = stateWith('by an agent', 'in_transit', { fields });
  state.money.absorb({
    payments: payment ? [payment] : [],
    accountOwners: ACCOUNTS,
    balances: ACCOUNTS.map((owner) => ({
      ...owner,
      currency: 'USD',
      balanceMinor: balances[owner.account] ?? 0,
      entries: 4,
    })),
  });
  return state;
}

type Decide = (draft: Draft, context: DecideContext) => Decision;
const paid = { kind: 'paid', providerReference: 'cs', amountMinor: 1250, currency: 'USD' } as const;
const refunded = { kind: 'refunded', attempt: 1, refundReference: 'r' } as const;
const reversed = { kind: 'refund-failed', attempt: 1, reason: 'closed' } as const;

const topUp =
  (amount: string): Decide =>
  (draft, context) =>
    decideTopUpWallet(draft, { kind: 'top-up-wallet', caller, customerId: CUSTOMER, input: { amount } }, context);
const refund: Decide = (draft, context) =>
  decideRefundPayment(draft, { kind: 'refund-payment', caller, paymentId: PAYMENT, input: { reason: 'x' } }, context);
const settle =
  (report: ProviderReport): Decide =>
  (draft, context) =>
    decideSettlePayment(draft, { kind: 'settle-payment', caller, paymentId: PAYMENT, report }, context);
const complete: Decide = (draft, context) =>
  decideChangeTaskStatus(
    draft,
    { kind: 'change-task-status', caller, taskId: TASK, input: { status: 'completed' } },
    context,
  );

const empty: Place = { current: 'none', taskType: 'delivery', balances: {} };
const full = 'VALIDATION_FAILED';

test('money that would take an account past what a number says exactly is refused, with what to do, and one unit less is not', () => {
  // biome-ignore format: read by columns
  const CASES: readonly (readonly [what: string, Partial<Place>, Decide | (typeof PAYMENT_METHODS)[number]])[] = [
    ['a top-up that fills the wallet', { balances: { wallet: -(MOST - 1249) } },                  topUp('12.50')],
    ['a top-up that fills the funding', { balances: { wallet_funding: MOST - 1249 } },            topUp('12.50')],
    ['cash that fills its agent',      { balances: { agent_cash: MOST - 1249 } },                 'cash'],
    ['cash that fills the revenue',    { balances: { revenue: -(MOST - 1249) } },                 'cash'],
    ['a wallet that fills the revenue', { balances: { wallet: -5_000, revenue: -(MOST - 1249) } }, 'wallet'],
    ['an online one that could not be booked', { balances: { provider_clearing: MOST - 1249 } },  'online'],
    ['a refund of cash',               { current: 'paid in cash', balances: { cash_office: -(MOST - 1249) } }, refund],
    ['a refund to the wallet',         { current: 'paid from the wallet', balances: { wallet: -(MOST - 1249) } }, refund],
    ['a refund online',                { current: 'paid', balances: { refunds: MOST - 1249 } },   refund],
    ['what the provider took',         { current: 'pending', balances: { revenue: -(MOST - 1249) } }, settle(paid)],
    ['what the provider gave back',    { current: 'being refunded', balances: { refunds: MOST - 1249 } }, settle(refunded)],
    ['a refund that came back',        { current: 'refunded', balances: { provider_clearing: MOST - 1249 } }, settle(reversed)],
    ['a collection at its end',        { taskType: 'cash_collection', balances: { agent_cash: MOST - 1249 } }, complete],
    ['a drop at its end',              { taskType: 'cash_drop', balances: { agent_cash: 1250, cash_office: MOST - 1249 } }, complete],
  ];
  for (const [what, place, how] of CASES) {
    const decide = (balances: Balances) => {
      const state = stateOf({ ...empty, ...place, balances });
      return typeof how === 'string' ? pay(state, how) : decideOn(state, how);
    };
    const refused = decide(place.balances!);
    assert.equal(told(refused), full, what);
    assert.ok(!refused.decision.ok);
    assert.deepEqual(refused.decision.refusal.details, {
      violations: [
        'amount must keep every balance within 90071992547409.91 USD: use a smaller amount or another currency',
      ],
    });
    const nearest = Object.entries(place.balances!).map(([account, minor]) => [
      account,
      Math.abs(minor) > 5_000 ? minor - Math.sign(minor) : minor,
    ]);
    assert.equal(told(decide(Object.fromEntries(nearest) as Balances)), 'ok', what);
  }
});

test('no decision about money throws, and none leaves a balance that is not exact, for any amounts', () => {
  const near = fc.oneof(
    fc.maxSafeInteger(),
    fc.integer({ min: MOST - 10_000_000_000, max: MOST }).chain((high) => fc.constantFrom(high, -high)),
    fc.integer({ min: -5_000, max: 5_000 }),
  );
  const balances = fc.record(Object.fromEntries(ACCOUNTS.map(({ account }) => [account, near])));
  const place = fc.record({
    current: fc.constantFrom(...CURRENTS),
    taskType: fc.constantFrom('delivery', 'cash_collection', 'cash_drop'),
    balances,
  });
  const amount = fc.constantFrom('0.01', '12.50', '99999999.99');
  const how = fc.oneof(
    fc.tuple(fc.constant('pay' as const), fc.constantFrom(...PAYMENT_METHODS), amount),
    amount.map((sum) => topUp(sum)),
    fc.constantFrom(refund, complete, settle(paid), settle(refunded), settle(reversed)),
  );
  fc.assert(
    fc.property(place, how, (where, what) => {
      const state = stateOf(where as Place);
      const { decision, draft } = Array.isArray(what)
        ? pay(state, what[1], { amount: what[2] })
        : decideOn(state, what as Decide);
      if (!decision.ok) assert.deepEqual(draft.changes, [], 'a refusal changes nothing');
      for (const change of draft.changes) {
        if (change.kind !== 'move-money') continue;
        for (const { balanceMinor } of change.entries) assert.ok(Number.isSafeInteger(balanceMinor));
      }
    }),
    { seed: 20_261_128, numRuns: rounds(3_000) },
  );
});
