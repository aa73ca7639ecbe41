/** The streams of a process since its start. */
export interface StreamCounts {
  opened: number;
  /** Streams that went on where their client had left off. */
  resumed: number;
  /** Resynchronizations by their reason: the client's place was not to be had. */
  readonly resynced: Record<ResyncReason, number>;
  /** Streams that were cut off because their client took too little for too long. */
  cutOff: number;
}

/** Why a stream goes on from another place than it was asked to; told in `stream.resync`. */
export type ResyncReason = 'history_changed' | 'position_unknown' | 'events_expired';

export function noStreams(): StreamCounts {
  const resynced = { history_changed: 0, position_unknown: 0, events_expired: 0 };
  return { opened: 0, resumed: 0, resynced, cutOff: 0 };
}
