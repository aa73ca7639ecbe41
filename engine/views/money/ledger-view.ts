import {
  type AccountOwner,
  agentCashView,
  type OwnerBalances,
  type StatementLine,
  statementView,
  type TransferRecord,
  topUpView,
  walletView,
} from '../../../schema/money/ledger.ts';
import { fundsOf, walletOf } from '../../domain/money/ledger.ts';
import { formatMinor } from '../../domain/money/money.ts';
import { compileSerializer } from '../parts/serializer.ts';

const serializeWallet = compileSerializer(walletView);
const serializeAgentCash = compileSerializer(agentCashView);
const serializeStatement = compileSerializer(statementView);
const serializeTopUp = compileSerializer(topUpView);

/** A payment into a customer's wallet, with the balance after it. */
interface TopUp {
  readonly customerId: number;
  readonly amountMinor: number;
  readonly balanceMinor: number;
  readonly currency: string;
}

/** Returns the JSON of a customer's wallet: the money paid in and not yet spent. */
export function encodeWallet(customerId: number, balances: OwnerBalances): string {
  return serializeWallet({ customerId, ...fundsIn(walletOf(customerId), balances) });
}

/** Returns the JSON of an agent's cash: the money collected and not yet handed over. */
export function encodeAgentCash(agentId: number, balances: OwnerBalances): string {
  return serializeAgentCash({ agentId, ...fundsIn({ account: 'agent_cash', ownerId: agentId }, balances) });
}

/** Returns the JSON of one page of a wallet's statement. `count` is the number of lines on all pages. */
export function encodeStatement(customerId: number, lines: readonly StatementLine[], count: number): string {
  const shown = (minor: number, currency: string) => formatMinor(fundsOf(walletOf(customerId), minor), currency);
  const items = lines.map((line) => ({
    ...line,
    amount: shown(line.amountMinor, line.currency),
    balance: shown(line.balanceMinor, line.currency),
  }));
  return serializeStatement({ items, count });
}

/** Returns the JSON of a top-up. */
export function encodeTopUp(
  { id, reference, at }: TransferRecord,
  { customerId, amountMinor, balanceMinor, currency }: TopUp,
): string {
  const [amount, balance] = [amountMinor, balanceMinor].map((minor) => formatMinor(minor, currency)) as [
    string,
    string,
  ];
  return serializeTopUp({ id, customerId, amount, currency, balance, reference, createdAt: at });
}

function fundsIn(owner: AccountOwner, { balances, homeCurrency }: OwnerBalances) {
  const shown = balances.map(({ currency, balanceMinor }) => ({
    balance: formatMinor(fundsOf(owner, balanceMinor), currency),
    currency,
  }));
  const home = shown.find(({ currency }) => currency === homeCurrency);
  return { ...(home ?? { balance: formatMinor(0, homeCurrency), currency: homeCurrency }), balances: shown };
}
