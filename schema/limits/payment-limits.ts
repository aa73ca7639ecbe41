/** The bounds of payments, of the ledger, of payment providers, and of the pages on which customers pay; part of LIMITS. */
export const PAYMENT_LIMITS = {
  /** Payments that an actor remembers: those of tasks that are paid now. */
  paymentsInMemory: 20_000,
  /** Customers, agents and couriers whose accounts an actor knows. */
  accountOwnersInMemory: 50_000,
  /** Characters of the secret part of a checkout link: 144 bits. */
  checkoutTokenChars: 24,
  /** A provider's names, the addresses of its pages, and its reasons. */
  providerTextChars: 2_048,

  /** Steps that one process of workers has under way; each may hang for as long as its calls may take. */
  paymentStepsAtOnce: 32,
  /** So many of them for one organization: a provider that hangs for one leaves room for the others. */
  paymentStepsPerOrganization: 8,
  paymentConnections: 4,
  /** The text that says what a payment is for, as its customer reads it: providers refuse a longer one. */
  providerDescriptionChars: 200,
  /** How long one call to a provider may take. */
  providerCallMs: 20_000,
  /** A step whose worker has died is taken on by another one within this; the living put it off again at a third of it. */
  paymentLeaseMs: 10_000,
  /** Between looks for steps without a hint, and between comparisons of all payments with their notes. */
  paymentSweepMs: 1_000,
  paymentReconciliationMs: 60_000,
  /** Between two looks, for any number of hints: a burst costs few of them. */
  paymentPauseMs: 50,
  /** Steps due that one statement reads, and statements of one look: what is beyond them is found by the next. */
  paymentsPerPage: 500,
  paymentPagesPerLook: 20,
  /** A Redis that takes longer to take jobs in is away. */
  paymentAnnounceMs: 1_000,
  /** When the process stops; what is not done by then is done again by the next one. */
  paymentDrainMs: 5_000,
  /** New steps that one statement notes. */
  paymentsEnlisted: 500,
  /** Before a failed call is repeated, and before a provider is asked for an outcome; both double. */
  paymentFirstPauseMs: 1_000,
  paymentLookMs: 60_000,
  paymentLongestPauseMs: 3_600_000,
  /** Characters of why a step failed that are kept. */
  paymentErrorChars: 500,

  /** A callback holds one record of the provider's. */
  callbackBytes: 262_144,
  /** How far the time of a callback's signature may be from ours, either way. */
  callbackToleranceSeconds: 300,
  /** Callbacks that were not taken are looked for as far back as they are sent again, so many at a time. */
  callbacksMissedMs: 259_200_000,
  callbacksMissed: 100,

  checkoutConnections: 4,
  /**
   * A customer that opens a checkout before the provider has made its page waits this long for it; beyond the bound of
   * waiting customers no one waits.
   */
  checkoutWaitMs: 4_000,
  checkoutPollMs: 250,
  checkoutsWaiting: 200,
  /** A page about something to come reloads itself. */
  checkoutReloadSeconds: 3,
  /** The form on the page of the test provider. */
  formBytes: 1_024,
  /** Checkouts of the test provider are open this long; and how long it waits for its callback to be taken. */
  testCheckoutMs: 86_400_000,
  testCallbackMs: 5_000,
} as const;
