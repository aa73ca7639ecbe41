/** Connections of a gateway to Postgres, by what they do, and how long a read may take. */
export const POSTGRES_LIMITS = {
  /** For what streams and positions read in little time. */
  readConnections: 3,
  /** For callers that read the log, in turn: what they look for may be rare. */
  logConnections: 2,
  logQueue: 1_024,
  logQueuePerOrganization: 256,
  /** For lists of tasks that may take long, in all and of one organization: others find a free one. */
  listConnections: 3,
  listConnectionsPerOrganization: 2,
  listQueue: 1_024,
  listQueuePerOrganization: 256,
  /** For the records and lists that routes read. */
  recordReadConnections: 4,
  recordReadQueue: 4_096,
  recordReadQueuePerOrganization: 1_024,
  /** For pages of tasks: much more than cores would only make each other wait. */
  pageConnections: 3,
  actorConnections: 2,
  leaseConnections: 2,
  credentialConnections: 2,
  readDeadlineMs: 10_000,
  /** A statement that may run twice is sent so often when connections get lost; after the n-th time it waits n pauses. */
  statementAttempts: 4,
  statementPauseMs: 25,
  clockSkewMs: 2_000,
} as const;
