/** The bounds of notices to couriers and customers; part of LIMITS. */
export const NOTIFICATION_LIMITS = {
  // --- Devices ---------------------------------------------------------------------------------------
  /** A token of FCM, or the JSON of a browser's subscription. */
  pushTokenChars: 4_096,
  deviceIdChars: 128,
  /** A user's further device takes the place of the one that was registered longest ago. */
  devicesPerUser: 20,

  // --- Making notices of events -----------------------------------------------------------------------
  /** An older event makes no notice: its recipient has learned of it otherwise. */
  noticeAgeMs: 900_000,
  /** Events read at a time; with their notices they become one statement. */
  noticePageEvents: 200,
  /** Pages of one organization read in a row, so that others get their turn. */
  noticePagesPerTurn: 10,
  /** Organizations whose logs one process reads at a time. */
  noticeFollowsAtOnce: 2,
  /** Commits within it are read together. */
  noticePauseMs: 100,
  noticeConnections: 4,

  // --- Sending them -----------------------------------------------------------------------------------
  /** By one process. Mails take no room of pushes: a mail takes long, and a push is soon of no use. */
  noticePushesAtOnce: 32,
  noticeMailsAtOnce: 16,
  /** Pushes, and as many mails, of one organization in one process: none waits behind another's. */
  noticesPerOrganizationAtOnce: 8,
  noticeSweepMs: 1_000,
  /** Between two looks for notices that are due. */
  noticeLookPauseMs: 20,
  /** A sender is given up on after this long, and what it does then is not known. */
  noticeSendMs: 15_000,
  /** For the answer of a mail server that has a customer's mail: while it is waited for, it takes the room of others. */
  noticeMailAnswerMs: 20_000,
  /** A worker that has not settled a notice by then has died: another one takes it on. */
  noticeLeaseMs: 60_000,
  /** Notices that are being sent when the process stops are given this long. */
  noticeDrainMs: 5_000,
  /** Pauses double from the first to the longest, spread by a quarter either way. */
  noticeFirstPauseMs: 1_000,
  noticeLongestPauseMs: 3_600_000,
  /** A notice that could not be sent by then, or by the end of an offer, is given up. */
  noticePatienceMs: 86_400_000,
  /** The reason that the log keeps. */
  noticeReasonChars: 255,
  /** Days for which the log of notices is kept. */
  noticeRetentionDays: 30,
} as const;
