import { LIMITS } from '../../../../schema/limits.ts';
import type { AccountBalance, AccountOwner, EntryRecord } from '../../../../schema/money/ledger.ts';
import type { PaymentRecord } from '../../../../schema/money/payment.ts';
import type { FetchedRecords } from '../../../store/actor/actor-store.ts';
import type { Change } from '../changes.ts';
import { type Basis, evictOldest, type Live, READ } from '../live.ts';
import { RecencyMap } from '../recency-map.ts';

interface OwnerAccounts extends Basis {
  /** By currency; those that are not here have nothing. */
  readonly balances: Map<string, AccountBalance>;
}

/**
 * The payments in memory: those of tasks that are paid now, or were lately. And accounts: of each owner all or none, so
 * that what an owner does not have here it does not have.
 */
export class MoneyBook {
  readonly #payments = new RecencyMap<number, Live<PaymentRecord>>();
  readonly #owners = new RecencyMap<string, OwnerAccounts>();

  findPayment(id: number): PaymentRecord | undefined {
    return this.#payments.get(id)?.record;
  }

  knowsAccountsOf(owner: AccountOwner): boolean {
    return this.#owners.has(keyOf(owner));
  }

  /** Undefined where nothing was ever written to it. Only of owners that were asked for. */
  findBalance(owner: AccountOwner, currency: string): AccountBalance | undefined {
    const owned = this.#owners.get(keyOf(owner));
    if (!owned) throw new Error(`the accounts of ${keyOf(owner)} are not in memory`);
    return owned.balances.get(currency);
  }

  apply(change: Extract<Change, { kind: 'put-payment' | 'move-money' }>, basis: Basis): void {
    if (change.kind === 'move-money') {
      for (const entry of change.entries) this.#putBalance(balanceAfter(entry), basis);
      return;
    }
    this.#payments.set(change.payment.id, { record: change.payment, ...basis });
  }

  /** Adds balances that were read, unless memory has them: it is newer or the same. */
  absorb({ payments, accountOwners, balances }: Pick<FetchedRecords, 'payments' | 'accountOwners' | 'balances'>): void {
    for (const record of payments) {
      if (!this.#payments.has(record.id)) this.#payments.set(record.id, { record, ...READ });
    }
    const unknown = accountOwners.filter((owner) => !this.knowsAccountsOf(owner)).map(keyOf);
    for (const key of unknown) this.#owners.set(key, { balances: new Map(), ...READ });
    const taken = new Set(unknown);
    for (const balance of balances) {
      const key = keyOf(balance);
      if (taken.has(key)) this.#owners.get(key)!.balances.set(balance.currency, balance);
    }
  }

  evict(durableTicket: number): void {
    evictOldest(this.#payments, LIMITS.paymentsInMemory, durableTicket);
    evictOldest(this.#owners, LIMITS.accountOwnersInMemory, durableTicket);
  }

  #putBalance(balance: AccountBalance, { ticket, sequence }: Basis): void {
    const key = keyOf(balance);
    const { balances } = this.#owners.get(key)!;
    balances.set(balance.currency, balance);
    this.#owners.set(key, { balances, ticket, sequence });
  }
}

/** The balance of an account after one of its entries. */
export function balanceAfter({ account, ownerId, currency, balanceMinor, entry }: EntryRecord): AccountBalance {
  return { account, ownerId, currency, balanceMinor, entries: entry };
}

function keyOf({ account, ownerId }: AccountOwner): string {
  return `${account} ${ownerId}`;
}
