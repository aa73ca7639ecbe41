/** The bounds of what actors know beside their records. They are part of LIMITS. */
export const BOOK_LIMITS = {
  /** How often an actor asks Postgres for names of a kind before it reads every one. */
  fetchesBeforeBook: 4,
  /** How many codes, or keys, are read at once: adding them holds up every other command. */
  bookPage: 20_000,
  /** Customers of an organization whose phones are all known to its actor; beyond that an unknown one is asked for. */
  contactBookCustomers: 20_000,
  /** Tasks of an organization whose codes its actor holds digests of; beyond that an unknown given code is asked for. */
  codeBookCodes: 1_000_000,
  /** Idempotency keys of which it does: a million a day, as each is held for up to two. */
  keyBookKeys: 2_000_000,
  /** How long it holds a key at least: an hour longer than keys are honoured. */
  keyBookMs: 90_000_000,
  /** UTF-16 units of the answers to reads of tasks that one process keeps: some 30,000 usual tasks. */
  shownTaskChars: 64 * 1_048_576,
} as const;
