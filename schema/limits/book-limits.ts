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
  /** The share of the heap for live tasks, and bytes of it for one with everything that is kept of it: some 200,000 in a usual heap of 4 GB. */
  tasksShareOfHeap: 1 / 8,
  liveTaskBytes: 2_560,
  /** How often the live tasks of all organizations are counted. */
  liveTasksCountedMs: 1_000,
  /** The share of the heap for the answers to reads of tasks, whose letters take a byte each. */
  shownTasksShareOfHeap: 1 / 16,
  /** The share of the heap for the JSON of tasks that pages have shown, and bytes of it for one beside its text. */
  listedTasksShareOfHeap: 1 / 32,
  listedTaskBytes: 640,
  /** Kinds of lists whose share of kept texts is known, of all organizations together. */
  repeatRates: 4_096,
  /** A page looks for kept texts first where its kind of list had such a share of them: with fewer, it costs more than it saves. */
  leastRepeatRate: 0.4,
  /** Answers and texts of tasks that nobody asks for leave memory after once or twice this time. */
  unusedTextsMs: 120_000,
  /** How often some of the answers have their turn to leave. */
  answersSweptMs: 1_000,
  /** Answers passed over, because they were used, while room is made for one: finding it takes no time then. */
  answersSpared: 64,
  /** Records that leave memory at once, at most. */
  evictedAtOnce: 4_000,
} as const;
