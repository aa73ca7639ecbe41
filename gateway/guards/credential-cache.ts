import { hash } from 'node:crypto';
import type { Clock, Scheduler } from '../../engine/runtime/clock.ts';
import { withDeadline } from '../../engine/runtime/deadline.ts';
import type { Credential, CredentialStore } from '../../engine/store/access/credential-store.ts';
import { isStoreAway } from '../../engine/store/postgres.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { AccessFeed } from './access-feed.ts';
import { ChangedSubjects, type HeardChanges } from './changed-subjects.ts';
import { CredentialLookups, LookupRefused } from './credential-lookups.ts';

export interface CredentialCacheOptions {
  readonly store: Pick<CredentialStore, 'findCredentials'>;
  readonly feed: Pick<AccessFeed, 'freshUntil' | 'isAway' | 'onChanges'>;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
}

interface Entry {
  readonly credential: Credential;
  /** Since the last sweep. */
  isUsed: boolean;
}

/**
 * The callers of keys and access tokens, from memory. A credential stays until the feed reports a change of a record
 * that it rests on, and is used only while the feed is fresh. Secrets are known, and compared, by their hashes only.
 */
export class CredentialCache {
  readonly #options: CredentialCacheOptions;
  readonly #lookups: CredentialLookups;
  readonly #entries = new Map<string, Entry>();
  /** Hashes that stand for nobody, with the time until which that is believed. */
  readonly #unknown = new Map<string, number>();
  readonly #cancelSweep: () => void;

  constructor(options: CredentialCacheOptions) {
    const { store, feed, scheduler } = options;
    this.#options = options;
    this.#lookups = new CredentialLookups({
      store,
      feed,
      scheduler,
      keep: (secretHash, credential) => this.#keep(secretHash, credential),
    });
    feed.onChanges((changes) => this.#forget(changes));
    this.#cancelSweep = scheduler.every(LIMITS.credentialIdleMs, () => this.#sweep());
  }

  get size(): number {
    return this.#entries.size;
  }

  stop(): void {
    this.#cancelSweep();
  }

  /**
   * The caller of a secret: at once when it is known, otherwise a promise, which rejects when Postgres cannot be asked.
   * Undefined for an unknown or revoked secret. With `mayLag` a remembered credential is valid for a while when
   * Postgres cannot be asked, or keeps silent.
   */
  find(secret: string, mayLag = false): Credential | undefined | Promise<Credential | undefined> {
    return this.findByHash(hash('sha256', secret, 'hex'), mayLag);
  }

  /** The same by the secret's SHA-256, hex. */
  findByHash(secretHash: string, mayLag = false): Credential | undefined | Promise<Credential | undefined> {
    const { clock, feed } = this.#options;
    const now = clock.monotonic();
    const entry = this.#entries.get(secretHash);
    if (entry !== undefined && now < feed.freshUntil) {
      entry.isUsed = true;
      return this.#unlessExpired(entry.credential);
    }
    const unknownUntil = this.#unknown.get(secretHash);
    if (unknownUntil !== undefined && now < unknownUntil) return undefined;
    const lagging = mayLag && entry !== undefined && now < feed.freshUntil + LIMITS.ingestGraceMs ? entry : undefined;
    if (lagging) lagging.isUsed = true;
    if (lagging && feed.isAway) return this.#unlessExpired(lagging.credential);
    const looked = this.#lookups.find(secretHash).then((found) => found && this.#unlessExpired(found));
    return lagging ? this.#orRemembered(looked, secretHash) : looked;
  }

  async #orRemembered(looked: Promise<Credential | undefined>, secretHash: string): Promise<Credential | undefined> {
    try {
      return await withDeadline(looked, LIMITS.ingestPatienceMs, 'looking up a remembered credential');
    } catch (error) {
      // It may have been revoked meanwhile.
      const entry = this.#entries.get(secretHash);
      if (entry && (isStoreAway(error) || error instanceof LookupRefused)) return this.#unlessExpired(entry.credential);
      throw error;
    }
  }

  #unlessExpired(credential: Credential): Credential | undefined {
    const { expiresAtMs } = credential;
    const isValid = expiresAtMs === Number.POSITIVE_INFINITY || this.#options.clock.now() < expiresAtMs;
    return isValid ? credential : undefined;
  }

  #keep(secretHash: string, credential: Credential | undefined): void {
    if (credential) {
      makeRoom(this.#entries, LIMITS.credentialCacheEntries);
      this.#entries.set(secretHash, { credential, isUsed: true });
      return;
    }
    // Nobody can ask about a secret before it is made and told, so that an unknown one stays unknown.
    makeRoom(this.#unknown, LIMITS.unknownCredentials);
    this.#unknown.set(secretHash, this.#options.clock.monotonic() + LIMITS.unknownCredentialMs);
  }

  #forget(changes: HeardChanges): void {
    this.#unknown.clear();
    const changed = new ChangedSubjects(changes);
    for (const [secretHash, { credential }] of this.#entries) {
      if (changed.touchCredential(credential)) this.#entries.delete(secretHash);
    }
  }

  #sweep(): void {
    for (const [secretHash, entry] of this.#entries) {
      if (!entry.isUsed) this.#entries.delete(secretHash);
      entry.isUsed = false;
    }
  }
}

/** Takes the oldest entry out of a map that is full. */
function makeRoom<T>(map: Map<string, T>, most: number): void {
  if (map.size < most) return;
  const [oldest] = map.keys();
  map.delete(oldest!);
}
