import type { Scheduler } from '../../engine/runtime/clock.ts';
import type { Credential, CredentialStore } from '../../engine/store/access/credential-store.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { AccessFeed } from './access-feed.ts';
import { ChangedSubjects } from './changed-subjects.ts';

/** A look-up that was not made, or led to nothing, for reasons that will pass. */
export class LookupRefused extends Error {}

export interface LookupOptions {
  readonly store: Pick<CredentialStore, 'findCredentials'>;
  readonly feed: Pick<AccessFeed, 'onChanges'>;
  readonly scheduler: Scheduler;
  /** Told what each hash stands for, in the turn in which that is known to be so. */
  readonly keep: (hash: string, credential: Credential | undefined) => void;
}

interface Lookup {
  readonly promise: Promise<Credential | undefined>;
  readonly resolve: (credential: Credential | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Questions to Postgres about credentials: they gather for a turn of the loop and travel many in a query. A question
 * that is on its way is never joined: its answer may be from before something that the newcomer has to see.
 */
export class CredentialLookups {
  readonly #options: LookupOptions;
  #waiting = new Map<string, Lookup>();
  /** The changes that came since it began, for each query under way. */
  readonly #overtaking = new Set<ChangedSubjects[]>();
  #running = 0;
  #isScheduled = false;

  constructor(options: LookupOptions) {
    this.#options = options;
    options.feed.onChanges((changes) => {
      const changed = new ChangedSubjects(changes);
      for (const heard of this.#overtaking) heard.push(changed);
    });
  }

  /** Rejects when Postgres cannot be asked, and at once when too many wait for it. */
  find(hash: string): Promise<Credential | undefined> {
    const joined = this.#waiting.get(hash);
    if (joined) return joined.promise;
    if (this.#waiting.size >= LIMITS.credentialLookups)
      return Promise.reject(new LookupRefused('too many look-ups of credentials wait'));
    const lookup = openLookup();
    this.#waiting.set(hash, lookup);
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      this.#options.scheduler.soon(() => {
        this.#isScheduled = false;
        this.#send();
      });
    }
    return lookup.promise;
  }

  #send(): void {
    while (this.#waiting.size > 0 && this.#running < LIMITS.credentialConnections) {
      this.#running += 1;
      void this.#ask(this.#takeBatch()).finally(() => {
        this.#running -= 1;
        this.#send();
      });
    }
  }

  #takeBatch(): Map<string, Lookup> {
    const batch = new Map<string, Lookup>();
    for (const [hash, lookup] of this.#waiting) {
      if (batch.size === LIMITS.credentialsPerLookup) break;
      batch.set(hash, lookup);
      this.#waiting.delete(hash);
    }
    return batch;
  }

  /** Never rejects: every waiting caller gets the result. Empties the batch. */
  async #ask(batch: Map<string, Lookup>): Promise<void> {
    try {
      for (let attempt = 1; batch.size > 0 && attempt <= LIMITS.credentialAttempts; attempt++)
        await this.#tryAsk(batch);
      for (const { reject } of batch.values())
        reject(new LookupRefused('access changes faster than it can be looked up'));
    } catch (error) {
      // Look-ups behind them would meet the same fault, only later.
      const behind = this.#waiting;
      this.#waiting = new Map();
      for (const { reject } of [...batch.values(), ...behind.values()]) reject(error);
    }
  }

  /** Leaves in the batch what has to be asked again: what was found may be from before a change that touches it. */
  async #tryAsk(batch: Map<string, Lookup>): Promise<void> {
    const { store, keep } = this.#options;
    const heard: ChangedSubjects[] = [];
    this.#overtaking.add(heard);
    try {
      const found = await store.findCredentials([...batch.keys()]);
      const byHash = new Map(found.map((credential) => [credential.hash, credential]));
      for (const [hash, { resolve }] of batch) {
        const credential = byHash.get(hash);
        if (credential && heard.some((changed) => changed.touchCredential(credential))) continue;
        // A change may have made an unknown one known since: that it was unknown is an answer, but none to keep.
        if (credential || heard.length === 0) keep(hash, credential);
        batch.delete(hash);
        resolve(credential);
      }
    } finally {
      this.#overtaking.delete(heard);
    }
  }
}

function openLookup(): Lookup {
  let settle: Pick<Lookup, 'resolve' | 'reject'> | undefined;
  const promise = new Promise<Credential | undefined>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { promise, ...settle! };
}
