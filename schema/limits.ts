import { ASSIGNMENT_LIMITS } from './limits/assignment-limits.ts';
import { BOOK_LIMITS } from './limits/book-limits.ts';
import { LAUNCHER_LIMITS } from './limits/launcher-limits.ts';
import { NOTIFICATION_LIMITS } from './limits/notification-limits.ts';
import { OWNER_LIMITS } from './limits/owner-limits.ts';
import { PAYMENT_LIMITS } from './limits/payment-limits.ts';
import { POSITION_LIMITS } from './limits/position-limits.ts';
import { POSTGRES_LIMITS } from './limits/postgres-limits.ts';
import { PROOF_LIMITS } from './limits/proof-limits.ts';
import { ROUTING_LIMITS } from './limits/routing-limits.ts';
import { SENDER_LIMITS } from './limits/sender-limits.ts';
import { SESSION_LIMITS } from './limits/session-limits.ts';
import { STREAM_LIMITS } from './limits/stream-limits.ts';
import { TRACKING_LIMITS } from './limits/tracking-limits.ts';
import { WEBHOOK_LIMITS } from './limits/webhook-limits.ts';

/**
 * The bounds of the system, each with its unit in its name and its reason beside it. A queue, buffer, batch, cache or retry
 * without a line here is a defect. The parts that are imported above have files of their own. How far an algorithm looks is
 * a constant beside the algorithm.
 */
export const LIMITS = {
  // --- Requests -----------------------------------------------------------------------------------
  /** A task with 100 packages and 16 KiB of integration data stays far below it. */
  bodyBytes: 1_048_576,
  /** 500 tasks in one call. */
  batchBodyBytes: 5 * 1_048_576,
  /** Bytes of request bodies being received by one process at a time; past it 503. */
  bufferedBodyBytes: 64 * 1_048_576,
  urlBytes: 4_096,
  /** Names of a query that no parameter has, of which a refusal tells; a number stands for the others. */
  unknownParameters: 100,
  /** A refusal shows this much of a longer name. */
  parameterNameChars: 64,
  headerBytes: 8_192,
  headerCount: 64,
  /** A request without an answer after this long gets 503 and its connection closed. */
  requestDeadlineMs: 15_000,
  /** A kept-alive connection is closed after this many requests, so that load balancers can move it. */
  requestsPerConnection: 10_000,
  /** Requests being answered by one process at a time; past it 503. */
  pendingRequests: 20_000,
  /** A body that nobody asked for is let run out up to here with the connection kept; past it the answer ends that. */
  unreadBodyBytes: 65_536,
  /** A body that is refused is let run out up to here, so that its sender sees why; a larger one is cut off. */
  lingeringBodyBytes: 32 * 1_048_576,
  /** How often deadlines of requests and stalls of streams are looked at: one scan instead of a timer for each. */
  requestScanMs: 500,
  /** A connection without a request for this long is closed (node:http; the native server has 12 s built in). */
  idleConnectionMs: 12_000,
  /** Connections that ask the workers for their metrics, and how long a request may take to come. */
  metricsConnections: 16,
  metricsRequestMs: 5_000,
  /** Between two looks of a process at what waits in Postgres, and organizations whose oldest event is looked at. */
  backlogLookMs: 5_000,
  backlogOrganizations: 100,

  // --- Fields (docs/contract.md §1) ---------------------------------------------------------------------
  shortTextChars: 255,
  emailChars: 254,
  longTextChars: 10_000,
  listItems: 100,
  batchTasks: 500,
  /** Tasks that one action names; and with the children of jobs, which go into the same commit and the same answer. */
  actionTasks: 500,
  actionFamilies: 1_000,
  /** Texts and integration data of all these, which every event and the answer repeat: a commit of some seconds at most. */
  actionTextChars: 16 * 1_048_576,
  /** The same of packages that move, tasks that they leave and jobs that get a child, in a create or a batch: no body bounds it. */
  batchTextChars: 16 * 1_048_576,
  /** Notes and descriptions of a whole job with its packages: each change sends all this text again. */
  familyTextChars: 2_097_152,
  /** A task holds them in memory and shows them all. */
  packagesPerTask: 500,
  /** Children of one job; with their parent they stay in memory together. */
  jobChildren: 100,
  integrationDataBytes: 16_384,
  idempotencyKeyChars: 255,
  amountMajorUnits: 99_999_999.99,
  estimatedDurationMinutes: 525_600,
  /** The last moment that a timestamp of the API can show. */
  latestTimeMs: 253_402_300_799_999,
  pageSize: 100,
  defaultPageSize: 20,
  eventsPageSize: 1_000,
  defaultEventsPageSize: 100,

  /** Parsed phone numbers kept by one process. */
  phoneCacheEntries: 10_000,
  /** Time zones whose formatters a process keeps; there are some 600 names. */
  timeZonesKept: 1_000,

  // --- The actor ------------------------------------------------------------------------------------
  /** Commands of one organization waiting for records or for their decision; past it 503. */
  mailboxCommands: 5_000,
  /** Commands of one organization decided but not yet durable; past it 503. */
  undurableCommands: 10_000,
  /** Live task records that any organization may keep; past it the least recently touched durable ones leave where the process is full. */
  liveTasksPerOrganization: 20_000,
  /** Customers of one organization beside those of its live tasks. */
  liveCustomersPerOrganization: 20_000,
  liveAgentsPerOrganization: 20_000,
  /** An actor without a command for this long leaves memory. */
  passivateAfterMs: 300_000,
  /** Organizations being loaded by one process at a time. */
  concurrentLoads: 16,
  /** Live actors of one process; past it the longest unused tenth leaves memory, of those that are idle. */
  liveActors: 10_000,
  /** Timers of one organization handled in one wake-up. */
  deadlinesPerWake: 500,
  deadlineScanMs: 1_000,
  /** Records fetched for waiting commands in one query. */
  commandsPerFetch: 512,
  fetchDeadlineMs: 5_000,
  /** In a row, for money that comes back to a payment: the payment, its task, each later attempt, what is paid for the last. */
  attemptFetches: 20,

  // --- Group commit (ARCHITECTURE.md "Ownership and commit") --------------------------------------------------------------
  groupBytes: 4 * 1_048_576,
  groupRows: 5_000,
  /** One organization's share of a group: a quarter, so that no tenant sets everybody's latency. */
  batchBytes: 1_048_576,
  batchRows: 1_250,
  /** A group with a full batch goes behind another one; a third would only wait. */
  groupsOnTheirWay: 2,
  /** Our own patience with a commit; past it the outcome counts as unknown. */
  commitDeadlineMs: 4_000,
  /** Finding the outcome of a commit with unknown outcome; past it 503 OUTCOME_UNKNOWN. */
  settleDeadlineMs: 5_000,
  /** A step of that is taken again when no answer has come by then. */
  settleStepMs: 1_500,
  /** Between two such attempts. */
  settlePauseMs: 100,
  /** Groups for which an organization whose rows were refused commits alone. */
  quarantineGroups: 64,
  /** Hints gather for this long before they leave: a burst of commits becomes one message. */
  hintGatherMs: 20,
  idBlock: 1_000,
  /** Organizations that belong to a process are spread over this many shards. */
  shards: 256,

  // --- Idempotency ----------------------------------------------------------------------------------
  idempotencyRetentionMs: 86_400_000,
  /** Path and query that stand beside a key as they are; longer ones by their digest. */
  idempotencyTargetChars: 512,
  /** Recent keys of one organization answered from memory, by number and by the length of all answers; older ones are fetched. */
  keptAnswersInMemory: 1_000,
  keptAnswerCharsInMemory: 8 * 1_048_576,

  // --- Lists ----------------------------------------------------------------------------------------
  /** `integrationData.<key>` parameters of one query. */
  integrationDataFilters: 10,
  /** A filter with so few matches is listed by reading each of them; no other way is quicker. */
  tasksGatheredAtOnce: 200,
  /** The same where the way around it is to walk along an order that the filter has no part in. */
  tasksGatheredInsteadOfWalk: 5_000,
  /** The tasks of an agent are counted again for each page up to here: 0.1 µs a task, along an index. */
  tasksCountedAtOnce: 5_000,
  /** Open tasks of one organization whose changing keys stand in no index, so that a step writes none: lists read each, in a microsecond. */
  movingTasks: 500,
  /** Open tasks up to which new ones are among them: the other places are left to tasks that step, however many wait. */
  movingNewTasks: 250,
  /** Tasks looked at while walking, at most; when too few of them match, the list is found in another way. */
  walkedTasks: 4_000,
  /** The same before the first unassigned tasks are looked up by their index: about as long as that takes. */
  tasksWalkedForUnassigned: 400,
  /** How deep into a list a walk may lead. */
  walkedPageEnd: 1_000,
  /** Organizations whose filters have counts that are kept exact in one process; the least recently asked leave. */
  filterCountOrganizations: 200,
  /** Every change of the organization is compared with each: 0.1 µs. */
  filterCountsPerOrganization: 64,
  /** Changes of one organization that wait for its counts; past it the counts absorb the older half. */
  filterCountChanges: 1_000,
  /** A count that was kept exact so often without being asked for is forgotten. */
  filterCountIdleFolds: 20,
  /** How long a list waits for a commit that Postgres shows already; past it the tasks are counted again. */
  filterCountWaitMs: 100,
  /** JSON of all tasks of one page of a list: more is refused, and asked for in smaller pages. */
  listPageChars: 32 * 1_048_576,
  /** Exports that one process streams at a time, each on a connection of its own; past it 503. */
  exports: 4,
  /** One organization's share, so that its slow clients leave some to the others. */
  exportsPerOrganization: 2,
  /** Postgres ends an export that takes longer; a client that stops reading is cut long before. */
  exportDeadlineMs: 1_800_000,
  /** Tasks of an export read, encoded and handed to the connection in one go. */
  exportBatchTasks: 100,
  /** UTF-16 units handed to the connection at a time: at most 3 bytes each, well below streamQueueBytes. */
  exportPieceChars: 32_768,
  /** How often an export looks whether a connection that was full takes more. */
  exportPollMs: 5,

  // --- The map file of the console ----------------------------------------------------------------------
  /** Bytes of the file in one answer: tiles and their directories have hundreds of kilobytes at most. */
  mapAnswerBytes: 16 * 1_048_576,
  /** Read at a time, once the connection has taken the piece before. */
  mapPieceBytes: 65_536,
  /** Answers under way in one process; past it 503. */
  mapAnswersAtOnce: 256,
  /** An answer that its client has not taken by then is cut off, however it trickles. */
  mapAnswerMs: 60_000,

  // --- Credentials ----------------------------------------------------------------------------------
  credentialCacheEntries: 50_000,
  /** An entry that nobody used for this long is forgotten. */
  credentialIdleMs: 60_000,
  /** How often a process asks what has changed of what access rests on. */
  accessPollMs: 250,
  /** From the start of the last good poll: how long cached credentials may be used. */
  credentialValidMs: 1_000,
  /** The caller of a body that takes longer is looked up once more when it is there: a slow one must not outlive a revocation. */
  lateBodyMs: 20,
  /** Added to the wait of a revocation for other processes' caches to run out. */
  accessSettleMarginMs: 50,
  /** Our patience with a poll: a later answer could not prolong anything. */
  accessDeadlineMs: 1_000,
  /** Hints gather for this long before they lead to a poll. */
  accessHintMs: 20,
  /** Changes are kept for twice this long; a process that has not polled since looks everything up again. */
  accessCursorMs: 1_800_000,
  /** New changes that one poll reads; past it everything is looked up again. */
  accessChangesSeen: 10_000,
  /** Keys and tokens that stand for nobody, and for how long they are not asked about again. */
  unknownCredentials: 10_000,
  unknownCredentialMs: 5_000,
  /** Look-ups waiting for Postgres; past it 503. */
  credentialLookups: 10_000,
  credentialsPerLookup: 500,
  /** A look-up during which access changed is made again; past this many 503. */
  credentialAttempts: 5,

  // --- Rate limits ------------------------------------------------------------------------------------
  /** Default of channels and users. */
  requestsPerSecond: 500,
  requestBurst: 1_000,
  /** The highest that a channel's own may be set to. */
  channelRequestsPerSecond: 100_000,
  /** A batch of n costs 1 + n / this. */
  batchItemsPerRequest: 50,
  /** Callers whose use is remembered; full buckets are forgotten. */
  rateLimitedCallers: 100_000,
  rateSweepMs: 10_000,
  /** Rates whose texts are kept. */
  ratePolicies: 1_000,
  /** The X-Forwarded-For values of clients, kept for their next request. */
  forwardedAddresses: 10_000,
  /** Verdicts on peers' addresses kept, so that networks are not compared for each request. */
  trustedPeers: 1_000,

  // --- Administration -----------------------------------------------------------------------------------
  administrationConnections: 2,
  /** For lists and the audit log, whose far pages take long. */
  administrationReadConnections: 2,
  /** Changes, and as many reads, that wait for one of these connections, and of those the ones of one organization. */
  administrationQueue: 256,
  administrationQueuePerOrganization: 32,
  /** A change that has waited this long is refused, so that nothing is written long after its request. */
  administrationPatienceMs: 5_000,
  /** For reading what a change rests on, and looking up a host; past it 503, and the change is not begun. */
  administrationDecisionMs: 5_000,
  /** Steps of tasks read at a time to tell how the tasks were made. */
  auditStepsAtOnce: 500,
  /** A record that changes between reading and writing it is read so often; past it 409. */
  administrationAttempts: 4,

  // --- Mail -----------------------------------------------------------------------------------------------
  mailSweepMs: 1_000,
  mailsAtOnce: 4,
  /** To be connected and greeted by a mail server. */
  mailTimeoutMs: 10_000,
  /** Until a mail server has the whole of a mail. */
  mailHandOverMs: 30_000,
  /**
   * For its answer then. Scanners and tarpits take up to a minute or so; RFC 5321 allows them ten, but few mails are under
   * way at a time, and the others would wait for as long.
   */
  mailAnswerMs: 120_000,
  /** A worker that has not sent a mail by then has died: another one takes it on. Longer than both of these together. */
  mailLeaseMs: 180_000,
  mailFirstPauseMs: 5_000,
  mailLongestPauseMs: 600_000,
  /** A mail that could not be sent for this long is given up. */
  mailPatienceMs: 86_400_000,
  /** For all users of one organization together; further mails wait. */
  mailsPerOrganizationPerHour: 500,
  /** Waiting mails of such an organization put off in one statement. */
  mailsHeldBackAtOnce: 5_000,
  /** Files in DATA_DIR/outbox; the oldest go first. */
  outboxFiles: 1_000,

  ...ASSIGNMENT_LIMITS,
  ...BOOK_LIMITS,
  ...LAUNCHER_LIMITS,
  ...NOTIFICATION_LIMITS,
  ...OWNER_LIMITS,
  ...PAYMENT_LIMITS,
  ...POSITION_LIMITS,
  ...POSTGRES_LIMITS,
  ...PROOF_LIMITS,
  ...ROUTING_LIMITS,
  ...SENDER_LIMITS,
  ...SESSION_LIMITS,
  ...STREAM_LIMITS,
  ...TRACKING_LIMITS,
  ...WEBHOOK_LIMITS,

  // --- Deletion of organizations ------------------------------------------------------------------------
  deletionBatchRows: 2_000,
  deletionCheckMs: 2_000,
  /** Organizations that one run of the job looks through. */
  deletionsPerJob: 100,
  /** Between the pass that left nothing and the one that has to find nothing: longer than any straggler lives. */
  deletionSettleMs: 90_000,

  // --- Redis ----------------------------------------------------------------------------------------
  /** A command without an answer fails by then, except of the job queue; and so does a connection. */
  redisCommandMs: 1_000,
  redisConnectMs: 5_000,
  /** The longest pause before the next attempt to connect. */
  redisReconnectMs: 1_000,

  // --- The workers ------------------------------------------------------------------------------------
  /** How often a process that needs a store asks again while it is away. */
  storeRetryMs: 1_000,
  /** How often a gateway and the workers look whether the event logs have got another history. */
  historyLookMs: 1_000,
  /** How often it is looked whether queues can take jobs: two looks in a row without a connection are an outage. */
  queueLookMs: 5_000,
  /** A queue that goes on to have trouble logs it this often. */
  queueTroubleMs: 60_000,
  /** A job is locked for this long; its worker renews the lock twice as often. */
  jobLockMs: 5_000,
  /** One check marks a job whose worker may have died, the next one after its lock ran out lets it run again. */
  stalledJobCheckMs: 2_500,
  /** Deaths of its worker that a job survives: they are the machine's fault far more often than the job's. */
  jobStalls: 1_000,
  /** Running jobs are given this long to finish when the process stops. */
  jobDrainMs: 8_000,
  /** How often a schedule that may have been lost with Redis is looked for. */
  scheduleCheckMs: 5_000,
  /** Workers whose clocks differ by this much leave each other's schedules alone. */
  workerClockSkewMs: 60_000,
  /**
   * How often the relay compares its positions with the heads, for lack of a hint. As long it ignores hints of
   * organizations of which nobody wanted anything.
   */
  relaySweepMs: 1_000,
  /** Organizations that one sweep compares; the next one goes on behind them. */
  organizationsPerSweep: 10_000,
  /** Organizations waiting to be woken; a sweep finds those without room. */
  relayedOrganizations: 20_000,
  /** Jobs added in one exchange with Redis. */
  jobsPerAdd: 500,
  /** Notes that BullMQ keeps of the jobs of a queue, about: nobody reads them. */
  jobNotes: 100,
  /** Hints gather for so long before events are counted: one by one, counting would cost more than what is counted. */
  activityGatherMs: 1_000,
  /** Events counted in one statement. */
  activityPageEvents: 1_000,
  /** Pages counted in one run of a job, so that a busy organization does not keep the others waiting. */
  activityPagesPerJob: 50,
  partitionCheckMs: 3_600_000,
  /** Attempts to make a partition while readers hold the lock of its table, and the pause between two. */
  partitionAttempts: 10,
  partitionPauseMs: 200,
  /** How often new customers and tasks are worked into the search indexes; until then a search reads them one by one. */
  searchIndexMs: 5_000,
  findablesListedAtOnce: 20_000,
  accessUpkeepMs: 3_600_000,
  /** Rows of each kind removed in one statement. */
  upkeepBatchRows: 5_000,
  partitionDaysAhead: 7,
  /** Twice the time for which keys are honoured, since partitions go as a whole. */
  idempotencyPartitionDays: 2,
} as const;
