import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { type HttpAnswer, textOf } from '../load/http-line.ts';
import { HttpPool } from '../load/http-pool.ts';
import { kindOf, refusalKind, type Tally } from './tally.ts';

export interface ApiCall {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Below /api/v1. */
  readonly path: string;
  /** A channel's key or an access token; absent where no sign-in is needed. */
  readonly credential?: string;
  readonly body?: object;
}

/** An answer that is not a success, after as many attempts as make sense. */
export class CallRefused extends Error {
  readonly status: number;

  constructor(call: ApiCall, status: number, text: string) {
    super(`${call.method} ${call.path} was answered with ${status}: ${text.slice(0, 300)}`);
    this.status = status;
  }
}

const CONNECTIONS = 16;
const MOST_ATTEMPTS = 6;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;

/**
 * The API as apps and integrators use it. Passing failures (no answer, 429, 503) are retried under the same
 * Idempotency-Key; the tally counts every failed attempt.
 */
export class SimulatorApi {
  readonly #pool: HttpPool;
  readonly #tally: Tally;
  readonly #signal: AbortSignal;

  constructor(target: URL, tally: Tally, signal: AbortSignal) {
    this.#pool = new HttpPool(target, CONNECTIONS);
    this.#tally = tally;
    this.#signal = signal;
    // Every call that pauses listens to it.
    setMaxListeners(0, signal);
  }

  /** Resolves to `data`. Throws CallRefused, the failure of the connection, or the signal's reason. */
  async call<T>(call: ApiCall): Promise<T> {
    const key = call.method === 'GET' ? {} : { 'idempotency-key': randomUUID() };
    for (let attempt = 1; ; attempt++) {
      this.#signal.throwIfAborted();
      const answer = await this.#ask(call, key);
      if (answer instanceof Error) {
        if (attempt === MOST_ATTEMPTS) throw answer;
        await this.#pause(attempt, undefined);
        continue;
      }
      const text = textOf(answer);
      if (answer.status >= 200 && answer.status < 300) return (JSON.parse(text) as { data: T }).data;
      // A client that is asked to slow down does so; that is no error.
      if (answer.status !== 429) this.#tally.error(refusalKind(answer.status, text), `${call.path}: ${text}`);
      const passes = answer.status === 429 || answer.status === 503;
      if (!passes || attempt === MOST_ATTEMPTS) throw new CallRefused(call, answer.status, text);
      await this.#pause(attempt, answer);
    }
  }

  /** Requests under way fail. */
  close(): void {
    this.#pool.close();
  }

  async #ask({ method, path, credential, body }: ApiCall, key: Record<string, string>): Promise<HttpAnswer | Error> {
    const headers = { ...(credential === undefined ? {} : credentialHeader(credential)), ...key };
    const json = body === undefined ? {} : { body: JSON.stringify(body) };
    try {
      return await this.#pool.ask({ method, path: `/api/v1${path}`, headers, ...json });
    } catch (error) {
      this.#tally.error(kindOf(error as Error), `${method} ${path}: ${(error as Error).message}`);
      return error as Error;
    }
  }

  async #pause(attempt: number, answer: HttpAnswer | undefined): Promise<void> {
    const asked = answer && /\r\nretry-after: *(\d+)/i.exec(answer.head)?.[1];
    const ms = asked === undefined ? FIRST_PAUSE_MS * 2 ** (attempt - 1) : Number(asked) * 1_000;
    await delay(Math.min(LONGEST_PAUSE_MS, ms), undefined, { signal: this.#signal });
  }
}

export function credentialHeader(credential: string): Record<string, string> {
  return credential.startsWith('da_') ? { authorization: `Bearer ${credential}` } : { 'x-api-key': credential };
}
