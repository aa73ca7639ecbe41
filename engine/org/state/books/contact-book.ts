import type { CustomerRecord } from '../../../../schema/customers/customer.ts';
import { LIMITS } from '../../../../schema/limits.ts';
import type { Contacts } from '../../../store/actor/actor-store.ts';

/**
 * The contacts that inline customers of a small organization can match beside those in memory, so that a new customer
 * is known to be new without a question to Postgres. It may name contacts that are gone; it never lacks an existing
 * one.
 */
export class ContactBook {
  #contacts: Set<string> | undefined;
  #fetches = 0;
  #isTooLarge = false;

  /** Whether a customer may be matched that memory does not hold. */
  mayKnow(phoneE164: string, email: string | null | undefined): boolean {
    const contacts = this.#contacts;
    return !contacts || contacts.has(phoneE164) || (email != null && contacts.has(email.toLowerCase()));
  }

  /** To be asked at each fetch of phones: whether to read the book along with them. */
  isWanted(customers: number): boolean {
    this.#fetches += 1;
    const isWorthIt = this.#fetches > LIMITS.fetchesBeforeBook && customers <= LIMITS.contactBookCustomers;
    return isWorthIt && !this.#contacts && !this.#isTooLarge;
  }

  /** Takes the book in, read while nothing left memory; undefined when there was too much to read. */
  absorb(contacts: Contacts | undefined): void {
    if (contacts) this.#contacts = new Set([...contacts.phones, ...contacts.emails]);
    else this.#isTooLarge = true;
  }

  /** Notes a customer that leaves memory. */
  note({ phoneE164, email }: CustomerRecord): void {
    if (!this.#contacts) return;
    const contact = phoneE164 ?? email?.toLowerCase();
    if (contact !== undefined) this.#contacts.add(contact);
    if (this.#contacts.size <= 2 * LIMITS.contactBookCustomers) return;
    this.#contacts = undefined;
    this.#isTooLarge = true;
  }
}
