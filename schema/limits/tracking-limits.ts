/** The bounds of what customers see of their tasks; part of LIMITS. */
export const TRACKING_LIMITS = {
  /** A link shows nothing any more this long after its task has ended. */
  trackingAfterEndMs: 86_400_000,
  /** Links of which a process remembers what they lead to, the longest unused forgotten first. */
  trackingLinks: 100_000,
  trackingConnections: 2,
  /** Links that a process looks for in Postgres at a time; past it 503. */
  trackingLookups: 256,
  ratingCommentChars: 1_000,
  /** The form with a rating, every character of the comment percent-encoded in four bytes, and what stands around it. */
  ratingFormBytes: 16_384,
  /** Pages that stay open: of one link, and of a process. */
  trackingStreamsPerLink: 20,
  trackingStreams: 5_000,
  /** Retry-After of a link that has all of its pages open: somebody has to close one first. */
  trackingRefusedSeconds: 15,
  /** A page gets its changes at most this often. */
  trackingTellMs: 1_000,
} as const;
