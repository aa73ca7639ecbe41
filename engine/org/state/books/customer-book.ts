import type { CustomerRecord } from '../../../../schema/customers/customer.ts';
import { type Basis, evictOldest, type Live, READ } from '../live.ts';
import { RecencyMap } from '../recency-map.ts';

/** The customers in memory, found by id, by phone and, those without one, by e-mail address. */
export class CustomerBook {
  readonly #customers = new RecencyMap<number, Live<CustomerRecord>>();
  readonly #byPhone = new Map<string, CustomerRecord>();
  readonly #idsByEmail = new Map<string, Set<number>>();

  get size(): number {
    return this.#customers.size;
  }

  find(id: number): CustomerRecord | undefined {
    return this.#customers.get(id)?.record;
  }

  basisOf(id: number): Basis | undefined {
    return this.#customers.get(id);
  }

  findByPhone(phoneE164: string): CustomerRecord | undefined {
    return this.#byPhone.get(phoneE164);
  }

  /** A customer without a phone of its own who has this e-mail address. */
  findPhoneless(email: string): CustomerRecord | undefined {
    for (const id of this.#idsByEmail.get(email.toLowerCase()) ?? []) {
      const customer = this.find(id);
      if (customer && customer.phoneE164 === null) return customer;
    }
    return undefined;
  }

  put(customer: CustomerRecord, { ticket, sequence }: Basis): void {
    const before = this.#customers.get(customer.id);
    if (before) this.#unindex(before.record);
    this.#customers.set(customer.id, { record: customer, ticket, sequence });
    if (customer.phoneE164 !== null) this.#byPhone.set(customer.phoneE164, customer);
    if (customer.email === null) return;
    const email = customer.email.toLowerCase();
    const ids = this.#idsByEmail.get(email);
    if (ids) ids.add(customer.id);
    else this.#idsByEmail.set(email, new Set([customer.id]));
  }

  /** Adds a customer that was read, unless memory has it: it is newer or the same. */
  absorb(customer: CustomerRecord): void {
    if (!this.#customers.has(customer.id)) this.put(customer, READ);
  }

  /** Evicts customers that no record in memory names; calls `onGone` with each. */
  evict(
    bound: number,
    durableTicket: number,
    inUse: ReadonlySet<number | null>,
    onGone: (gone: CustomerRecord) => void,
  ) {
    const forget = ({ record }: Live<CustomerRecord>) => {
      this.#unindex(record);
      onGone(record);
    };
    evictOldest(this.#customers, bound, durableTicket, forget, (id) => inUse.has(id));
  }

  #unindex(customer: CustomerRecord): void {
    if (customer.phoneE164 !== null) this.#byPhone.delete(customer.phoneE164);
    const email = customer.email?.toLowerCase();
    const ids = email === undefined ? undefined : this.#idsByEmail.get(email);
    ids?.delete(customer.id);
    if (ids?.size === 0) this.#idsByEmail.delete(email!);
  }
}
