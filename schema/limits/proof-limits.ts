/** The bounds of receipts and of proofs of delivery; part of LIMITS. */
export const PROOF_LIMITS = {
  /** Documents of receipts being made by one process at a time. */
  receiptDocumentsAtOnce: 2,
  /** Documents of receipts waiting to be drawn, in all and of one organization, and for how long: then 503. */
  receiptDocumentsWaiting: 200,
  receiptDocumentsWaitingOfOne: 20,
  receiptPatienceMs: 5_000,
  /** UTF-16 units of the tasks in one document; a single task may have more, up to what a job holds. */
  receiptDocumentChars: 4 * 1_048_576,
  /** Characters of a photo or a signature as a data URL (docs/contract.md §3). */
  proofChars: 524_288,
  proofsPerTask: 20,
  /** Wrong PINs of a task; a guess finds the right one once in 2,000 times. */
  wrongPins: 5,
  /** Proofs that one process writes at a time, each on a connection of its own, and those that wait: then 503. */
  proofConnections: 2,
  proofQueue: 64,
  proofQueuePerOrganization: 32,
  /** How long a browser may show a file again without asking whether its user still may see it. */
  proofFileCacheSeconds: 300,
} as const;
