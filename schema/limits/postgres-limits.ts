/** Connections of a gateway to Postgres, by what they do, and how long a read may take. */
export const POSTGRES_LIMITS = {
  /** Of the engine: the event log, long lists and positions. */
  readConnections: 4,
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
  clockSkewMs: 2_000,
} as const;
