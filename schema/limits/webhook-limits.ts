/** The bounds of webhooks. Source of the schedule and the sizes: docs/contract.md §6. */
export const WEBHOOK_LIMITS = {
  webhooksPerOrganization: 100,
  webhookUrlChars: 2_048,
  /** Types and families that one webhook names. */
  webhookEvents: 50,
  /** Hosts of URLs to be registered that one process looks up at a time. */
  webhookUrlChecks: 16,
  /** First attempts of one webhook under way at a time, at most. */
  webhookConcurrency: 16,
  /** The time to start using a rotated secret. */
  previousSecretMs: 24 * 3_600_000,
  /** A rotation that is repeated so soon, after a lost answer or a double click, replaces a secret that nobody uses yet. */
  rotationRepeatedMs: 10 * 60_000,
  /** Webhooks whose secrets one statement encrypts. */
  secretsPerStatement: 500,
  /** From the request to the end of the answer. */
  webhookTimeoutMs: 15_000,
  /** Bytes of an answer that are read at most. */
  webhookAnswerBytes: 65_536,
  /** The head of an answer, and the head of a 1xx before it. */
  webhookAnswerHeadBytes: 16_384,
  /** Characters of an answer that the log of deliveries keeps. */
  webhookExcerptChars: 500,
  /** To one URL; what is over it waits for one of them. */
  webhookConnectionsPerUrl: 256,
  /** In all, idle ones included: no fewer than there can be deliveries under way. */
  webhookConnections: 16_384,
  /** An idle connection is kept for this long: less than common servers do, so that neither side cuts the other off. */
  webhookKeepAliveMs: 4_000,
  /** How long registering waits for DNS; what is not known by then is looked at when connecting. */
  webhookUrlCheckMs: 3_000,
  /** For the first question to a DNS server, twice as long for the next; and how often each is asked. */
  dnsTimeoutMs: 2_000,
  dnsTries: 2,
  /** Addresses of one host that are tried. */
  outboundAddresses: 8,
  /** Until the next of them is tried too: node's own quarter of a second is less than a far continent takes. */
  outboundAttemptMs: 2_000,
  /** TLS sessions kept to be resumed. */
  outboundTlsSessions: 1_000,
  /** Pauses after the first attempt, the second, and so on; after the last a delivery has failed. */
  webhookRetryPausesMs: [
    5_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000, 50_400_000, 72_000_000, 86_400_000,
  ],
  /** A pause is made longer by up to this part of it, so that what failed together is not tried together. */
  webhookRetryJitter: 0.2,
  /** The longest pause that an endpoint may ask for. */
  webhookRetryAfterMs: 86_400_000,
  /** Failures in a row after which an endpoint is left alone for a while. */
  webhookCircuitFailures: 5,
  /** How long it is left alone: doubled with each further failure from the first to the last. */
  webhookFirstPauseMs: 2_000,
  webhookLastPauseMs: 60_000,
  /** Nothing but failures for this long disables. */
  webhookDisableAfterMs: 5 * 86_400_000,
  /** Endpoints that one process serves at a time: an endpoint that hangs holds its place for a timeout. */
  webhooksAtOnce: 1_000,
  /** Events read from the log at a time. */
  webhookPageEvents: 200,
  /** Events looked through for those of wanted types, in one query. */
  webhookWindowEvents: 20_000,
  /** After a store has failed an endpoint is left alone for this long, so that not the same is sent again and again. */
  webhookErrorPauseMs: 5_000,
  /** How long an endpoint that always has something to send keeps its place while others wait for one. */
  webhookTurnMs: 10_000,
  /** Events of one endpoint sent whose outcome is not in Postgres yet: so many may be sent twice after a crash. */
  webhookUnrecorded: 16,
  /** Endpoints whose outcomes are written in one statement. */
  webhooksPerWrite: 64,
  /** One process holds an endpoint for this long, and renews it while it serves it. */
  webhookLeaseMs: 10_000,
  /** Retries due that are taken at a time. */
  webhookDuePage: 50,
  /** Connections to Postgres that a process uses for webhooks. */
  webhookStoreConnections: 6,
  /** How long a process stays with an endpoint that has nothing to send, in case more comes. */
  webhookLingerMs: 200,
  /** A job that has done its work is gone from Redis after this long, and one with its id can be added. */
  webhookJobEndMs: 250,
  /** How often a process reads the work of an endpoint again that it serves without a pause. */
  webhookRefreshMs: 1_000,
  /** Attempts under way when the process stops are given this long. */
  webhookDrainMs: 5_000,
  /** How often administrators get mails about disabled webhooks. */
  webhookNoticeMs: 10_000,
  /** Disabled webhooks of which one run of the job tells. */
  webhookNoticesPerRun: 100,
  /** Orders of one webhook that wait to be carried out. */
  webhookOrders: 20,
  /** The last attempts of a delivery are kept, so many. */
  deliveryAttemptsKept: 20,
  /** Days for which deliveries are kept. */
  deliveryRetentionDays: 30,
  /** A webhook gets positions at most this often; the process looks four times as often. */
  webhookPositionsMs: 20_000,
  /** A position that was received may reach Redis so much later: two ticks. */
  webhookPositionLagMs: 2_000,
  /** Webhooks that one run of the job tells. */
  webhookPositionsPerRun: 1_000,
  /** Agents in one such delivery. */
  webhookPositionItems: 1_000,
} as const;
