import { type TransferRecord, topUpView } from '../../schema/money/ledger.ts';
import { formatMinor } from '../domain/money/money.ts';
import { compileSerializer } from './parts/serializer.ts';

const serialize = compileSerializer(topUpView);

/** What came into the wallet of a customer, and what it has since. */
interface TopUp {
  readonly customerId: number;
  readonly amountMinor: number;
  readonly balanceMinor: number;
  readonly currency: string;
}

/** The JSON of a top-up. */
export function encodeTopUp(
  { id, reference, at }: TransferRecord,
  { customerId, amountMinor, balanceMinor, currency }: TopUp,
): string {
  const [amount, balance] = [amountMinor, balanceMinor].map((minor) => formatMinor(minor, currency)) as [
    string,
    string,
  ];
  return serialize({ id, customerId, amount, currency, balance, reference, createdAt: at });
}
