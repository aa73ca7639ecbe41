import {
  type AccountOwner,
  agentCashView,
  type OwnerBalances,
  type StatementLine,
  statementView,
  walletView,
} from '../../schema/money/ledger.ts';
import { fundsOf, walletOf } from '../domain/money/ledger.ts';
import { formatMinor } from '../domain/money/money.ts';
import { compileSerializer } from './parts/serializer.ts';

const serializeWallet = compileSerializer(walletView);
const serializeAgentCash = compileSerializer(agentCashView);
const serializeStatement = compileSerializer(statementView);

/** The JSON of what a customer has paid in and not spent. */
export function encodeWallet(customerId: number, balances: OwnerBalances): string {
  return serializeWallet({ customerId, ...fundsIn(walletOf(customerId), balances) });
}

/** The JSON of what an agent has collected and not handed over. */
export function encodeAgentCash(agentId: number, balances: OwnerBalances): string {
  return serializeAgentCash({ agentId, ...fundsIn({ account: 'agent_cash', ownerId: agentId }, balances) });
}

/** The JSON of a page of a wallet's statement; `count` is that of all pages. */
export function encodeStatement(customerId: number, lines: readonly StatementLine[], count: number): string {
  const told = (minor: number, currency: string) => formatMinor(fundsOf(walletOf(customerId), minor), currency);
  const items = lines.map((line) => ({
    ...line,
    amount: told(line.amountMinor, line.currency),
    balance: told(line.balanceMinor, line.currency),
  }));
  return serializeStatement({ items, count });
}

function fundsIn(owner: AccountOwner, { balances, homeCurrency }: OwnerBalances) {
  const told = balances.map(({ currency, balanceMinor }) => ({
    balance: formatMinor(fundsOf(owner, balanceMinor), currency),
    currency,
  }));
  const home = told.find(({ currency }) => currency === homeCurrency);
  return { ...(home ?? { balance: formatMinor(0, homeCurrency), currency: homeCurrency }), balances: told };
}
