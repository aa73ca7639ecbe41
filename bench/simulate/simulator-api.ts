import { setMaxListeners } from 'node:events';
import { type Client, createClient } from '../../gateway/client/create-client.ts';
import { DispatchError } from '../../gateway/client/dispatch-error.ts';
import { Session } from '../../gateway/client/session.ts';
import { textOf } from '../load/http-line.ts';
import { HttpPool } from '../load/http-pool.ts';
import { kindOf, refusalKind, type Tally } from './tally.ts';

const CONNECTIONS = 16;
const RETRY = { giveUpAfterMs: 20_000, firstPauseMs: 250, longestPauseMs: 10_000 };

/**
 * The API as apps and integrators use it, through the client that they get. The tally counts every failed attempt, but
 * for 404 and 409: the caller knows whether somebody else may have been quicker. Calls end with the reason of the
 * signal.
 */
export class SimulatorApi {
  readonly #origin: string;
  readonly #pool: HttpPool;
  readonly #tally: Tally;
  readonly #signal: AbortSignal;

  constructor(target: URL, tally: Tally, signal: AbortSignal) {
    this.#origin = target.origin;
    this.#pool = new HttpPool(target, CONNECTIONS);
    this.#tally = tally;
    this.#signal = signal;
    // Every call that pauses listens to it.
    setMaxListeners(0, signal);
  }

  /** A client with a channel's key or an access token; without one where no sign-in is needed. */
  as(credential?: string): Client {
    const own = credential === undefined ? {} : credentialOption(credential);
    return createClient({ baseUrl: this.#origin, ...own, retry: RETRY, signal: this.#signal, fetch: this.#fetch });
  }

  /** A client of a user who signs in now. */
  async signedIn(login: { readonly email: string; readonly password: string }): Promise<Client> {
    const session = new Session({ baseUrl: this.#origin, retry: RETRY, fetch: this.#fetch });
    await session.signIn(login);
    return createClient({ baseUrl: this.#origin, session, retry: RETRY, signal: this.#signal, fetch: this.#fetch });
  }

  /** A client for streams, whose connections are its own. */
  streaming(credential: string): Client {
    return createClient({ baseUrl: this.#origin, ...credentialOption(credential), signal: this.#signal });
  }

  /** Resolves to undefined where the task has moved on, or is another's by now; the tally counts that by its code. */
  async unlessOvertaken<T>(call: Promise<T>): Promise<T | undefined> {
    try {
      return await call;
    } catch (error) {
      if (!isDecided(error)) throw error;
      this.#tally.overtake(error.code);
      return undefined;
    }
  }

  /** Counts a failure that ends a piece of work, unless its attempts were counted as they failed. */
  note(error: unknown): void {
    if (isDecided(error)) this.#tally.error(`${error.status} ${error.code}`, error.message);
    else if (!(error instanceof DispatchError)) throw error;
  }

  /** Requests under way fail. */
  close(): void {
    this.#pool.close();
  }

  readonly #fetch: typeof fetch = async (target, { method = 'GET', headers, body } = {}) => {
    const { pathname, search } = new URL(String(target));
    try {
      const answer = await this.#pool.ask({
        method,
        path: pathname + search,
        headers: Object.fromEntries(new Headers(headers)),
        ...(typeof body === 'string' ? { body } : {}),
      });
      const text = textOf(answer);
      // A client that is asked to slow down does so; that is no error.
      if (answer.status >= 400 && ![404, 409, 429].includes(answer.status))
        this.#tally.error(refusalKind(answer.status, text), `${pathname}: ${text}`);
      return new Response(text, { status: answer.status, headers: headersOf(answer.head) });
    } catch (error) {
      this.#tally.error(kindOf(error as Error), `${method} ${pathname}: ${(error as Error).message}`);
      throw error;
    }
  };
}

function isDecided(error: unknown): error is DispatchError {
  return error instanceof DispatchError && (error.status === 404 || error.status === 409);
}

/** The headers of a head, behind its status line. */
function headersOf(head: string): [name: string, value: string][] {
  const lines = head.split('\r\n').slice(1);
  return lines.flatMap((line) => {
    const [, name, value] = /^([^:]+): *(.*)$/.exec(line) ?? [];
    return name === undefined ? [] : [[name, value!]];
  });
}

function credentialOption(credential: string) {
  return credential.startsWith('da_') ? { token: () => credential } : { apiKey: credential };
}

export function credentialHeader(credential: string): Record<string, string> {
  return credential.startsWith('da_') ? { authorization: `Bearer ${credential}` } : { 'x-api-key': credential };
}
