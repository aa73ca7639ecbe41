import type { DeliveryStore, EndpointOutcomes } from '../../engine/store/webhooks/delivery-store.ts';
import type { EndpointKey } from '../../engine/store/webhooks/follower-store.ts';
import { LIMITS } from '../../schema/limits.ts';

interface Pending {
  outcomes: EndpointOutcomes;
  readonly waiting: { readonly resolve: (isHeld: boolean) => void; readonly reject: (error: unknown) => void }[];
}

/**
 * Writes the outcomes of attempts, of all endpoints of the process together: while one statement is in flight, the next
 * one gathers. One at a time, so that two can never wait for each other's rows.
 */
export class OutcomeWriter {
  readonly #record: (outcomes: readonly EndpointOutcomes[]) => Promise<EndpointKey[]>;
  readonly #pending = new Map<string, Pending>();
  #isWriting = false;

  constructor(store: Pick<DeliveryStore, 'record'>, lease: string) {
    this.#record = (outcomes) => store.record(outcomes, lease);
  }

  /**
   * Resolves to whether it is written: false when another process has taken the endpoint over. Rejects when it is not
   * known whether it is. Bounded by what endpoints may leave unrecorded.
   */
  add(outcomes: EndpointOutcomes): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const key = keyOf(outcomes);
      const pending = this.#pending.get(key);
      if (pending) pending.outcomes = merged(pending.outcomes, outcomes);
      const { waiting } = pending ?? this.#begin(key, outcomes);
      waiting.push({ resolve, reject });
      if (!this.#isWriting) void this.#write();
    });
  }

  #begin(key: string, outcomes: EndpointOutcomes): Pending {
    const pending: Pending = { outcomes, waiting: [] };
    this.#pending.set(key, pending);
    return pending;
  }

  /** Never rejects: every waiting caller gets the result. */
  async #write(): Promise<void> {
    this.#isWriting = true;
    while (this.#pending.size > 0) {
      const group = [...this.#pending].slice(0, LIMITS.webhooksPerWrite);
      for (const [key] of group) this.#pending.delete(key);
      try {
        const held = new Set((await this.#record(group.map(([, { outcomes }]) => outcomes))).map(keyOf));
        for (const [key, { waiting }] of group) for (const { resolve } of waiting) resolve(held.has(key));
      } catch (error) {
        for (const [key, pending] of group) this.#refuse(key, pending, error);
      }
    }
    this.#isWriting = false;
  }

  /** Waiting outcomes go with it: written alone, it would move the endpoint's position past unwritten ones. */
  #refuse(key: string, { waiting }: Pending, error: unknown): void {
    const behind = this.#pending.get(key)?.waiting ?? [];
    this.#pending.delete(key);
    for (const { reject } of [...waiting, ...behind]) reject(error);
  }
}

function keyOf({ organizationId, webhookId }: EndpointKey): string {
  return `${organizationId}-${webhookId}`;
}

function merged(before: EndpointOutcomes, after: EndpointOutcomes): EndpointOutcomes {
  return {
    ...after,
    lastSequence: Math.max(before.lastSequence, after.lastSequence),
    first: [...before.first, ...after.first],
    further: [...before.further, ...after.further],
    disabled: before.disabled ?? after.disabled,
  };
}
