import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  givenUp,
  isGivenUp,
  judgeRefund,
  judgeReport,
  newRefund,
} from '../../../../engine/domain/money/payment-machine.ts';
import type { PaymentRecord, ProviderReport, Refund } from '../../../../schema/money/payment.ts';
import { onlinePayment } from '../../online-payment.ts';

const CREATED = '2031-05-01T08:00:00.000Z';
const NOW = '2031-05-01T12:00:00.000Z';
const PAGE = 'https://pay.example/1';

const CREATING = onlinePayment(CREATED);

const failed = { status: 'failed', step: null, failureReason: 'declined' } as const;
const mismatched = { ...failed, providerReference: 'cs', failureReason: 'amount_mismatch' };
/** The result of the second `paid` of the columns. */
const INSTEAD = 'taken instead: 1249 minor units of USD';
const instead = { reason: INSTEAD, requestedAt: NOW };
const superseded = { ...failed, failureReason: 'superseded' };
const paid = { status: 'succeeded', step: null, providerReference: 'cs' } as const;
const checkout = { providerReference: 'cs' };

function refund(attempt: number, fields: Partial<Refund> = {}): { readonly refund: Refund } {
  const open = { refundedAt: null, providerReference: null, failureReason: null };
  return { refund: { status: 'pending', reason: 'wrong', attempt, requestedAt: CREATED, ...open, ...fields } };
}
const done = { status: 'succeeded', refundedAt: NOW } as const;
const bounced = { status: 'failed', failureReason: 'closed_account' } as const;

/** Everything that a payment can be, by what differs from its beginning. */
const STATES = {
  creating: {},
  waiting: { ...checkout, step: 'await_payment' },
  refused: failed,
  declined: { ...failed, ...checkout },
  // Money that was never booked: to be given back, on its way, back, and not taken back.
  mismatched: { ...mismatched, step: 'refund', ...refund(1, { reason: INSTEAD, requestedAt: NOW }) },
  returning: { ...mismatched, step: 'await_refund', ...refund(1, { ...instead, providerReference: 're 1' }) },
  returned: { ...mismatched, ...refund(1, { ...instead, ...done, providerReference: 're 1' }) },
  unreturned: { ...mismatched, ...refund(1, { ...instead, ...bounced }) },
  unreturnable: { ...mismatched, ...refund(1, { ...instead, ...bounced, providerReference: 're 1' }) },
  // Given up before it was known what is to be closed, and after.
  'to close': { ...superseded, step: 'cancel_checkout' },
  closing: { ...superseded, ...checkout, step: 'cancel_checkout' },
  shut: superseded,
  closed: { ...superseded, ...checkout },
  paid,
  'to refund': { ...paid, step: 'refund', ...refund(1) },
  refunding: { ...paid, step: 'await_refund', ...refund(1, { providerReference: 're 1' }) },
  refunded: { ...paid, status: 'refunded', ...refund(1, { ...done, providerReference: 're 1' }) },
  unrefunded: { ...paid, ...refund(1, bounced) },
  bounced: { ...paid, ...refund(1, { ...bounced, providerReference: 're 1' }) },
  'to refund 2': { ...paid, step: 'refund', ...refund(2) },
  'refunding 2': { ...paid, step: 'await_refund', ...refund(2, { providerReference: 're 2' }) },
  'refunded 2': { ...paid, status: 'refunded', ...refund(2, { ...done, providerReference: 're 2' }) },
  'unrefunded 2': { ...paid, ...refund(2, bounced) },
  'bounced 2': { ...paid, ...refund(2, { ...bounced, providerReference: 're 2' }) },
} satisfies Readonly<Record<string, Partial<PaymentRecord>>>;
type State = keyof typeof STATES;

/** The columns of the table. */
const REPORTS: readonly ProviderReport[] = [
  { kind: 'checkout-made', providerReference: 'cs', page: PAGE },
  { kind: 'checkout-refused', reason: 'declined' },
  { kind: 'paid', providerReference: 'cs', amountMinor: 1250, currency: 'USD' },
  { kind: 'paid', providerReference: 'cs', amountMinor: 1249, currency: 'USD' },
  { kind: 'not-paid', providerReference: 'cs', reason: 'declined' },
  { kind: 'not-paid', providerReference: 'another', reason: 'declined' },
  { kind: 'not-paid', providerReference: null, reason: 'declined' },
  { kind: 'refund-begun', attempt: 1, refundReference: 're 1' },
  { kind: 'refunded', attempt: 1, refundReference: 're 1' },
  { kind: 'refund-failed', attempt: 1, reason: 'closed_account' },
  { kind: 'refund-begun', attempt: 2, refundReference: 're 2' },
  { kind: 'refunded', attempt: 2, refundReference: 're 2' },
  { kind: 'refund-failed', attempt: 2, reason: 'closed_account' },
];

/** The result of the column's report for a payment in the row's state; -: nothing. */
// biome-ignore format: read by columns
const TABLE: Readonly<Record<State, readonly (State | '-')[]>> = {
  //               made       refused     paid    1249          not paid    another     any         | 1: begun    refunded    failed          | 2: begun        refunded      failed
  creating:       ['waiting', 'refused',  'paid', 'mismatched', 'refused',  'refused',  'refused',  '-',         '-',        '-',            '-',              '-',          '-'],
  waiting:        ['-',       'declined', 'paid', 'mismatched', 'declined', '-',        'declined', '-',         '-',        '-',            '-',              '-',          '-'],
  refused:        ['-',       '-',        'paid', 'mismatched', '-',        '-',        '-',        '-',         '-',        '-',            '-',              '-',          '-'],
  declined:       ['-',       '-',        'paid', 'mismatched', '-',        '-',        '-',        '-',         '-',        '-',            '-',              '-',          '-'],
  mismatched:     ['-',       '-',        '-',    '-',          '-',        '-',        '-',        'returning', 'returned', 'unreturned',   '-',              '-',          '-'],
  returning:      ['-',       '-',        '-',    '-',          '-',        '-',        '-',        '-',         'returned', 'unreturnable', '-',              '-',          '-'],
  returned:       ['-',       '-',        '-',    '-',          '-',        '-',        '-',        '-',         '-',        'unreturnable', '-',              '-',          '-'],
  unreturned:     ['-',       '-',        '-',    '-',          '-',        '-',        '-',        '-',         '-',        '-',            '-',              '-',          '-'],
  unreturnable:   ['-',       '-',        '-',    '-',          '-',        '-',        '-',        '-',         '-',        '-',            '-',              '-',          '-'],
  'to close':     ['closing', 'shut',     'paid', 'mismatched', 'shut',     'shut',     'shut',     '-',         '-',        '-',            '-',              '-',          '-'],
  closing:        ['-',       'closed',   'paid', 'mismatched', 'closed',   '-',        'closed',   '-',         '-',        '-',            '-',              '-',          '-'],
  shut:           ['-',       '-',        'paid', 'mismatched', '-',        '-',        '-',        '-',         '-',        '-',            '-',              '-',          '-'],
  closed:         ['-',       '-',        'paid', 'mismatched', '-',        '-',        '-',        '-',         '-',        '-',            '-',              '-',          '-'],
  paid:           ['-',       '-',        '-',    '-',          '-',        '-',        '-',        '-',         '-',        '-',            '-',              '-',          '-'],
  'to refund':    ['-',       '-',        '-',    '-',          '-',        '-',        '-',        'refunding', 'refunded', 'unrefunded',   '-',              '-',          '-'],
  refunding:      ['-',       '-',        '-',    '-',          '-',        '-',        '-',        '-',         'refunded', 'bounced',      '-',              '-',          '-'],
  refunded:       ['-',       '-',        '-',    '-',          '-',        '-',        '-',        '-',         '-',        'bounced',      '-',              '-',          '-'],
  unrefunded:     ['-',       '-',        '-',    '-',          '-',        '-',        '-',        '-',         '-',        '-',            '-',              '-',          '-'],
  bounced:        ['-',       '-',        '-',    '-',          '-',        '-',        '-',        '-',         '-',        '-',            '-',              '-',          '-'],
  'to refund 2':  ['-',       '-',        '-',    '-',          '-',        '-',        '-',        '-',         '-',        '-',            'refunding 2',    'refunded 2', 'unrefunded 2'],
  'refunding 2':  ['-',       '-',        '-',    '-',          '-',        '-',        '-',        '-',         '-',        '-',            '-',              'refunded 2', 'bounced 2'],
  'refunded 2':   ['-',       '-',        '-',    '-',          '-',        '-',        '-',        '-',         '-',        '-',            '-',              '-',          'bounced 2'],
  'unrefunded 2': ['-',       '-',        '-',    '-',          '-',        '-',        '-',        '-',         '-',        '-',            '-',              '-',          '-'],
  'bounced 2':    ['-',       '-',        '-',    '-',          '-',        '-',        '-',        '-',         '-',        '-',            '-',              '-',          '-'],
};

function payment(state: State): PaymentRecord {
  return { ...CREATING, ...STATES[state] };
}

/** The payment after a report; the page itself is looked at apart. */
function tell(before: PaymentRecord, report: ProviderReport): PaymentRecord {
  const step = judgeReport(before, report, NOW);
  return step.kind === 'nothing' ? before : { ...before, ...step.fields };
}
const pageless = (record: PaymentRecord) => ({ ...record, checkoutPage: null });

/** The actions that a change needs besides its record. */
function kindOf(from: State, to: State | '-'): string {
  if (to === '-') return 'nothing';
  const { status } = payment(to);
  if (status === 'refunded') return 'refunded';
  if (to === 'returned') return 'returned';
  if (/^(unrefunded|bounced|unreturn)/.test(to)) {
    return payment(from).status === 'refunded' ? 'refund-reversed' : 'refund-failed';
  }
  if (to === 'paid') return 'captured';
  return status === 'failed' && (payment(from).status === 'pending' || to === 'mismatched') ? 'failed' : 'noted';
}

for (const from of Object.keys(STATES) as State[]) {
  test(`a payment that is ${from} becomes what its row says with each report, and nothing more when the report is repeated`, () => {
    for (const [column, report] of REPORTS.entries()) {
      const [before, to, words] = [payment(from), TABLE[from][column]!, Object.values(report).join(' ')];
      assert.equal(judgeReport(before, report, NOW).kind, kindOf(from, to), words);
      const after = tell(before, report);
      assert.deepEqual(pageless(after), pageless(payment(to === '-' ? from : to)), words);
      assert.equal(judgeReport(after, report, NOW).kind, 'nothing', `${words}, once more`);
    }
  });
}

test('the page of a checkout is known once it is made', () => {
  const [made] = REPORTS;
  assert.equal(tell(payment('creating'), made!).checkoutPage, PAGE);
  assert.equal(tell(payment('to close'), made!).checkoutPage, PAGE);
});

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, index) => permutations(items.toSpliced(index, 1)).map((rest) => [item, ...rest]));
}

test('a paid payment is paid, for every order of the reports of its checkout, its end and the money', () => {
  for (const order of permutations(REPORTS.slice(0, 3).concat(REPORTS[4]!))) {
    assert.deepEqual(pageless(order.reduce(tell, payment('creating'))), payment('paid'), JSON.stringify(order));
  }
});

test('an arrived refund has arrived, for every order of the reports of its start and its end', () => {
  for (const order of permutations(REPORTS.slice(7, 9))) {
    assert.deepEqual(order.reduce(tell, payment('to refund')), payment('refunded'));
  }
});

test('nothing that a provider says is of a payment in cash or from a wallet', () => {
  for (const method of ['cash', 'wallet'] as const) {
    for (const state of Object.keys(STATES) as State[]) {
      for (const report of REPORTS) {
        assert.deepEqual(judgeReport({ ...payment(state), method }, report, NOW), { kind: 'nothing' });
      }
    }
  }
});

test('money of another currency is not ours either, and goes back', () => {
  const euros = { kind: 'paid', providerReference: 'cs', amountMinor: 1250, currency: 'EUR' } as const;
  const { status, failureReason, step, refund: back } = tell(payment('waiting'), euros);
  assert.deepEqual([status, failureReason, step], ['failed', 'amount_mismatch', 'refund']);
  assert.equal(back?.reason, 'taken instead: 1250 minor units of EUR');
});

const BY_HAND = { kind: 'given-back', refundReference: 're h', amountMinor: 1250, isWhole: true } as const;
const A_PART = { ...BY_HAND, refundReference: 're p', amountMinor: 500, isWhole: false };
/** Instead of asking for ours, its step found that one. */
const FOUND = { kind: 'refunded', attempt: 1, refundReference: 're h' } as const;
/** Ours, which never arrived. */
const OURS_LOST = { kind: 'refund-failed', attempt: 1, refundReference: 're 1', reason: 'closed_account' } as const;
const LOST = { kind: 'give-back-failed', refundReference: 're h', reason: 'closed_account' } as const;

/** The kind of the step, and the resulting status of the payment. */
function told(from: State, ...reports: ProviderReport[]) {
  const before = reports.slice(0, -1).reduce(tell, payment(from));
  const { kind } = judgeReport(before, reports.at(-1)!, NOW);
  const { status, refund: back, step } = tell(before, reports.at(-1)!);
  return [kind, status, back && `${back.status} ${back.attempt} ${back.providerReference}`, step].join(', ');
}

for (const [from, reports, outcome] of [
  // The full amount, by hand: once, like a refund of ours.
  ['paid', [BY_HAND], 'refunded, refunded, succeeded 1 re h, '],
  ['paid', [BY_HAND, BY_HAND], 'nothing, refunded, succeeded 1 re h, '],
  ['unrefunded', [BY_HAND], 'refunded, refunded, succeeded 2 re h, '],
  // It replaces one of ours in progress, in either order of the reports.
  ['to refund', [BY_HAND], 'refunded, refunded, succeeded 1 re h, '],
  ['to refund', [BY_HAND, REPORTS[8]], 'nothing, refunded, succeeded 1 re h, '],
  ['to refund', [REPORTS[8], BY_HAND], 'nothing, refunded, succeeded 1 re 1, '],
  ['refunding', [BY_HAND], 'refunded, refunded, succeeded 1 re h, '],
  ['refunded', [BY_HAND], 'nothing, refunded, succeeded 1 re 1, '],
  // Ours failed, which is heard afterwards: the customer has the money from the other one.
  ['to refund', [BY_HAND, OURS_LOST], 'nothing, refunded, succeeded 1 re h, '],
  ['refunding', [BY_HAND, OURS_LOST], 'nothing, refunded, succeeded 1 re h, '],
  ['mismatched', [BY_HAND, OURS_LOST], 'nothing, failed, succeeded 1 re h, '],
  ['to refund', [OURS_LOST, BY_HAND], 'refunded, refunded, succeeded 2 re h, '],
  ['refunded', [OURS_LOST], 'refund-reversed, succeeded, failed 1 re 1, '],
  // The attempt is over while none has arrived, also where another refund is known for it.
  ['refunding', [{ ...OURS_LOST, refundReference: 're 0' }], 'refund-failed, succeeded, failed 1 re 1, '],
  // It did not arrive.
  ['paid', [BY_HAND, LOST], 'refund-reversed, succeeded, failed 1 re h, '],
  ['paid', [BY_HAND, LOST, LOST], 'nothing, succeeded, failed 1 re h, '],
  ['paid', [LOST], 'nothing, succeeded, , '],
  ['refunded', [LOST], 'nothing, refunded, succeeded 1 re 1, '],
  // Nor did it where one of ours was in progress, which is over.
  ['to refund', [BY_HAND, LOST], 'refund-reversed, succeeded, failed 1 re h, '],
  ['to refund', [BY_HAND, LOST, REPORTS[8]], 'nothing, succeeded, failed 1 re h, '],
  ['refunding', [BY_HAND, LOST], 'refund-reversed, succeeded, failed 1 re h, '],
  ['to refund', [FOUND, LOST], 'refund-reversed, succeeded, failed 1 re h, '],
  ['mismatched', [BY_HAND, LOST], 'refund-failed, failed, failed 1 re h, '],
  // A part is noted, and the payment stays.
  ['paid', [A_PART], 'noted, succeeded, failed 1 re p, '],
  ['paid', [A_PART, A_PART], 'nothing, succeeded, failed 1 re p, '],
  ['paid', [A_PART, BY_HAND], 'refunded, refunded, succeeded 2 re h, '],
  ['paid', [BY_HAND, A_PART], 'nothing, refunded, succeeded 1 re h, '],
  ['to refund', [A_PART], 'nothing, succeeded, pending 1 null, refund'],
  ['waiting', [A_PART], 'nothing, pending, , await_payment'],
  // Money that was never booked does not leave the books.
  ['mismatched', [BY_HAND], 'returned, failed, succeeded 1 re h, '],
  ['waiting', [BY_HAND], 'returned, failed, succeeded 1 re h, '],
  ['waiting', [BY_HAND, REPORTS[2]], 'nothing, failed, succeeded 1 re h, '],
  ['waiting', [BY_HAND, LOST], 'refund-failed, failed, failed 1 re h, '],
  ['closing', [BY_HAND], 'returned, failed, succeeded 1 re h, '],
] as const) {
  test(`a payment that is ${from} and whose money was given back at the provider: ${outcome}`, () => {
    assert.equal(told(from, ...(reports as readonly ProviderReport[])), outcome);
  });
}

/** POST /payments/:id/refund. */
const REFUNDS: Readonly<Record<State, 'ok' | 'again' | 'no'>> = {
  creating: 'no',
  waiting: 'no',
  refused: 'no',
  declined: 'no',
  mismatched: 'again',
  returning: 'again',
  returned: 'again',
  unreturned: 'ok',
  unreturnable: 'ok',
  'to close': 'no',
  closing: 'no',
  shut: 'no',
  closed: 'no',
  paid: 'ok',
  'to refund': 'again',
  refunding: 'again',
  refunded: 'again',
  unrefunded: 'ok',
  bounced: 'ok',
  'to refund 2': 'again',
  'refunding 2': 'again',
  'refunded 2': 'again',
  'unrefunded 2': 'ok',
  'bounced 2': 'ok',
};
const CODES = { ok: undefined, again: 'PAYMENT_ALREADY_REFUNDED', no: 'PAYMENT_NOT_REFUNDABLE' };

for (const state of Object.keys(STATES) as State[]) {
  test(`a payment that is ${state} is ${REFUNDS[state] === 'ok' ? '' : 'not '}to be refunded when somebody asks`, () => {
    assert.equal(judgeRefund(payment(state))?.code, CODES[REFUNDS[state]]);
  });
}

test('each refund that is asked for is an attempt of its own', () => {
  assert.deepEqual({ refund: newRefund(payment('paid'), 'wrong', CREATED) }, refund(1));
  assert.deepEqual({ refund: newRefund(payment('bounced'), 'wrong', CREATED) }, refund(2));
});

test('an online payment that is given up has its checkout closed', () => {
  for (const from of ['creating', 'waiting'] as const) {
    const after = { ...payment(from), ...givenUp(payment(from), 'superseded') };
    assert.deepEqual(after, payment(from === 'creating' ? 'to close' : 'closing'));
  }
});

test('money is not wanted any more for what was given up, and for nothing else', () => {
  const unwanted = (Object.keys(STATES) as State[]).filter((state) => isGivenUp(payment(state)));
  assert.deepEqual(unwanted, ['to close', 'closing', 'shut', 'closed']);
  assert.equal(isGivenUp({ ...payment('declined'), failureReason: 'task_cancelled' }), true);
});
