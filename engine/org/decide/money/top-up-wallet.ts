import type { TopUpWallet } from '../../../../schema/commands.ts';
import { notFound } from '../../../../schema/errors.ts';
import { fundsOf, OWN_ACCOUNTS, topUpOf, walletOf } from '../../../domain/money/ledger.ts';
import { parseAmount } from '../../../domain/money/money.ts';
import { encodeTopUp } from '../../../views/money/ledger-view.ts';
import type { Draft } from '../../state/draft.ts';
import { type DecideContext, type Decision, refuse, violate } from '../decision.ts';
import { MONEY } from '../id-demand.ts';
import { rule } from '../rule.ts';
import { draftTransfer, judgeMovement } from '../steps/payment-steps.ts';

export const topUpWalletRule = rule<TopUpWallet>({
  needs(needed, { customerId }) {
    needed.customer(customerId);
    needed.accounts([...OWN_ACCOUNTS, walletOf(customerId)]);
  },
  ids: () => MONEY,
  followsAgent: true,
  decide: decideTopUpWallet,
});

/**
 * POST /wallets/:customerId/top-ups. Refuses: 400 for a currency that does not exist, or an amount that it or the
 * accounts do not allow; 404.
 */
export function decideTopUpWallet(draft: Draft, command: TopUpWallet, context: DecideContext): Decision {
  const { customerId, input, caller } = command;
  const currency = input.currency ?? draft.organization.currency;
  const parsed = parseAmount(input.amount, currency);
  if ('violation' in parsed) return violate(parsed.violation);
  if (!draft.findCustomer(customerId)) return refuse(notFound('Customer', customerId));
  const movement = topUpOf(customerId, parsed.minor, currency);
  const overflow = judgeMovement(draft, movement);
  if (overflow) return refuse(overflow);
  const what = { kind: 'top_up', paymentId: null, taskId: null, reference: input.reference ?? null } as const;
  const transfer = draftTransfer(draft, movement, what, caller, context);
  const wallet = walletOf(customerId);
  const balanceMinor = fundsOf(wallet, draft.findBalance(wallet, currency)!.balanceMinor);
  const json = encodeTopUp(transfer, { customerId, amountMinor: parsed.minor, balanceMinor, currency });
  return { ok: true, status: 201, shown: { kind: 'written', json } };
}
