import type { CallerView } from '../../../schema/accounts/caller.ts';
import { type Client, createClient, type LooseCall } from '../../client/create-client.ts';
import { DispatchError } from '../../client/dispatch-error.ts';
import type { EventStream } from '../../client/event-stream.ts';
import { Session, type TokenStore } from '../../client/session.ts';
import type { Answer, ApiCall, Failure } from './protocol.ts';

/** Calls of people who are not signed in. */
const PUBLIC = '/auth/password-reset/';
/** A person who waits for an answer wants to hear soon that there is none; a stream that is cut is opened again often. */
const RETRY = { giveUpAfterMs: 8_000, longestPauseMs: 3_000 };

const SESSION_OVER = 'The session is over.';

/** A request that got no answer, or a refusal. */
export class CallError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

interface Options {
  /** The address of the service, without `/api/v1`. */
  readonly baseUrl: string;
  /** Where the tokens are: of all tabs of a browser. */
  readonly store: Promise<TokenStore>;
  /** The session is over: signed out elsewhere, revoked or run out. */
  readonly onEnded: () => void;
  /** The caller was read. */
  readonly onCaller: (caller: CallerView) => void;
}

interface Read<T> {
  readonly data: T;
  readonly position: string;
}

interface Answered {
  readonly data: unknown;
  readonly status: number;
  readonly position: string | undefined;
  readonly etag: string | undefined;
}

/** The client of this repository, for paths that are known when the program runs. */
export class Api {
  readonly #options: Options;
  readonly #session: Promise<Session>;
  readonly #signedIn: Promise<Client>;
  readonly #anyone: Client;
  /** Ends the calls of the user who has the session. */
  #calls = new AbortController();
  #asked = 0;
  #heard = 0;

  constructor(options: Options) {
    this.#options = options;
    const { baseUrl, store } = options;
    this.#anyone = createClient({ baseUrl, retry: RETRY });
    this.#session = store.then((kept) => new Session({ baseUrl, store: kept, name: 'console', retry: RETRY }));
    this.#signedIn = this.#session.then((session) => createClient({ baseUrl, session, retry: RETRY }));
  }

  async signIn(email: string, password: string): Promise<void> {
    await this.#answered((await this.#session).signIn({ email, password }));
  }

  /** Ends the session at the server. It is over here even when the server cannot be reached. */
  async signOut(): Promise<void> {
    await (await this.#session).signOut().catch(() => undefined);
  }

  async isSignedIn(): Promise<boolean> {
    return (await this.#session).isSignedIn();
  }

  /** Reads who is calling. An answer that comes after that of a later question is not reported. */
  async me(): Promise<Read<CallerView>> {
    this.#asked += 1;
    const asked = this.#asked;
    const answer = await this.read<CallerView>('/auth/me');
    if (asked > this.#heard) {
      this.#heard = asked;
      this.#options.onCaller(answer.data);
    }
    return answer;
  }

  /** The data of a GET, with the position in the log at which it was true. */
  async read<T>(path: string): Promise<Read<T>> {
    const { data, position = '' } = await this.#answered(loose(await this.#signedIn, 'GET', path, {}));
    return { data: data as T, position };
  }

  /** Never rejects: a refusal and a lost connection are answers, too. */
  async call({ method, path, body, key, ifMatch }: ApiCall): Promise<Answer> {
    try {
      const isOfAnyone = path.startsWith(PUBLIC);
      const client = isOfAnyone ? this.#anyone : await this.#signedIn;
      const call = {
        body,
        ...(isOfAnyone ? {} : { signal: this.#calls.signal }),
        ...(key === undefined ? {} : { idempotencyKey: key }),
        ...(ifMatch === undefined ? {} : { ifMatch }),
      };
      const { status, data, etag } = await this.#answered(loose(client, method, path, call));
      return { ok: true, status, data, etag };
    } catch (error) {
      if (error instanceof CallError) return { ok: false, failure: error.failure };
      throw error;
    }
  }

  /** Gives up the calls that are under way, when their session is over: tried again, they would be those of the next user. */
  giveUpCalls(): void {
    this.#calls.abort(new CallError({ status: 0, code: null, message: SESSION_OVER, details: null }));
    this.#calls = new AbortController();
  }

  /** An answer without the envelope, whose body is not read yet. */
  async open(path: string, signal: AbortSignal): Promise<Response> {
    return this.#answered((await this.#signedIn).open(path as Parameters<Client['open']>[0], { signal }));
  }

  /** The caller's stream from a position on. It opens itself again, and throws when it is refused for good. */
  async follow(lastEventId: string, signal: AbortSignal): Promise<EventStream> {
    return (await this.#signedIn).follow({ lastEventId, signal });
  }

  /** The failure behind an error of the client. Reports the end of the session. */
  failure(error: unknown): CallError {
    if (error instanceof CallError) return error;
    if (!(error instanceof DispatchError))
      return new CallError({ status: 0, code: null, message: String(error), details: null });
    const { status, code, message, violations, details, isReplayed, isOutcomeUnknown } = error;
    if (code === 'SESSION_ENDED') this.#options.onEnded();
    const words = violations.join('. ') || message;
    return new CallError({ status, code, message: words, details, isReplayed, isOutcomeUnknown });
  }

  async #answered<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      throw this.failure(error);
    }
  }
}

/** The client types calls by the document; this console puts ids into paths itself. */
function loose(client: Client, method: ApiCall['method'], path: string, call: LooseCall): Promise<Answered> {
  const name = method.toLowerCase() as 'get' | 'post' | 'put' | 'patch' | 'delete';
  const send = client[name] as unknown as (path: string, call: LooseCall) => Promise<Answered>;
  return send(path, call);
}
