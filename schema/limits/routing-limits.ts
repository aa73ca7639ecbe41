/** The bounds of travel times that a routing engine tells: the part of LIMITS, through which they are read. */
export const ROUTING_LIMITS = {
  /** Places on either side of one table: what OSRM (100 × 100) and Valhalla (2,500 pairs) both take as they come. */
  routingBlockPlaces: 50,
  /** Tables of one round, those included that are asked in halves since one of their places is refused. */
  routingTables: 200,
  /** Tables of one round that are under way at a time. */
  routingTablesAtOnce: 4,
  /** Connections to one routing engine: two rounds at once do not wait for each other. */
  routingConnections: 8,
  /** How long a round waits for tables; later ones serve the next round. */
  routingRoundMs: 400,
  /** From the request to the end of the answer. */
  routingTimeoutMs: 2_000,
  /** An answer has 25 kB as a rule; a verbose one has ten times as much. */
  routingAnswerBytes: 2_097_152,
  /** Characters of a routing engine's refusal in the log. */
  routingExcerptChars: 200,
  /** Farther than this, straight, nobody is asked for a way: Valhalla refuses whole tables for one pair of 400 km. */
  routingDistanceM: 150_000,
  /** Longer ways than this are no answer. */
  routingSeconds: 7 * 86_400,
  /** Trips of one round that are asked for; the others are estimated. */
  tripsOfRound: 50_000,
  /** The nearest agents of each order whose way to it is asked for. */
  tripAgents: 20,
  /** The nearest orders of the same pickup place, to which the way from an order is asked for. */
  tripNeighbours: 6,
  /** Trips remembered in a process: some 15 MB. The oldest go first. */
  tripsRemembered: 200_000,
  /** A trip is asked for again after this long: roads close, and some engines know of traffic. */
  tripMemoryMs: 3_600_000,
} as const;
