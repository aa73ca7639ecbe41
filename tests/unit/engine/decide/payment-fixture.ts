import assert from 'node:assert/strict';
import { cashOf, OWN_ACCOUNTS, walletOf } from '../../../../engine/domain/money/ledger.ts';
import type { Decision } from '../../../../engine/org/decide/decision.ts';
import { decidePayTask } from '../../../../engine/org/decide/money/pay-task.ts';
import type { Draft } from '../../../../engine/org/state/draft.ts';
import type { OrgState } from '../../../../engine/org/state/org-state.ts';
import type { PayTask } from '../../../../schema/commands.ts';
import type { PaymentMethod, PaymentRecord } from '../../../../schema/money/payment.ts';
import type { TaskStatus } from '../../../../schema/tasks/task.ts';
import { onlinePayment } from '../../online-payment.ts';
import {
  callerOf,
  decideOn,
  NOW,
  OWN_AGENT,
  type Shape,
  type StateOptions,
  stateWith,
  TASK,
} from './decide-fixture.ts';

/** An organization in memory whose task has a payment, whose customer has money, and whose agent has cash. */

export const CUSTOMER = 9;
export const PAYMENT = 30;
const FUNDS = 5_000;

export const SYSTEM = callerOf('system');

export const ONLINE = onlinePayment(NOW, {
  id: PAYMENT,
  version: 2,
  taskId: TASK,
  customerId: CUSTOMER,
  providerReference: 'cs',
  checkoutPage: 'https://pay.example/1',
  step: 'await_payment',
});
const asked = {
  reason: 'wrong',
  attempt: 1,
  requestedAt: NOW,
  refundedAt: null,
  providerReference: null,
  failureReason: null,
};
const offline = { provider: null, providerReference: null, checkoutToken: null, checkoutPage: null, step: null };
const paid = { status: 'succeeded', step: null } as const;

/** The payment that a task has. */
export const CURRENT = {
  none: undefined,
  pending: ONLINE,
  declined: { ...ONLINE, status: 'failed', step: null, failureReason: 'declined' },
  paid: { ...ONLINE, ...paid },
  'paid in cash': { ...ONLINE, ...offline, ...paid, method: 'cash', agentId: OWN_AGENT },
  'paid from the wallet': { ...ONLINE, ...offline, ...paid, method: 'wallet' },
  'being refunded': { ...ONLINE, ...paid, step: 'refund', refund: { ...asked, status: 'pending' } },
  'not refunded': { ...ONLINE, ...paid, refund: { ...asked, status: 'failed', failureReason: 'closed' } },
  refunded: { ...ONLINE, ...paid, status: 'refunded', refund: { ...asked, status: 'succeeded', refundedAt: NOW } },
} satisfies Readonly<Record<string, PaymentRecord | undefined>>;
export type Current = keyof typeof CURRENT;
export const CURRENTS = Object.keys(CURRENT) as Current[];

interface Options extends StateOptions {
  readonly current?: Current;
  readonly cash?: number;
}

export function stateOf(
  shape: Shape,
  status: TaskStatus,
  { current = 'none', cash = 0, fields, ...options }: Options = {},
) {
  const payment: PaymentRecord | undefined = CURRENT[current];
  const state = stateWith(shape, status, { ...options, fields: { paymentId: payment?.id ?? null, ...fields } });
  const purses = [cashOf({ agentId: OWN_AGENT, courierId: null }), cashOf({ agentId: null, courierId: 3 })];
  const balance = (owner: (typeof purses)[number], balanceMinor: number) => ({
    ...owner,
    currency: 'USD',
    balanceMinor,
    entries: 4,
  });
  state.money.absorb({
    payments: payment ? [payment] : [],
    accountOwners: [...OWN_ACCOUNTS, walletOf(CUSTOMER), ...purses],
    balances: [balance(walletOf(CUSTOMER), -FUNDS), ...purses.map((purse) => balance(purse, cash))],
  });
  return state;
}

export function pay(
  state: OrgState,
  method: PaymentMethod,
  { caller = SYSTEM, amount = '12.50', currency = 'USD', taskId = TASK } = {},
) {
  const base = { kind: 'pay-task', caller, input: { taskId, amount, currency } } as const;
  const command: PayTask = method === 'online' ? { ...base, method, provider: 'test' } : { ...base, method };
  return decideOn(state, (draft, context) => decidePayTask(draft, command, context));
}

/** `ok`, or the code of a refusal, which must have drafted nothing. */
export function told({ decision, draft }: { readonly decision: Decision; readonly draft: Draft }): string {
  if (decision.ok) return 'ok';
  assert.deepEqual(draft.changes, [], 'a refusal changes nothing');
  return decision.refusal.code;
}

/** The drafted transfers, as `debit amount, credit amount`, with the drafted payments and their events. */
export function drafted({ draft }: { readonly draft: Draft }) {
  const moved = draft.changes.flatMap((change) =>
    change.kind === 'move-money'
      ? [change.entries.map(({ account, ownerId, amountMinor }) => `${account} ${ownerId} ${amountMinor}`).join(', ')]
      : [],
  );
  const payments = draft.changes.flatMap((change) =>
    change.kind === 'put-payment' ? [`${change.payment.method} ${change.payment.status} ${change.payment.step}`] : [],
  );
  const news = draft.changes.flatMap((change) =>
    change.kind === 'tell-payment' ? [`${change.type} ${change.paymentId}`] : [],
  );
  return { moved, payments, news, paymentId: draft.findTask(TASK)!.task.paymentId };
}
