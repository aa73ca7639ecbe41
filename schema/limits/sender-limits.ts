/** The bounds of pushes and mails on their way out, and of the texts in them; part of LIMITS. */
export const SENDER_LIMITS = {
  /** From the request to the end of the answer. */
  pushTimeoutMs: 10_000,
  /** Bytes of an answer that are read at most. */
  pushAnswerBytes: 16_384,
  pushAnswerHeadBytes: 16_384,
  /** Characters of an answer that are kept as the reason of an outcome. */
  pushReasonChars: 200,
  /** To one service; what is over it waits for one of them. */
  pushConnectionsPerOrigin: 16,
  /** Services connected to at a time, idle connections included: anybody may name one, and the others wait. */
  pushOrigins: 512,
  /** An idle connection is kept for this long. */
  pushKeepAliveMs: 4_000,
  /** The longest pause that a service may ask for. */
  pushRetryAfterMs: 3_600_000,
  /** A browser's endpoint; the longest known have 600 characters. */
  pushEndpointChars: 2_048,
  /** An encrypted push less its head, padding and tag: what each push service takes (RFC 8030 §7.2, RFC 8291 §4). */
  webPushBytes: 4_096 - 103,
  /** Neither Web Push nor FCM keeps a push for longer. */
  pushTtlSeconds: 28 * 86_400,
  /** Before it runs out an access token is used no more; FCM's are good for an hour. */
  fcmTokenMarginMs: 60_000,
  /** The pause when FCM's quota is used up and it does not say until when. */
  fcmQuotaPauseMs: 60_000,

  /** The length of a push on a lock screen. */
  pushTitleChars: 80,
  pushBodyChars: 240,
  /** A subject with its placeholders filled. */
  mailSubjectChars: 150,
  /** An organization's own introduction, before its placeholders are filled. */
  mailIntroductionChars: 2_000,
  /** A name, a code or an address in a mail. */
  mailValueChars: 200,
} as const;
