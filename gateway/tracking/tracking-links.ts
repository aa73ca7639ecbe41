import { findTrackingToken } from '../../engine/domain/tasks/tracking-token.ts';
import { refusal } from '../../schema/errors.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { TrackingToken } from '../../schema/tasks/tracking.ts';
import { RefusalError } from '../refusal-error.ts';

/** Asks Postgres; see isLinked. */
export type IsLinked = (token: TrackingToken) => Promise<boolean>;

/**
 * The task of a link, from memory once it has been found: a task keeps its token. An unknown link is looked up again,
 * within a bound: a guessed token is practically never a valid one, and wakes no actor.
 */
export class TrackingLinks {
  readonly #isLinked: IsLinked;
  /** The longest unused first. */
  readonly #known = new Map<string, TrackingToken>();
  readonly #asked = new Map<string, Promise<TrackingToken | undefined>>();

  constructor(isLinked: IsLinked) {
    this.#isLinked = isLinked;
  }

  /** Rejects with a RefusalError past the bound, and when Postgres cannot be asked. */
  async find(text: string | undefined): Promise<TrackingToken | undefined> {
    const token = findTrackingToken(text);
    if (!token) return undefined;
    const known = this.#known.get(text!);
    if (!known) return this.#asked.get(text!) ?? this.#ask(text!, token);
    this.#known.delete(text!);
    this.#known.set(text!, known);
    return known;
  }

  async #ask(text: string, token: TrackingToken): Promise<TrackingToken | undefined> {
    if (this.#asked.size >= LIMITS.trackingLookups) throw new RefusalError(refusal('OVERLOADED'));
    const asking = this.#isLinked(token)
      .then((isLinked) => (isLinked ? token : undefined))
      .finally(() => this.#asked.delete(text));
    this.#asked.set(text, asking);
    const found = await asking;
    if (found) this.#keep(text, found);
    return found;
  }

  #keep(text: string, found: TrackingToken): void {
    const [oldest] = this.#known.size >= LIMITS.trackingLinks ? this.#known.keys() : [];
    if (oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(text, found);
  }
}
