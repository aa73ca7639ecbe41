/** The bounds of what has to do with where agents are: the part of LIMITS, through which they are read. */
export const POSITION_LIMITS = {
  // --- Positions of agents ------------------------------------------------------------------------------
  /** Points in one request of an agent, and of a device gateway. */
  pointsOfOneAgent: 100,
  pointsOfDeviceGateway: 1_000,
  /** A point recorded later than this from now is refused. */
  pointFutureMs: 60_000,
  /** Points of one agent; those past it are refused. The burst is what a device collects while it is offline. */
  pointsPerAgentPerSecond: 200,
  pointBurst: 2_000,
  /** The longer side of a stream's box has so many cells of a grid at most: more cost more pieces, fewer more bytes. */
  gridCellsPerSide: 8,
  /** The finest grid: cells of 38 m from west to east, and half of that from south to north. */
  finestGridLevel: 20,
  positionStaleMs: 300_000,
  /** How often positions are handed to streams and to Redis, and how soon again after a time that was late. */
  positionTickMs: 1_000,
  leastPositionTickMs: 900,
  /** Positions handed to Redis before other work gets its turn: milliseconds. */
  positionsPerStep: 500,
  /** Positions encoded for streams between two looks at the clock. */
  positionsEncodedPerStep: 100,
  /** Bytes of a message that streams share with those of other boxes; fewer are copied, since each piece is a system call. */
  leastSharedBytes: 4_096,
  /** An organization nobody asks about leaves memory; its positions stay in Redis for so long. */
  positionsIdleMs: 3_600_000,
  positionsKeptMs: 7 * 86_400_000,
  /** An agent that is not known is looked up again after this long: somebody may have made it. */
  rosterRefreshMs: 5_000,
  /** How long points are taken with remembered credentials while nothing can be heard about them. */
  ingestGraceMs: 60_000,
  /** How long such points wait for an answer after all: less than the time between two points of an agent. */
  ingestPatienceMs: 250,

  // --- Trails of agents ---------------------------------------------------------------------------------
  trailRetentionDays: 30,
  /** A point recorded longer ago than this is not kept: its partition may be gone, or never have been. */
  trailPastMs: 2 * 86_400_000,
  /** How often points are written, and how many are reason to write at once; both are the points of one COPY at most. */
  trailFlushMs: 1_000,
  trailFlushPoints: 10_000,
  /** Points in memory while Postgres is away: 57 MB at most. Past it the oldest are lost, a COPY's worth at a time. */
  trailBufferPoints: 500_000,
  /** Bytes of a COPY handed to the connection at a time. */
  trailSliceBytes: 131_072,
  trailConnections: 1,
  /** Postgres ends a COPY that takes this long; we give it up a little later. */
  trailStatementMs: 5_000,
  trailDeadlineMs: 8_000,
  trailFirstPauseMs: 100,
  trailLongestPauseMs: 5_000,
  /** Points that have waited this long may be of an organization that was deleted meanwhile. */
  trailStaleMs: 15_000,
  /** The time in which an ending process still writes. */
  trailStopMs: 2_000,
  trailPageSize: 1_000,
  defaultTrailPageSize: 500,
  trailSpanDays: 31,

  // --- Arrival ------------------------------------------------------------------------------------------
  /** Near a place: the court, the car park and the other side of the street belong to it. */
  arrivalRadiusM: 75,
  /** Away from it again only past this: twice as far, so that jitter at the edge is neither. */
  arrivalLeaveRadiusM: 150,
  /** A less accurate point says nothing about arrivals and ETAs. */
  arrivalAccuracyM: 100,
  /** The accuracy of a point that does not tell its own: what telephones reach between houses. */
  arrivalAssumedAccuracyM: 20,
  /** An agent that stays for this long within so many metres has arrived: less than 11 km/h, on foot or parking. */
  arrivalDwellMs: 10_000,
  arrivalStayM: 30,
  /** Slower than walking: it stands. */
  arrivalStandingMetersPerSecond: 1,
  /** An ETA is sent again when it moves by more than this. */
  etaChangeMs: 60_000,
  /** The ETAs of one agent are worked out at most so often. */
  etaIntervalMs: 10_000,
  /** Arrivals and ETAs on their way to actors, of one process; so few that requests need not wait for them. */
  arrivalCommands: 200,
  /** Arrivals that their actors have not accepted yet; past it they are found again with the next point. */
  untoldArrivals: 10_000,
  /** Between two attempts to send one, and for how long. */
  arrivalRetryMs: 1_000,
  arrivalPatienceMs: 600_000,
} as const;
