import type { SharedEvent } from '../../engine/org/feed/shared-event.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { EventFilter } from './event-filter.ts';

/** Events of the log that are handed over together, encoded: those that a filter wants of all up to a sequence. */
export interface Piece {
  readonly upTo: number;
  /** Undefined when none is wanted. */
  readonly bytes: Buffer | undefined;
}

/**
 * Pieces of the log that streams were given lately: those that resume from the same place share the bytes, and one that
 * begins elsewhere joins them after its first piece, since pieces end at fixed places.
 */
export class SharedPieces {
  /** Oldest first. */
  readonly #pieces = new Map<string, Piece>();
  #bytes = 0;

  find(key: string): Piece | undefined {
    return this.#pieces.get(key);
  }

  keep(key: string, piece: Piece): void {
    this.#pieces.set(key, piece);
    this.#bytes += costOf(piece);
    for (const [oldest, { bytes }] of this.#pieces) {
      if (this.#bytes <= LIMITS.sharedPieceBytes) return;
      this.#pieces.delete(oldest);
      this.#bytes -= costOf({ bytes });
    }
  }
}

/** An empty piece takes room too. */
function costOf({ bytes }: Pick<Piece, 'bytes'>): number {
  return 200 + (bytes?.length ?? 0);
}

/** The piece that begins with the event at a place, which is not beyond `last`. */
export function cutPiece(filter: EventFilter, events: readonly SharedEvent[], at: number, last: number): Piece {
  let text = '';
  let upTo = 0;
  for (const shared of events.slice(at, at + LIMITS.catchUpPieceEvents)) {
    if (shared.sequence > last) break;
    if (filter.wants(shared)) text += filter.frameOf(shared);
    upTo = shared.sequence;
    if (text.length >= LIMITS.catchUpPieceChars || upTo % LIMITS.catchUpPieceEvents === 0) break;
  }
  return { upTo, bytes: text === '' ? undefined : Buffer.from(text) };
}
