import { scopedKeyOf } from '../../../schema/fields/idempotency-key.ts';
import type { IdempotencyRecord } from '../../store/actor/actor-store.ts';
import { type Basis, type Live, READ } from './live.ts';
import { RecencyMap } from './recency-map.ts';

export interface KeptBounds {
  readonly keys: number;
  /** The length of all answers together: that of a batch may be a thousand times as long as another. */
  readonly chars: number;
}

/** The answers under the newest Idempotency-Keys of an organization; older ones are fetched. */
export class KeptAnswers {
  readonly #answers = new RecencyMap<string, Live<IdempotencyRecord>>();
  #chars = 0;

  find(scopedKey: string): Live<IdempotencyRecord> | undefined {
    return this.#answers.get(scopedKey);
  }

  put(scopedKey: string, record: IdempotencyRecord, basis: Basis): void {
    this.#forget(scopedKey);
    this.#answers.set(scopedKey, { record, ...basis });
    this.#chars += record.body.length;
  }

  absorb(records: readonly IdempotencyRecord[]): void {
    for (const record of records) {
      const scopedKey = scopedKeyOf(record.scope, record.key);
      if (!this.#answers.has(scopedKey)) this.put(scopedKey, record, READ);
    }
  }

  /** Lets the oldest durable ones go until a fifth below the bounds. */
  evict({ keys, chars }: KeptBounds, durableTicket: number, onGone: (scopedKey: string) => void): void {
    if (this.#answers.size <= keys && this.#chars <= chars) return;
    for (const [scopedKey, { ticket }] of this.#answers.entries()) {
      if (this.#answers.size <= keys * 0.8 && this.#chars <= chars * 0.8) return;
      if (ticket > durableTicket) continue;
      this.#forget(scopedKey);
      onGone(scopedKey);
    }
  }

  #forget(scopedKey: string): void {
    this.#chars -= this.#answers.get(scopedKey)?.record.body.length ?? 0;
    this.#answers.delete(scopedKey);
  }
}
