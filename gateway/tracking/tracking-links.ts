import type { LinkedTask } from '../../engine/store/tracking-store.ts';
import { refusal } from '../../schema/errors.ts';
import { LIMITS } from '../../schema/limits.ts';
import { isTrackingToken } from '../../schema/tracking.ts';
import { RefusalError } from '../refusal-error.ts';

/** Asks Postgres; see findLinkedTask. */
export type FindLinkedTask = (token: string) => Promise<LinkedTask | undefined>;

/**
 * Which task a link is about, from memory once it has been found: a task keeps its token. What is unknown is asked for
 * again, within a bound: a token that is guessed is as good as never another's, and says nothing by the time it takes.
 */
export class TrackingLinks {
  readonly #find: FindLinkedTask;
  /** The longest unused first. */
  readonly #known = new Map<string, LinkedTask>();
  readonly #asked = new Map<string, Promise<LinkedTask | undefined>>();

  constructor(find: FindLinkedTask) {
    this.#find = find;
  }

  /** Rejects with a RefusalError past the bound, and when Postgres cannot be asked. */
  async find(token: string | undefined): Promise<LinkedTask | undefined> {
    if (!isTrackingToken(token)) return undefined;
    const known = this.#known.get(token);
    if (!known) return this.#asked.get(token) ?? this.#ask(token);
    this.#known.delete(token);
    this.#known.set(token, known);
    return known;
  }

  async #ask(token: string): Promise<LinkedTask | undefined> {
    if (this.#asked.size >= LIMITS.trackingLookups) throw new RefusalError(refusal('OVERLOADED'));
    const asking = this.#find(token).finally(() => this.#asked.delete(token));
    this.#asked.set(token, asking);
    const found = await asking;
    if (found) this.#keep(token, found);
    return found;
  }

  #keep(token: string, found: LinkedTask): void {
    const [oldest] = this.#known.size >= LIMITS.trackingLinks ? this.#known.keys() : [];
    if (oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(token, found);
  }
}
