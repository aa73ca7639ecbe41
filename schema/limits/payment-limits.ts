/** The bounds of payments and of the ledger; part of LIMITS. */
export const PAYMENT_LIMITS = {
  /** Payments that an actor remembers: those of tasks that are paid now. */
  paymentsInMemory: 20_000,
  /** Customers, agents and couriers whose accounts an actor knows. */
  accountOwnersInMemory: 50_000,
  /** Characters of the secret part of a checkout link: 144 bits. */
  checkoutTokenChars: 24,
  /** Of what a provider calls something, of its pages' addresses and of its reasons. */
  providerTextChars: 2_048,
} as const;
