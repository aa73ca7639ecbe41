import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { paymentMark } from '../../../../engine/domain/money/payment-mark.ts';
import { decideRefundPayment } from '../../../../engine/org/decide/money/refund-payment.ts';
import { decideSettlePayment } from '../../../../engine/org/decide/money/settle-payment.ts';
import { decideTopUpWallet } from '../../../../engine/org/decide/money/top-up-wallet.ts';
import { decideChangeTaskStatus } from '../../../../engine/org/decide/tasks/change-task-status.ts';
import type { OrgState } from '../../../../engine/org/state/org-state.ts';
import { CALLER_ROLES } from '../../../../schema/accounts/role.ts';
import type { Caller } from '../../../../schema/commands.ts';
import { PAYMENT_METHODS, type PaymentRecord } from '../../../../schema/money/payment.ts';
import { TASK_STATUSES } from '../../../../schema/tasks/task.ts';
import { callerOf, decideOn, OTHER_AGENT, OWN_AGENT, type Shape, TASK } from './decide-fixture.ts';
import {
  CURRENT,
  CURRENTS,
  CUSTOMER,
  type Current,
  drafted,
  ONLINE,
  PAYMENT,
  pay,
  SYSTEM,
  stateOf,
  told,
} from './payment-fixture.ts';

const OFFICE = CALLER_ROLES.filter((role) => role !== 'agent').map((role) => callerOf(role));
const OWNER = callerOf('agent', OWN_AGENT);

const already = 'TASK_ALREADY_PAID';
/** The result of a payment by each method for a task that is not cancelled. */
// biome-ignore format: read by columns
const PAYING: Readonly<Record<Current, readonly [online: string, cash: string, wallet: string]>> = {
  none:                   ['ok',              'ok',    'ok'],
  pending:                ['PAYMENT_PENDING', 'ok',    'ok'],
  declined:               ['ok',              'ok',    'ok'],
  paid:                   [already,           already, already],
  'paid in cash':         [already,           already, already],
  'paid from the wallet': [already,           already, already],
  'being refunded':       [already,           already, already],
  'not refunded':         [already,           already, already],
  refunded:               ['ok',              'ok',    'ok'],
};

const SHAPES: readonly Shape[] = ['unserved', 'by an agent', 'by an external courier', 'a job', 'a child'];
for (const shape of SHAPES) {
  const isOwn = shape === 'by an agent' || shape === 'a child';
  for (const status of TASK_STATUSES) {
    test(`a task (${shape}) in ${status} is paid by the table, by every method and for every caller`, () => {
      for (const current of CURRENTS) {
        const expected = status === 'cancelled' ? PAYMENT_METHODS.map(() => 'TASK_NOT_PAYABLE') : PAYING[current];
        // An agent that has not accepted a task takes no cash for it.
        const ofOwner = expected.map((code, index) =>
          status === 'assigned' && PAYMENT_METHODS[index] === 'cash' && code === 'ok' ? 'TASK_NOT_PAYABLE' : code,
        );
        const state = stateOf(shape, status, { current });
        const asAll = (caller: Caller) => PAYMENT_METHODS.map((method) => told(pay(state, method, { caller })));
        for (const caller of OFFICE) assert.deepEqual(asAll(caller), expected, `${current}, ${caller.role}`);
        const hidden = PAYMENT_METHODS.map(() => 'NOT_FOUND');
        assert.deepEqual(asAll(OWNER), isOwn ? ofOwner : hidden, `${current}, its own agent`);
        assert.deepEqual(asAll(callerOf('agent', OTHER_AGENT)), hidden, `${current}, another agent`);
        assert.deepEqual(asAll(callerOf('agent')), hidden, `${current}, nobody’s agent`);
      }
    });
  }
}

describe('a payment that is made', () => {
  // biome-ignore format: read by columns
  const MADE = [
    ['unserved',               'online', [],                                                    'online pending create_checkout'],
    ['unserved',               'wallet', ['wallet 9 1250, revenue 0 -1250'],                    'wallet succeeded null'],
    ['unserved',               'cash',   ['cash_office 0 1250, revenue 0 -1250'],               'cash succeeded null'],
    ['by an agent',            'cash',   [`agent_cash ${OWN_AGENT} 1250, revenue 0 -1250`],     'cash succeeded null'],
    ['by an external courier', 'cash',   ['courier_cash 3 1250, revenue 0 -1250'],              'cash succeeded null'],
  ] as const;
  for (const [shape, method, moved, made] of MADE) {
    test(`by ${method} for a task (${shape}) moves the money once, and emits its event when it has succeeded`, () => {
      const seen = drafted(pay(stateOf(shape, 'in_transit'), method));
      const news = method === 'online' ? [] : [`payment.succeeded ${seen.paymentId}`];
      assert.deepEqual(seen, { moved, payments: [made], news, paymentId: seen.paymentId });
    });
  }

  test('at once takes the place of an online one that is open, whose checkout is closed', () => {
    for (const method of ['cash', 'wallet'] as const) {
      const { payments, news, paymentId } = drafted(pay(stateOf('unserved', 'new', { current: 'pending' }), method));
      assert.deepEqual(payments, [`${method} succeeded null`, 'online failed cancel_checkout']);
      assert.deepEqual(news, [`payment.failed ${PAYMENT}`, `payment.succeeded ${paymentId}`]);
      assert.notEqual(paymentId, PAYMENT);
    }
  });

  test('changes its task in its own step, not in that of the open one', () => {
    const { draft } = pay(stateOf('unserved', 'new', { current: 'pending' }), 'cash');
    const steps = draft.changes.flatMap((change) =>
      change.kind === 'tell-payment' ? [change.type] : change.kind === 'put-task' ? [change.kind] : [],
    );
    assert.deepEqual(steps, ['payment.failed', 'put-task', 'payment.succeeded']);
  });

  for (const [method, from, to] of [
    ['cash', 'delivering', 'payment_collected'],
    ['cash', 'collecting_payment', 'payment_collected'],
    ['wallet', 'collecting_payment', 'payment_collected'],
    ['wallet', 'delivering', 'delivering'],
    ['online', 'collecting_payment', 'collecting_payment'],
    ['cash', 'pending', 'pending'],
  ] as const) {
    test(`by ${method} leaves a package in ${from} as ${to}`, () => {
      const state = stateOf('by an agent', 'in_transit', { hasAmount: true, packageStatus: from });
      const { draft } = pay(state, method);
      assert.deepEqual(
        draft.findTask(TASK)!.packages.map(({ status }) => status),
        [to],
      );
    });
  }
});

describe('a payment is refused', () => {
  for (const [what, method, input, fields, expected] of [
    ['from a wallet that lacks a minor unit', 'wallet', { amount: '50.01' }, {}, 'INSUFFICIENT_FUNDS'],
    ['from a wallet that has another currency', 'wallet', { currency: 'EUR' }, {}, 'INSUFFICIENT_FUNDS'],
    ['from the wallet of nobody', 'wallet', {}, { customerId: null }, 'CUSTOMER_REQUIRED'],
    ['of parts of a minor unit', 'cash', { amount: '1.5', currency: 'JPY' }, {}, 'VALIDATION_FAILED'],
    ['in a currency that is none', 'cash', { currency: 'ABC' }, {}, 'VALIDATION_FAILED'],
    ['of nothing', 'cash', { amount: '0' }, {}, 'VALIDATION_FAILED'],
    ['for a task that is not there', 'cash', { taskId: 999 }, {}, 'NOT_FOUND'],
  ] as const) {
    test(what, () => assert.equal(told(pay(stateOf('unserved', 'new', { fields }), method, input)), expected));
  }

  test('with another sum than the one that a cash task collects', () => {
    const state = stateOf('by an agent', 'new', { hasAmount: true });
    for (const method of PAYMENT_METHODS) {
      assert.equal(told(pay(state, method)), 'ok');
      assert.equal(told(pay(state, method, { amount: '12.51' })), 'PAYMENT_AMOUNT_MISMATCH');
      assert.equal(told(pay(state, method, { currency: 'EUR' })), 'PAYMENT_AMOUNT_MISMATCH');
    }
  });
});

test('a wallet pays all that it has', () => {
  assert.equal(told(pay(stateOf('unserved', 'new'), 'wallet', { amount: '50.00' })), 'ok');
});

describe('a refund', () => {
  // biome-ignore format: read by columns
  const REFUNDS: Readonly<Record<Exclude<Current, 'none'>, readonly [told: string, moved?: string | undefined, payment?: string]>> = {
    pending:                ['PAYMENT_NOT_REFUNDABLE'],
    declined:               ['PAYMENT_NOT_REFUNDABLE'],
    paid:                   ['ok', undefined,                                'online succeeded refund'],
    'paid in cash':         ['ok', 'refunds 0 1250, cash_office 0 -1250',    'cash refunded null'],
    'paid from the wallet': ['ok', 'refunds 0 1250, wallet 9 -1250',         'wallet refunded null'],
    'being refunded':       ['PAYMENT_ALREADY_REFUNDED'],
    'not refunded':         ['ok', undefined,                                'online succeeded refund'],
    refunded:               ['PAYMENT_ALREADY_REFUNDED'],
  };
  const refund = (state: OrgState, paymentId = PAYMENT) =>
    decideOn(state, (draft, context) =>
      decideRefundPayment(
        draft,
        { kind: 'refund-payment', caller: SYSTEM, paymentId, input: { reason: 'x' } },
        context,
      ),
    );
  for (const [current, [expected, moved, payment]] of Object.entries(REFUNDS)) {
    test(`of a payment that is ${current}, in every status of its task: ${expected}`, () => {
      for (const status of TASK_STATUSES) {
        const refunded = refund(stateOf('by an agent', status, { current: current as Current }));
        assert.equal(told(refunded), expected);
        if (expected !== 'ok') continue;
        const { moved: all, payments, news } = drafted(refunded);
        assert.deepEqual([all, payments], [moved ? [moved] : [], [payment]]);
        assert.deepEqual(news, moved ? [`payment.refunded ${PAYMENT}`] : []);
      }
    });
  }
  test('of a payment that is not there is refused', () => {
    assert.equal(told(refund(stateOf('unserved', 'new'), 999)), 'NOT_FOUND');
  });
});

describe('money that the provider has taken', () => {
  const report = { kind: 'paid', providerReference: 'cs', amountMinor: 1250, currency: 'USD' } as const;
  const LATER = 31;
  const settle = (state: OrgState, paymentId = PAYMENT) =>
    decideOn(state, (draft, context) =>
      decideSettlePayment(draft, { kind: 'settle-payment', caller: SYSTEM, paymentId, report }, context),
    );
  const captured = 'provider_clearing 0 1250, revenue 0 -1250';

  for (const status of TASK_STATUSES) {
    test(`money that the provider has taken is ${status === 'cancelled' ? 'given back' : 'the payment of its task'} when that is ${status}`, () => {
      const { moved, payments, news } = drafted(settle(stateOf('unserved', status, { current: 'pending' })));
      assert.deepEqual(moved, [captured]);
      assert.deepEqual(payments, [`online succeeded ${status === 'cancelled' ? 'refund' : null}`]);
      assert.deepEqual(news, [`payment.succeeded ${PAYMENT}`]);
    });
  }

  // biome-ignore format: read by columns
  const LATE = {
    'has been paid otherwise':          ['paid from the wallet', 'declined',   'refund', LATER],
    'waits for another payment':        ['pending',              'declined',   null,     PAYMENT],
    'has lost its payment again':       ['refunded',             'declined',   null,     PAYMENT],
    'took another one in its place':    ['refunded',             'superseded', 'refund', LATER],
  } as const;
  for (const [what, [current, why, step, counts]] of Object.entries(LATE)) {
    test(`money that the provider has taken late is ${step ? 'given back' : 'taken'} when its task ${what}`, () => {
      const state = stateOf('unserved', 'in_transit', { fields: { paymentId: LATER } });
      const late: PaymentRecord = { ...CURRENT.declined, failureReason: why };
      state.money.absorb({ payments: [late, { ...CURRENT[current], id: LATER }], accountOwners: [], balances: [] });
      const seen = drafted(settle(state));
      assert.deepEqual(seen.moved, [captured]);
      assert.equal(seen.payments[0], `online succeeded ${step}`);
      assert.equal(seen.paymentId, counts);
      const isSuperseded = current === 'pending';
      assert.deepEqual(seen.payments.slice(1), isSuperseded ? ['online failed cancel_checkout'] : []);
    });
  }

  test('money that the provider has taken late is given back when its task has been attempted again', () => {
    const fields = { outcome: 'failed', nextTaskId: 5 } as const;
    const { moved, payments, news } = drafted(
      settle(stateOf('unserved', 'completed', { current: 'declined', fields })),
    );
    assert.deepEqual(
      [moved, payments, news],
      [[captured], ['online succeeded refund'], [`payment.succeeded ${PAYMENT}`]],
    );
  });

  test('for a payment that is not there, or was taken before, is nothing', () => {
    for (const current of ['paid', 'being refunded', 'not refunded', 'refunded', 'paid in cash'] as const) {
      assert.deepEqual(settle(stateOf('unserved', 'new', { current })).draft.changes, []);
    }
    assert.deepEqual(settle(stateOf('unserved', 'new'), 999).draft.changes, []);
  });
});

test('a report about another payment that had the same id is nothing, and one without a mark counts', () => {
  const paid = { kind: 'paid', providerReference: 'cs', amountMinor: 1250, currency: 'USD' } as const;
  const expired = { kind: 'not-paid', providerReference: 'cs', reason: 'expired' } as const;
  const byHand = { kind: 'given-back', refundReference: 're', amountMinor: 1250, isWhole: true } as const;
  for (const [current, report] of [
    ['pending', paid],
    ['pending', expired],
    ['paid', byHand],
  ] as const) {
    const settled = (mark: object) => {
      const { draft, decision } = decideOn(stateOf('unserved', 'new', { current }), (draft, context) =>
        decideSettlePayment(
          draft,
          { kind: 'settle-payment', caller: SYSTEM, paymentId: PAYMENT, report, ...mark },
          context,
        ),
      );
      return `${draft.changes.length > 0} ${decision.ok && decision.shown.kind}`;
    };
    const marks = [{ mark: paymentMark('another') }, {}, { mark: paymentMark(CURRENT[current].checkoutToken!) }];
    assert.deepEqual(marks.map(settled), ['false written', 'true nothing', 'true nothing'], report.kind);
  }
});

describe('a refund that could not be paid out', () => {
  const report = { kind: 'refund-failed', attempt: 1, reason: 'closed' } as const;
  const NEXT = 31;
  const back = 'provider_clearing 0 1250, refunds 0 -1250';
  const reverse = (state: OrgState) =>
    decideOn(state, (draft, context) =>
      decideSettlePayment(draft, { kind: 'settle-payment', caller: SYSTEM, paymentId: PAYMENT, report }, context),
    );

  // biome-ignore format: read by columns
  const THEN = {
    pending:    [PAYMENT, ['online failed cancel_checkout'], [`payment.failed ${NEXT}`]],
    declined:   [PAYMENT, [],                                []],
    refunded:   [PAYMENT, [],                                []],
    paid:       [NEXT,    [],                                []],
  } as const;
  for (const [current, [counts, givenUp, told]] of Object.entries(THEN)) {
    test(`pays its task again ${counts === NEXT ? 'unless' : 'when'} a later payment is ${current}`, () => {
      const state = stateOf('by an agent', 'in_transit', { fields: { paymentId: NEXT } });
      const later: PaymentRecord = { ...CURRENT[current as keyof typeof THEN], id: NEXT };
      state.money.absorb({ payments: [CURRENT.refunded, later], accountOwners: [], balances: [] });
      const reversed = reverse(state);
      const { moved, payments, news, paymentId } = drafted(reversed);
      assert.equal(paymentId, counts);
      assert.deepEqual(moved, [back]);
      assert.deepEqual(payments, ['online succeeded null', ...givenUp]);
      assert.deepEqual(news, [...told, `payment.failed ${PAYMENT}`]);
    });
  }

  test('of money that came late pays the task, too', () => {
    const state = stateOf('by an agent', 'in_transit', { fields: { paymentId: NEXT } });
    const later: PaymentRecord = { ...CURRENT.pending, id: NEXT };
    state.money.absorb({ payments: [CURRENT['being refunded'], later], accountOwners: [], balances: [] });
    const { moved, payments, paymentId } = drafted(reverse(state));
    assert.deepEqual([moved, paymentId], [[], PAYMENT]);
    assert.deepEqual(payments, ['online succeeded null', 'online failed cancel_checkout']);
  });

  test('of money that was never booked pays nothing', () => {
    const state = stateOf('by an agent', 'in_transit', { fields: { paymentId: NEXT } });
    const unbooked: PaymentRecord = { ...CURRENT['being refunded'], status: 'failed' };
    const later: PaymentRecord = { ...CURRENT.pending, id: NEXT };
    state.money.absorb({ payments: [unbooked, later], accountOwners: [], balances: [] });
    const { moved, payments, paymentId } = drafted(reverse(state));
    assert.deepEqual([moved, payments, paymentId], [[], ['online failed null'], NEXT]);
  });

  for (const current of ['refunded', 'being refunded'] as const) {
    test(`leaves the task alone when there is no later payment: ${current}`, () => {
      const reversed = reverse(stateOf('by an agent', 'in_transit', { current }));
      assert.equal(drafted(reversed).paymentId, PAYMENT);
      assert.ok(reversed.draft.changes.every(({ kind }) => kind !== 'put-task'));
    });
  }
});

describe('the end of a task', () => {
  const end = (state: OrgState, status: 'completed' | 'cancelled', outcome?: 'failed') =>
    decideOn(state, (draft, context) => {
      const input = { status, ...(outcome ? { outcome, failureReason: 'nobody' } : {}) };
      return decideChangeTaskStatus(
        draft,
        { kind: 'change-task-status', caller: SYSTEM, taskId: TASK, input },
        context,
      );
    });

  const collected = `agent_cash ${OWN_AGENT} 1250, revenue 0 -1250`;
  for (const current of CURRENTS) {
    const isPaid = PAYING[current][1] === already;
    test(`a task that collects cash ${isPaid ? 'makes no second payment' : 'makes a payment'} beside one that is ${current}`, () => {
      const state = () => stateOf('by an agent', 'in_transit', { hasAmount: true, current });
      assert.deepEqual(drafted(end(state(), 'completed')).moved, isPaid ? [] : [collected]);
      assert.deepEqual(drafted(end(state(), 'completed', 'failed')).moved, [], 'when it failed');
    });
    test(`the end of a task gives up a payment that is pending, when it is cancelled, and no other: ${current}`, () => {
      const { payments, moved } = drafted(end(stateOf('by an agent', 'in_transit', { current }), 'cancelled'));
      assert.deepEqual(payments, current === 'pending' ? ['online failed cancel_checkout'] : []);
      assert.deepEqual(moved, []);
      const completed = end(stateOf('by an agent', 'in_transit', { current }), 'completed');
      assert.deepEqual(drafted(completed).payments, [], 'a delivery may be paid after it was made');
    });
  }

  test('the end of a task gives up the payment of its job, too, when that was its last open part', () => {
    const state = stateOf('a child', 'in_transit', { jobFields: { paymentId: PAYMENT } });
    state.money.absorb({ payments: [ONLINE], accountOwners: [], balances: [] });
    const { payments, news } = drafted(end(state, 'cancelled'));
    assert.deepEqual(payments, ['online failed cancel_checkout']);
    assert.deepEqual(news, [`payment.failed ${PAYMENT}`]);
  });

  for (const [shape, purse] of [
    ['by an agent', `agent_cash ${OWN_AGENT}`],
    ['by an external courier', 'courier_cash 3'],
  ] as const) {
    test(`(${shape}) hands over the cash that is there, and no more`, () => {
      const drop = (cash: number, outcome?: 'failed') => {
        const fields = { taskType: 'cash_drop', amountMinor: 1250, currency: 'USD' } as const;
        return end(stateOf(shape, 'in_transit', { fields, cash }), 'completed', outcome);
      };
      assert.deepEqual(drafted(drop(1250)).moved, [`cash_office 0 1250, ${purse} -1250`]);
      assert.equal(told(drop(1249)), 'INSUFFICIENT_FUNDS');
      assert.deepEqual(drafted(drop(0, 'failed')).moved, [], 'when it failed');
    });
  }
});

describe('a top-up', () => {
  const topUp = (customerId: number, amount: string, currency: string | null = null) =>
    decideOn(stateOf('unserved', 'new'), (draft, context) =>
      decideTopUpWallet(
        draft,
        { kind: 'top-up-wallet', caller: SYSTEM, customerId, input: { amount, currency } },
        context,
      ),
    );
  test('adds to what is in the wallet, in its currency or the organization’s', () => {
    assert.deepEqual(drafted(topUp(CUSTOMER, '12.5')).moved, ['wallet_funding 0 1250, wallet 9 -1250']);
    const { decision } = topUp(CUSTOMER, '12.5');
    assert.ok(decision.ok && decision.shown.kind === 'written');
    assert.equal((JSON.parse(decision.shown.json) as { balance: string }).balance, '62.50');
    const other = topUp(CUSTOMER, '7', 'JPY').decision;
    assert.ok(other.ok && other.shown.kind === 'written');
    assert.equal((JSON.parse(other.shown.json) as { balance: string }).balance, '7');
  });
  test('a top-up is refused for a customer who is not there, and for a sum that is none', () => {
    assert.equal(told(topUp(999, '1')), 'NOT_FOUND');
    assert.equal(told(topUp(CUSTOMER, '-1')), 'VALIDATION_FAILED');
    assert.equal(told(topUp(CUSTOMER, '1.5', 'JPY')), 'VALIDATION_FAILED');
  });
});
