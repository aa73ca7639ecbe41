/** The bounds of what starts everything on one machine; part of LIMITS. */
export const LAUNCHER_LIMITS = {
  /** A longer line of a child's output is cut into pieces of this length. */
  logLineChars: 65_536,
  /** Last lines of a child kept for the message about its failure. */
  lastLines: 20,
  /** A store may replay its log after a crash before it answers. */
  storeStartMs: 120_000,
  gatewayStartMs: 60_000,
  /** Draining takes the gateway and the workers up to 10 s; past this they are killed. */
  processStopMs: 12_000,
  /** Between two questions whether a process has come up or gone. */
  processPollMs: 50,
  /** Starts on a port that another process took between looking and listening. */
  portAttempts: 5,
  /** Unexpected ends of one process within a minute; past it everything stops. */
  restartsPerMinute: 5,
  /** The pause before a restart doubles from the first to the last. */
  firstRestartPauseMs: 100,
  lastRestartPauseMs: 5_000,
} as const;
