/** The bounds of commands between processes; part of LIMITS. */
export const OWNER_LIMITS = {
  /** A proposal with as many offers, and as many tasks that found nobody, as it may hold. */
  ownerCommandBytes: 1_048_576,
  /** Bodies of such commands that a gateway receives at a time, and commands that it has not answered; past both 503. */
  ownerBufferedBytes: 16 * 1_048_576,
  ownerCommandsTaken: 1_000,
  /** Commands of one process that wait for their answers; past it they are refused. */
  ownerCommandsAtOnce: 256,
  ownerConnections: 8,
  ownerConnectMs: 2_000,
  /** Less than the owner's own patience with a request, so that it is the one who gives up first. */
  ownerAnswerMs: 10_000,
  /** Less than idleConnectionMs: a connection is given up here before it is closed there. */
  ownerKeepAliveMs: 8_000,
  /** The positions of 400,000 agents. */
  ownerAnswerBytes: 16 * 1_048_576,
} as const;
