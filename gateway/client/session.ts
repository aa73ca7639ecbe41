import { baseUrlOf } from './base-url.ts';
import { DispatchError } from './dispatch-error.ts';
import type { DataOf } from './document-types.ts';
import { withLock } from './locks.ts';
import { type Credential, DEFAULT_RETRY, type RetryPolicy, sendRequest, type Transport } from './send-request.ts';

/** The tokens of a session. All tabs of a page must read the same. */
export interface TokenPair {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** By the clock of this machine, in milliseconds since 1970. */
  readonly expiresAtMs: number;
}

/** Where the tokens are kept. Resolve `write` only when another reader would see them. */
export interface TokenStore {
  read(): Promise<TokenPair | undefined>;
  write(pair: TokenPair | undefined): Promise<void>;
}

export interface SessionOptions {
  /** The address of the service, without `/api/v1`. */
  readonly baseUrl: string;
  /** In memory by default. A page with several tabs gives `openTokenStore()`. */
  readonly store?: TokenStore;
  /** Sessions with different stores need different names. */
  readonly name?: string;
  readonly fetch?: typeof fetch;
  readonly retry?: Partial<RetryPolicy>;
}

/** The answer of a sign-in: the tokens, the user and the organization. */
export type SignedIn = DataOf<'post', '/auth/login'>;

/** Access tokens are replaced that long before they expire. */
const EARLY_MS = 60_000;
/** The service gives a pair for the same refresh token for 60 s. */
const REFRESH_MS = 50_000;

/**
 * A signed-in user. Refreshes its tokens when they are about to expire or were refused, once for all tabs that share
 * its store: under a Web Lock where the browser has them. Where it has none, the service's own grace for a refresh
 * token that is used twice keeps both tabs signed in. Tokens that have come and gone while it asked stay as they are.
 */
export class Session implements Credential {
  readonly #baseUrl: string;
  readonly #name: string;
  readonly #store: TokenStore;
  readonly #transport: Transport;
  #refreshing: Promise<TokenPair> | undefined;

  constructor(options: SessionOptions) {
    this.#baseUrl = baseUrlOf(options.baseUrl);
    this.#name = options.name ?? '';
    this.#store = options.store ?? memoryStore();
    const retry = { ...DEFAULT_RETRY, ...options.retry };
    this.#transport = { fetch: options.fetch ?? globalThis.fetch.bind(globalThis), retry, credential: ANONYMOUS };
  }

  /** Signs in. Resolves to the user and the organization. */
  async signIn(login: { readonly email: string; readonly password: string }): Promise<SignedIn> {
    const answer = await this.#post<SignedIn>('/auth/login', {}, login);
    await this.#changeStore(() => this.#store.write(pairOf(answer)));
    return answer;
  }

  /** Forgets the tokens, and ends the session at the service. Throws when the service gives no answer. */
  async signOut(): Promise<void> {
    const pair = await this.#changeStore(async () => {
      const present = await this.#store.read();
      await this.#store.write(undefined);
      return present;
    });
    if (!pair) return;
    try {
      if (Date.now() < pair.expiresAtMs - EARLY_MS && (await this.#logOut(pair))) return;
      // A refresh that was under way may have made this access token void, and not the session.
      await this.#logOut(await this.#nextOf(pair));
    } catch (error) {
      if (!isOver(error)) throw error;
    }
  }

  /** Whether there are tokens. They may have ended at the service. */
  async isSignedIn(): Promise<boolean> {
    return (await this.#store.read()) !== undefined;
  }

  async headers(): Promise<Readonly<Record<string, string>>> {
    return { authorization: `Bearer ${await this.#accessToken()}` };
  }

  async renew(refused: Readonly<Record<string, string>>): Promise<boolean> {
    await this.#refresh(refused['authorization']?.replace('Bearer ', ''));
    return true;
  }

  async #accessToken(): Promise<string> {
    const pair = await this.#store.read();
    if (!pair) throw ended();
    if (Date.now() < pair.expiresAtMs - EARLY_MS) return pair.accessToken;
    try {
      return (await this.#refresh(pair.accessToken)).accessToken;
    } catch (error) {
      const isUsable =
        error instanceof DispatchError && error.code !== 'SESSION_ENDED' && Date.now() < pair.expiresAtMs;
      if (!isUsable) throw error;
      return pair.accessToken;
    }
  }

  /** Replaces the pair of an access token, unless another call or another tab already has. */
  #refresh(accessToken: string | undefined): Promise<TokenPair> {
    this.#refreshing ??= withLock(`dispatch session ${this.#name}`, () => this.#refreshAlone(accessToken)).finally(
      () => {
        this.#refreshing = undefined;
      },
    );
    return this.#refreshing;
  }

  async #refreshAlone(accessToken: string | undefined): Promise<TokenPair> {
    const pair = await this.#store.read();
    if (!pair) throw ended();
    if (pair.accessToken !== accessToken) return pair;
    let over: unknown;
    const fresh = await this.#nextOf(pair).catch((error: unknown) => {
      if (!isOver(error)) throw error;
      over = error;
      return undefined;
    });
    const present = await this.#replace(pair, fresh);
    if (!present) throw ended(over);
    return present;
  }

  /** Puts other tokens in the place of a pair, if it is still there: somebody may have signed in or out. Returns what is there then. */
  #replace(pair: TokenPair, fresh: TokenPair | undefined): Promise<TokenPair | undefined> {
    return this.#changeStore(async () => {
      const present = await this.#store.read();
      if (present?.accessToken !== pair.accessToken) return present;
      await this.#store.write(fresh);
      return fresh;
    });
  }

  /** Not under the lock of a refresh, which waits for the service: who signs in or out waits for no one. */
  #changeStore<T>(change: () => Promise<T>): Promise<T> {
    return withLock(`dispatch tokens ${this.#name}`, change);
  }

  async #nextOf({ refreshToken }: TokenPair): Promise<TokenPair> {
    return pairOf(await this.#post<SignedIn>('/auth/refresh', {}, { refreshToken }));
  }

  /** Resolves to whether the access token was still good. */
  async #logOut({ accessToken }: TokenPair): Promise<boolean> {
    try {
      await this.#post('/auth/logout', { authorization: `Bearer ${accessToken}` });
      return true;
    } catch (error) {
      if (!isOver(error)) throw error;
      return false;
    }
  }

  async #post<T>(path: string, headers: Readonly<Record<string, string>>, body: object = {}): Promise<T> {
    const request = {
      method: 'POST',
      url: `${this.#baseUrl}/api/v1${path}`,
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      giveUpAfterMs: Math.min(REFRESH_MS, this.#transport.retry.giveUpAfterMs),
    };
    return sendRequest(this.#transport, request, async (response) => ((await response.json()) as { data: T }).data);
  }
}

/** Keeps the tokens until the process or the page ends. */
export function memoryStore(): TokenStore {
  let kept: TokenPair | undefined;
  return {
    read: async () => kept,
    write: async (pair) => {
      kept = pair;
    },
  };
}

const ANONYMOUS: Credential = { headers: async () => ({}), renew: async () => false };

function pairOf({ accessToken, refreshToken, expiresIn }: Omit<TokenPair, 'expiresAtMs'> & { expiresIn: number }) {
  return { accessToken, refreshToken, expiresAtMs: Date.now() + expiresIn * 1_000 };
}

/** The service knows the tokens no longer. */
function isOver(error: unknown): boolean {
  return error instanceof DispatchError && error.status === 401;
}

function ended(cause?: unknown): DispatchError {
  return new DispatchError('the session has ended: sign in again', { status: 401, code: 'SESSION_ENDED', cause });
}
