/** The bounds of sessions, passwords and mailed tokens; part of LIMITS. */
export const SESSION_LIMITS = {
  /** How often a stream looks when its session ends: no timer of Node is longer than 24 days. */
  sessionEndCheckMs: 3_600_000,
  refreshTokenMs: 30 * 86_400_000,
  /**
   * The live sessions of a user; at a login the one that was refreshed longest ago makes room. More than anybody's devices
   * and scripts use at a time, and few enough that they end in one statement, and that every gateway hears of each
   * (accessChangesSeen). A user with more, of an earlier release, loses so many at each login.
   */
  sessionsPerUser: 1_000,
  sessionsEndedByLogin: 100,
  /** How long after its first use a refresh token may come again: the answer was lost, or two tabs sent it at once. */
  refreshGraceMs: 60_000,
  /** The pairs of tokens of one session that are good at a time; the oldest makes room. */
  pairsPerSession: 32,
  verifyTokenMs: 86_400_000,
  resetTokenMs: 3_600_000,
  /** A new user's link to the first password, mailed or handed over. */
  welcomeTokenMs: 86_400_000,
  /** Mailed to a user for one purpose within the window; more mails are not sent. */
  liveTokensPerPurpose: 5,
  liveTokenWindowMs: 3_600_000,
  /** The forms of the account pages, every character of two passwords percent-encoded in four bytes. */
  accountFormBytes: 8_192,
  passwordMinChars: 8,
  passwordMaxChars: 128,
  /** Passwords hashed at a time, those waiting, and of those the ones of one client address. */
  passwordHashes: 2,
  passwordQueue: 64,
  passwordQueuePerAddress: 8,
  /** Failed logins and reset requests a minute, by account and address, and by address alone. */
  loginFailuresPerMinute: 5,
  addressFailuresPerMinute: 60,
  /** So many of each are remembered. */
  throttledLogins: 20_000,
  accountConnections: 2,
  /** Agents whom an operator signs in at a time. */
  agentTokensAtOnce: 10_000,
} as const;
