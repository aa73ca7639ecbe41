import { type Mutation, mutationsOf } from '../mutation.ts';

const MACHINE = ['unit/domain/money/payment-machine'];
const DECIDE = ['unit/engine/decide/decide-payments'];
const FULL = ['unit/engine/decide/full-accounts'];

/** Faults in payments and in the ledger. */
export const MONEY: readonly Mutation[] = [
  ...mutationsOf('engine/domain/money/payment-machine.ts', MACHINE, [
    [
      'isOfOther(payment, report.providerReference) ? NOTHING : notPaid(',
      'notPaid(',
      'A report of another checkout changes nothing.',
    ],
    ['if (payment.refund) return NOTHING;', '', 'Money that is on its way back is not captured again.'],
    [
      'amountMinor !== payment.amountMinor || currency !== payment.currency',
      'amountMinor !== payment.amountMinor',
      'Money of another currency goes back.',
    ],
    [
      "refund?.attempt !== report.attempt || refund.status === 'failed'",
      "refund?.status !== 'pending'",
      'A report of an earlier refund does not settle a later one.',
    ],
    [
      "payment.method === 'online' ? 'cancel_checkout' : null",
      'null',
      'The checkout of a payment that was given up is closed.',
    ],
    [
      "if (refund && refund.status !== 'failed') return",
      'if (refund) return',
      'A failed refund can be asked for again.',
    ],
    [
      'refund?.providerReference !== refundReference ||',
      'refund?.reason !== AT_PROVIDER || refund.providerReference !== refundReference ||',
      'A refund by hand that did not arrive is booked back, also where ours was under way.',
    ],
    [
      'isReplaced(refund, report.refundReference) ? NOTHING : refundLost(',
      'refundLost(',
      'A refund by hand stays where ours, which it has replaced, has failed.',
    ],
    [
      "return status === 'succeeded' && named !== undefined",
      'return named !== undefined',
      'A refund that fails before any has arrived is over, also under another name.',
    ],
    ['(refund?.attempt ?? 0) + 1', '1', 'Each refund is a request of its own.'],
    [
      "status: wasBooked ? 'succeeded' : status",
      "status: 'succeeded'",
      'A payment that was never booked stays failed.',
    ],
    [
      "payment.status !== 'pending' && payment.status !== 'failed'",
      "payment.status !== 'pending'",
      'Money that comes late is taken.',
    ],
  ]),
  ...mutationsOf(
    'engine/domain/money/ledger.ts',
    ['unit/domain/money/ledger', ...DECIDE],
    [
      [
        "credit: payment.method === 'cash' ? OFFICE : paidInto(payment)",
        'credit: paidInto(payment)',
        'Cash is refunded at the office.',
      ],
      [
        'return { debit: OFFICE, credit: cashOf(task)',
        'return { debit: cashOf(task), credit: OFFICE',
        'A cash drop brings cash to the office.',
      ],
      ['balanceMinor !== 0 ? -balanceMinor', 'balanceMinor !== 0 ? balanceMinor', 'A wallet is owed to its customer.'],
      [
        'return { debit: credit, credit: debit, ...sum };',
        'return { debit, credit, ...sum };',
        'A refund that failed is booked back.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/domain/money/money.ts',
    ['unit/domain/money/parse-amount', 'unit/domain/money/money'],
    [
      [
        'decimals.length > exponent',
        'decimals.length > exponent + 1',
        'An amount has no more decimals than its currency.',
      ],
      ['minor > largestMinor(exponent)', 'minor >= largestMinor(exponent)', 'The largest amount is allowed.'],
    ],
  ),
  ...mutationsOf(
    'engine/org/decide/steps/payment-steps.ts',
    [...DECIDE, 'api/payments/wallets'],
    [
      [
        '{ ...credit, amountMinor: -amountMinor }',
        '{ ...credit, amountMinor }',
        'The two sides of a transfer add up to nothing.',
      ],
      [
        "  if (open?.status === 'pending') giveUpPayment(draft, open, 'superseded', context.now);\n  draftPaidTask(draft, draft.findTask(payment.taskId)!, payment, context.now);\n",
        "  draftPaidTask(draft, draft.findTask(payment.taskId)!, payment, context.now);\n  if (open?.status === 'pending') giveUpPayment(draft, open, 'superseded', context.now);\n",
        'A payment that is given up does not carry the change of the one that pays.',
      ],
      [
        '(before?.entries ?? 0) + 1',
        '(before?.entries ?? 1) + 1',
        'The entries of an account are numbered without a gap.',
      ],
    ],
  ),
  ...mutationsOf('engine/org/decide/steps/payment-steps.ts', FULL, [
    [' && !isFull(credit, -amountMinor)', '', 'A movement that one side cannot hold is refused.'],
    ['!isFull(debit, amountMinor) && ', '', 'A movement that the other side cannot hold is refused.'],
  ]),
  ...mutationsOf('engine/org/decide/money/settle-payment.ts', FULL, [
    ['  captured: captureOf,\n', '', 'A report of money that cannot be booked is refused and does not throw.'],
  ]),
  ...mutationsOf('engine/org/decide/steps/cash-task.ts', FULL, [
    ['const isPaid = ', 'const isPaid = true || ', 'A collection that cannot be booked is refused.'],
  ]),
  ...mutationsOf('engine/org/decide/money/settle-payment.ts', DECIDE, [
    [' || isOfOther(before, mark)', '', 'Money of a payment that a restore has lost settles no other of its id.'],
    [
      "current?.status === 'succeeded' && current.id !== before.id",
      "current?.status === 'failed'",
      'Money that comes for a task that is already paid goes back.',
    ],
    [
      ' && facts.task.nextTaskId === null',
      '',
      'Money that comes for a failed task that is attempted again goes back: the next one is paid.',
    ],
    [
      'isGivenUp(before) || isPaidOtherwise',
      'isPaidOtherwise',
      'Money that comes for a payment that was given up goes back.',
    ],
    [
      '      draftPaidAgain(draft, payment, context.now);\n',
      '',
      'Money that could not be paid out pays its task again.',
    ],
    [
      "if (payment.status === 'succeeded') draftPaidAgain(",
      'draftPaidAgain(',
      'Money that was never booked pays nothing when it could not be paid out.',
    ],
  ]),
  ...mutationsOf(
    'engine/org/decide/money/settle-payment.ts',
    ['unit/engine/decide/reattempt-task'],
    [
      [
        'isFollowed && draftPaidInstead(',
        'false && draftPaidInstead(',
        'Money that could not be paid out pays the last attempt at its task.',
      ],
      [' && knowsPaymentOf(draft, last)', '', 'A task whose payment memory lacks is left alone, and nothing throws.'],
      [
        'if (LOST_REFUNDS.has(report.kind)) needed',
        'if (false) needed',
        'The last attempt is fetched for money that could not be paid out.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/domain/tasks/exceptions.ts',
    ['unit/engine/decide/reattempt-task'],
    [
      ['if (isReturnOf(last, next)) break;', '', 'What was paid for a task does not count for its return.'],
      [" && (before.taskType !== 'return' || before.locationId !== next.locationId)", '', 'A paid return stays paid.'],
    ],
  ),
  ...mutationsOf(
    'engine/org/actor/org-actor.ts',
    ['integration/engine/ledger-property'],
    [
      [
        'fetches = 1, most = 1; fetches <= most;',
        'fetches = 1, most = 1; fetches <= Math.min(3, most);',
        'As many attempts are fetched as are followed.',
      ],
    ],
  ),
  ...mutationsOf('engine/org/decide/money/pay-task.ts', DECIDE, [
    ["if (current?.status === 'succeeded') return", "if (current?.status === 'failed') return", 'A task is paid once.'],
    ['return funds < sum.amountMinor ?', 'return funds < 0 ?', 'A wallet pays no more than it holds.'],
    [
      "current?.status === 'pending' && method === 'online'",
      "current?.status === 'failed' && method === 'online'",
      'A task has one open checkout.',
    ],
  ]),
  ...mutationsOf(
    'schema/functions/ledger.sql',
    ['integration/store/commit/ledger-barriers'],
    [
      [' AND a.balance_minor + m.amount = m.balance\n', '\n', 'Postgres refuses a balance that memory has wrong.'],
      ['AND a.entries + m.entries = m.last_entry ', '', 'Postgres refuses entries out of turn.'],
    ],
  ),
  ...mutationsOf(
    'engine/providers/stripe-provider.ts',
    ['integration/payments/stripe-provider'],
    [
      ['      told.add(event.id);\n', '', 'A missed callback is read once.'],
      ['pay-${organizationId}-${paymentId}-${mark}', 'pay-${organizationId}-${paymentId}', 'No key of Stripe repeats.'],
      [
        'refund-${organizationId}-${paymentId}-${mark}-',
        'refund-${organizationId}-${paymentId}-',
        'No key of a refund repeats.',
      ],
    ],
  ),
  ...mutationsOf(
    'engine/providers/warn-of-report.ts',
    ['unit/providers/warn-of-report'],
    [
      [
        "  'give-back-failed':\n    'a refund",
        "  'not-paid':\n    'a refund",
        'The operator learns of a part that was not paid out.',
      ],
      [
        "  paid: 'money was paid to",
        "  'not-paid': 'money was paid to",
        'The operator learns of money that was paid to a deleted organization.',
      ],
    ],
  ),
  ...mutationsOf(
    'gateway/payments/open-payments.ts',
    ['integration/payments/deleted-organization'],
    [['    warnOfReport(log, news, answer);', '', 'A callback about money of a deleted organization is logged.']],
  ),
  ...mutationsOf(
    'workers/payments/payment-step-runner.ts',
    ['unit/workers/payment-step-runner'],
    [
      [
        'warnOfReport(log, news, await reportToOwner(ask, news))',
        'await reportToOwner(ask, news)',
        'Money that a look finds for a deleted organization is logged.',
      ],
    ],
  ),
  ...mutationsOf(
    'workers/maintenance/organization-deletion.ts',
    ['integration/workers/organization-deletion'],
    [
      [
        '    await logSteps(store, organizationId, log);',
        '',
        'The operator learns which refunds and checkouts go with an organization.',
      ],
    ],
  ),
  ...mutationsOf(
    'workers/payments/payment-step-runner.ts',
    ['integration/payments/stripe.test'],
    [
      ['isReported && (await store.settle(step))', 'isReported', 'A step that is done is forgotten.'],
      ['pauseMs, String((error as Error).message))', 'pauseMs, null)', 'A step that failed says why.'],
    ],
  ),
  ...mutationsOf(
    'workers/payments/carry-out-step.ts',
    ['unit/workers/payment-step-runner'],
    [
      [
        '  const made = await provider.makeCheckout(payment);\n  if (made.kind',
        "  const made = { kind: 'not-paid', providerReference: null, reason: 'expired' };\n  if (made.kind",
        'A checkout of which nobody has heard is closed, too.',
      ],
      ['reference === null || isBlank(reference)', 'reference === null', 'A provider gets no empty description.'],
    ],
  ),
];
