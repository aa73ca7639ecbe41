import { hash } from 'node:crypto';
import type { Clock, Scheduler } from '../../engine/runtime/clock.ts';
import type { Log } from '../../engine/runtime/log.ts';
import type { ChannelCredential, CredentialStore } from '../../engine/store/credential-store.ts';
import { LIMITS } from '../../schema/limits.ts';

const KEY = /^dk_live_[A-Za-z0-9]{40}$/;

interface Entry {
  credential: ChannelCredential | undefined;
  /** When Postgres was last asked; counted from before the question. */
  checkedAt: number;
  usedAt: number;
}

/**
 * Who a key stands for, from memory. What is in use is looked up again every second, all of it in one query, so a
 * revoked key stops working within two; nothing on the path of a request waits for Postgres but the first one.
 */
export class CredentialCache {
  readonly #entries = new Map<string, Entry>();
  readonly #lookups = new Map<string, Promise<ChannelCredential | undefined>>();
  readonly #store: CredentialStore;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #cancelRefresh: () => void;
  #refreshing = false;

  constructor(store: CredentialStore, clock: Clock, scheduler: Scheduler, log: Log) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
    this.#cancelRefresh = scheduler.every(LIMITS.credentialLeaseMs, () => void this.#refresh());
  }

  stop(): void {
    this.#cancelRefresh();
  }

  /**
   * The channel of a key: at once when it is known, else a promise, which rejects when Postgres cannot be asked.
   * Undefined for a key that stands for nobody. Keys are compared by their hashes only.
   */
  find(key: string): ChannelCredential | undefined | Promise<ChannelCredential | undefined> {
    if (!KEY.test(key)) return undefined;
    const keyHash = hash('sha256', key, 'hex');
    const entry = this.#entries.get(keyHash);
    const now = this.#clock.monotonic();
    if (entry && now - entry.checkedAt < 2 * LIMITS.credentialLeaseMs) {
      entry.usedAt = now;
      return entry.credential;
    }
    return this.#lookUp(keyHash);
  }

  #lookUp(keyHash: string): Promise<ChannelCredential | undefined> {
    const running = this.#lookups.get(keyHash);
    if (running) return running;
    const checkedAt = this.#clock.monotonic();
    const lookup = this.#store
      .findChannels([keyHash])
      .then(([credential]) => {
        this.#makeRoom();
        // A key that stands for nobody is asked about anew each time: it may have been made since.
        if (credential) this.#entries.set(keyHash, { credential, checkedAt, usedAt: checkedAt });
        return credential;
      })
      .finally(() => this.#lookups.delete(keyHash));
    this.#lookups.set(keyHash, lookup);
    return lookup;
  }

  #makeRoom(): void {
    if (this.#entries.size < LIMITS.credentialCacheEntries) return;
    const oldest = this.#entries.keys().next().value;
    if (oldest !== undefined) this.#entries.delete(oldest);
  }

  async #refresh(): Promise<void> {
    if (this.#refreshing || this.#entries.size === 0) return;
    this.#refreshing = true;
    const checkedAt = this.#clock.monotonic();
    for (const [keyHash, entry] of this.#entries) {
      if (checkedAt - entry.usedAt > LIMITS.credentialIdleMs) this.#entries.delete(keyHash);
    }
    try {
      const hashes = [...this.#entries.keys()];
      const found = new Map(
        (await this.#store.findChannels(hashes)).map((credential) => [credential.keyHash, credential]),
      );
      for (const keyHash of hashes) {
        const entry = this.#entries.get(keyHash);
        if (entry) Object.assign(entry, { credential: found.get(keyHash), checkedAt });
      }
    } catch (error) {
      this.#log.warn({ err: error }, 'credentials could not be looked up again');
    } finally {
      this.#refreshing = false;
    }
  }
}
