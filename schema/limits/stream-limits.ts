/** The bounds of event streams, and of what they resume from; part of LIMITS. */
export const STREAM_LIMITS = {
  /** The longest interval of heartbeats; `HEARTBEAT_MS` shortens it. */
  heartbeatMs: 15_000,
  /** A client that hears nothing for two heartbeats and this, opens its stream again. */
  streamSilenceMarginMs: 5_000,
  /** Undelivered bytes of one stream; past it the stream is cut and resumes by Last-Event-ID. */
  streamQueueBytes: 262_144,
  /** A stream that takes no byte for this long is cut. */
  streamStallMs: 5_000,
  /** A stream that has not taken a piece which others share by then is cut, however it trickles: the piece stays with it. */
  sharedPieceMs: 15_000,
  /** Past these 503 and 429: of one process, and of each organization, channel and user in it. */
  streamsPerProcess: 20_000,
  streamsPerOrganization: 10_000,
  streamsPerChannel: 5_000,
  streamsPerUser: 100,
  /** Retry-After of such a 429: the caller has to close a stream first. */
  streamRefusedSeconds: 5,
  /** A one-use credential for a stream. */
  streamTokenMs: 60_000,
  /** While events keep coming they are handed to streams together: no sooner than this after the last time. */
  streamTickMs: 10,
  /** Handing over may take long, and as long is then left for other work; but never more than this. */
  longestStreamTickMs: 100,
  /** Events handed to streams together hold so many UTF-16 units: at most 3 bytes each, and well below streamQueueBytes as a rule. */
  streamBatchChars: 131_072,
  /** The share of a turn of the loop, one each for live streams, for those that catch up, and for positions; other work gets the rest. */
  streamTurnMs: 5,
  /** Recent events kept for resuming without a query, of one organization and in bytes of all together. */
  recentEventsPerOrganization: 1_000,
  recentEventBytesPerOrganization: 4 * 1_048_576,
  recentEventBytes: 256 * 1_048_576,
  /** How long they are kept after the last stream left, and of how many organizations: streams come back together. */
  feedLingerMs: 60_000,
  lingeringFeeds: 1_000,
  /** Events read from the log in one query while a stream catches up. */
  catchUpEvents: 500,
  /** Bytes of bodies from which on a page of the log ends early, for every reader. */
  logReadBytes: 16 * 1_048_576,
  /**
   * A search of the log for some types: the events that one statement looks through, how long it goes on, and how many
   * that found nothing yet are remembered.
   */
  logSearchWindow: 20_000,
  logSearchMs: 5_000,
  logSearches: 1_000,
  /** Full pages of the log kept for others who catch up, each of so many bytes at most. */
  logPages: 16,
  logPageBytes: 4 * 1_048_576,
  logPageKeptMs: 5_000,
  /** UTF-16 units handed to a stream that catches up, which it has to take before it is given more. */
  catchUpPieceChars: 65_536,
  /** Such a piece ends at a multiple of this, so that streams that resume from about the same place come to share them. */
  catchUpPieceEvents: 50,
  /** Encoded pieces kept for others who catch up, of all organizations together. */
  sharedPieceBytes: 16 * 1_048_576,
  /** When a stream that is sent elsewhere shall come back: drawn between these, so that not all come at once. */
  firstReconnectMs: 500,
  lastReconnectMs: 3_000,
  /** Newest events of an organization kept in Redis while another process streams them: 8 Mi UTF-16 units at most. */
  eventTailEvents: 512,
  eventTailChars: 16_384,
  eventTailMs: 60_000,
  /** A tail that could not be read is not asked for again before that. */
  eventTailRetryMs: 1_000,
  /** UTF-16 units of events waiting to go to Redis; what is over it others read from the log. */
  eventBusChars: 8 * 1_048_576,
  /** A process announces the organizations whose events it wants once a second; each announcement holds this long. */
  announcementMs: 3_000,
  announcedOrganizations: 100_000,
  organizationsPerAnnouncement: 1_000,
  /** How often a process compares what its streams have seen with Postgres. */
  headCheckMs: 1_000,
  /** Bytes written to one response in one cork: larger ones are not safe with this HTTP library. */
  corkBytes: 15_000,
} as const;
