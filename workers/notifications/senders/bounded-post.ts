import { Agent, type buildConnector, type Dispatcher, request } from 'undici';
import { parseRetryAfter } from '../../../engine/domain/outbound/retry-schedule.ts';
import type { Clock, Scheduler } from '../../../engine/runtime/clock.ts';
import { describeSendError } from '../../../engine/runtime/outbound/send-error.ts';
import { LIMITS } from '../../../schema/limits.ts';

/** The outcome of a request is unknown; the message says why: stable, and without addresses. */
export class NoAnswerError extends Error {}

interface Post {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

export interface Answer {
  readonly status: number;
  /** The pause that it asks for. */
  readonly retryAfterMs: number | undefined;
  /** Its beginning. */
  readonly text: string;
}

export interface Poster {
  /**
   * Follows no redirects. Rejects with NoAnswerError, after LIMITS.pushTimeoutMs at the latest, and with the reason of
   * `signal` when that is aborted.
   */
  post(post: Post, signal?: AbortSignal): Promise<Answer>;
  /** Drops all connections; what is under way rejects. */
  stop(): Promise<void>;
}

interface PosterOptions {
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  /** The permitted targets; any by default. */
  readonly connect?: buildConnector.connector;
}

/** Posts to push services and the like, bounded in time, size and connections. */
export function createPoster({ clock, scheduler, connect }: PosterOptions): Poster {
  const agent = new Agent({
    connect: connect ?? { timeout: LIMITS.pushTimeoutMs },
    connections: LIMITS.pushConnectionsPerOrigin,
    maxOrigins: LIMITS.pushOrigins,
    pipelining: 1,
    keepAliveTimeout: LIMITS.pushKeepAliveMs,
    keepAliveMaxTimeout: LIMITS.pushKeepAliveMs,
    maxHeaderSize: LIMITS.pushAnswerHeadBytes,
    // The time as a whole is watched over below.
    headersTimeout: 0,
    bodyTimeout: 0,
  });

  async function exchange({ url, headers, body }: Post, signal: AbortSignal): Promise<Answer> {
    const answer = await request(url, { dispatcher: agent, method: 'POST', headers, body, signal });
    const { 'retry-after': retryAfter } = answer.headers;
    return {
      status: answer.statusCode,
      retryAfterMs: typeof retryAfter === 'string' ? parseRetryAfter(retryAfter, clock.now()) : undefined,
      text: await beginningOf(answer.body),
    };
  }

  return {
    async post(post, signal) {
      signal?.throwIfAborted();
      const patience = new AbortController();
      const leave = () => patience.abort();
      const cancel = scheduler.after(LIMITS.pushTimeoutMs, leave);
      signal?.addEventListener('abort', leave);
      try {
        return await exchange(post, patience.signal);
      } catch (error) {
        signal?.throwIfAborted();
        const timedOut = patience.signal.aborted && `timed out after ${LIMITS.pushTimeoutMs / 1_000} s`;
        throw new NoAnswerError(timedOut || describeSendError(error as Error), { cause: error });
      } finally {
        cancel();
        signal?.removeEventListener('abort', leave);
      }
    },
    stop: () => agent.destroy(),
  };
}

/** A longer answer is cut off, with its connection. */
async function beginningOf(body: Dispatcher.ResponseData['body']): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of body as AsyncIterable<Buffer>) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes >= LIMITS.pushAnswerBytes) break;
  }
  return Buffer.concat(pieces).toString('utf8', 0, LIMITS.pushAnswerBytes);
}
