import { DispatchError, type ErrorFacts, refusalFacts } from './dispatch-error.ts';

/** The limits of the attempts of one call. */
export interface RetryPolicy {
  /** The time after which the last failure is final. 60 s by default. */
  readonly giveUpAfterMs: number;
  /** The first pause; each following one is twice as long, with jitter. 250 ms by default. */
  readonly firstPauseMs: number;
  /** The longest pause. A longer `Retry-After` makes the failure final. 10 s by default. */
  readonly longestPauseMs: number;
  /** The time that one attempt may take. 30 s by default. */
  readonly attemptMs: number;
}

export const DEFAULT_RETRY: RetryPolicy = {
  giveUpAfterMs: 60_000,
  firstPauseMs: 250,
  longestPauseMs: 10_000,
  attemptMs: 30_000,
};

type SentHeaders = Readonly<Record<string, string>>;

/** Adds a credential to requests, and may replace one that was refused. */
export interface Credential {
  headers(): Promise<SentHeaders>;
  /** Resolves to whether the request is worth a second attempt after a 401. */
  renew(refused: SentHeaders): Promise<boolean>;
}

export interface Transport {
  readonly fetch: typeof fetch;
  readonly retry: RetryPolicy;
  readonly credential: Credential;
}

export interface OutgoingRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: SentHeaders;
  readonly body?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly giveUpAfterMs?: number | undefined;
}

/** One attempt that got no usable answer. */
interface Failure {
  readonly facts: ErrorFacts & { readonly message: string };
}

/** Gives an answer whose body is read after the call is over: until its end, the signal of the request ends it. */
export type HoldOpen = (response: Response) => Response;
type Read<T> = (response: Response, holdOpen: HoldOpen) => Promise<T>;

type Outcome<T> = { readonly value: T } | Failure;

/** Answers that pass: the service is busy, moving or not reachable behind its proxy. */
const PASSING = new Set([0, 429, 502, 503, 504]);

/** Whether another attempt may fare better. */
export function isPassing(facts: Pick<ErrorFacts, 'status' | 'code'>): boolean {
  return PASSING.has(facts.status) || isFaultOfProxy(facts);
}

/**
 * Sends a request until an answer decides it, every time under the same Idempotency-Key. `read` reads a 2xx or 304
 * within the attempt, so that a connection that breaks in the middle of a body is repeated as well. Throws
 * DispatchError, the reason of the request's signal, the error of a credential before anything may be written, or
 * TypeError for a header that cannot be sent.
 */
export async function sendRequest<T>(transport: Transport, request: OutgoingRequest, read: Read<T>): Promise<T> {
  const { retry, credential } = transport;
  const endsAt = Date.now() + (request.giveUpAfterMs ?? retry.giveUpAfterMs);
  sendable(request.headers);
  let isUnknown = false;
  let isRenewed = false;
  for (let attempt = 0; ; attempt++) {
    request.signal?.throwIfAborted();
    const own: SentHeaders = await ofCall(async () => sendable(await credential.headers()), request, isUnknown);
    const outcome = await attemptOnce(transport, request, own, read);
    if ('value' in outcome) return outcome.value;
    const { facts } = outcome;
    isUnknown = request.idempotencyKey !== undefined && mayBeWritten(facts, isUnknown);
    if (facts.status === 401 && !isRenewed) {
      isRenewed = true;
      if (await ofCall(() => credential.renew(own), request, isUnknown)) continue;
    }
    const pauseMs = facts.retryAfterMs ?? backoffMs(retry, attempt);
    const isFinal = !isPassing(facts) || pauseMs > retry.longestPauseMs || Date.now() + pauseMs > endsAt;
    if (isFinal) {
      const { idempotencyKey } = request;
      throw new DispatchError(`${request.method} ${new URL(request.url).pathname}: ${facts.message}`, {
        ...facts,
        idempotencyKey,
        isOutcomeUnknown: isUnknown,
      });
    }
    await pause(pauseMs, request.signal);
  }
}

/** Waits. Throws the reason of the signal as soon as it is aborted. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal!.reason);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** Between half of the pause and the whole pause, so that many clients do not come back at once. */
export function backoffMs({ firstPauseMs, longestPauseMs }: RetryPolicy, attempt: number): number {
  return Math.min(longestPauseMs, firstPauseMs * 2 ** attempt) * (0.5 + Math.random() / 2);
}

/** Whether a change may have been written after this failure. NOT_APPLIED holds for all attempts under the key. */
function mayBeWritten(facts: ErrorFacts, before: boolean): boolean {
  const { status, code, isForeign } = facts;
  if (code === 'NOT_APPLIED') return false;
  if ([0, 502, 504].includes(status) || code === 'OUTCOME_UNKNOWN' || isFaultOfProxy(facts)) return true;
  // A proxy that knows no service, as while one is replaced, says nothing about the attempts that reached it.
  const isDecision = status < 500 && ![401, 403, 429].includes(status) && !isForeign;
  return before && !isDecision;
}

/** An answer that a proxy gave in place of the service, which may have had the request: as no answer. */
function isFaultOfProxy({ status, code }: Pick<ErrorFacts, 'status' | 'code'>): boolean {
  return status >= 500 && code.startsWith('HTTP_');
}

/**
 * Asks a credential for a call. Its failure becomes that of the call: a change that an earlier attempt may have written
 * is to be repeated with its key, also when the session has ended meanwhile.
 */
async function ofCall<T>(give: () => Promise<T>, { idempotencyKey }: OutgoingRequest, isUnknown: boolean): Promise<T> {
  try {
    return await give();
  } catch (error) {
    const isOwn = error instanceof DispatchError;
    if (idempotencyKey === undefined || !(isOwn || isUnknown)) throw error;
    const facts = isOwn ? error : ({ status: 0, code: 'NO_ANSWER' } as const);
    const message = isOwn ? error.message : `no credential (${wordsOf(error)})`;
    throw new DispatchError(message, { ...facts, idempotencyKey, isOutcomeUnknown: isUnknown, cause: error });
  }
}

/**
 * The same headers. Throws TypeError for one that `fetch` would refuse, as it does for a lost connection: no further
 * attempt mends a fault of the program. Its value may be a secret.
 */
function sendable(headers: SentHeaders): SentHeaders {
  for (const [name, value] of Object.entries(headers)) {
    new Headers().set(name, '');
    // Line ends around a value, as of a key read from a file, are left out by `fetch`.
    const sent = value.replace(/^[\t\r\n ]+|[\t\r\n ]+$/g, (ends) => ' '.repeat(ends.length));
    // `Headers` takes more than may be sent: other control characters.
    const at = sent.search(/[^\t\x20-\x7e\x80-\xff]/);
    const code = sent.codePointAt(at)?.toString(16).toUpperCase().padStart(4, '0');
    if (at >= 0) throw new TypeError(`the header ${name} cannot have the character U+${code}, which it has at ${at}`);
  }
  return headers;
}

async function attemptOnce<T>(
  { fetch, retry }: Transport,
  { method, url, headers, body, idempotencyKey, signal }: OutgoingRequest,
  own: SentHeaders,
  read: Read<T>,
): Promise<Outcome<T>> {
  signal?.throwIfAborted();
  const attempt = new AbortController();
  const timer = setTimeout(() => attempt.abort(new Error(`no answer within ${retry.attemptMs} ms`)), retry.attemptMs);
  const onAbort = () => attempt.abort(signal!.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  const letGo = () => signal?.removeEventListener('abort', onAbort);
  let isHeld = false;
  const holdOpen = (response: Response) => {
    isHeld = true;
    return watched(response, letGo);
  };
  try {
    const response = await fetch(url, {
      method,
      headers: { ...own, ...headers, ...(idempotencyKey ? { 'idempotency-key': idempotencyKey } : {}) },
      ...(body === undefined ? {} : { body }),
      signal: attempt.signal,
    });
    if (response.ok || response.status === 304) return { value: await read(response, holdOpen) };
    return { facts: refusalFacts(response.status, response.headers, await response.text()) };
  } catch (error) {
    signal?.throwIfAborted();
    const cause = attempt.signal.aborted ? attempt.signal.reason : error;
    return { facts: { message: `no answer (${wordsOf(cause)})`, status: 0, code: 'NO_ANSWER', cause } };
  } finally {
    clearTimeout(timer);
    if (!isHeld) letGo();
  }
}

/** The same answer. `onEnd` is called when its body has been read, was given up or broke off. */
function watched(response: Response, onEnd: () => void): Response {
  const { body, url, status, statusText, headers } = response;
  if (!body) {
    onEnd();
    return response;
  }
  const reader = body.getReader();
  const bytes = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { value, done } = await reader.read();
          if (!done) return controller.enqueue(value);
          controller.close();
          onEnd();
        } catch (error) {
          onEnd();
          throw error;
        }
      },
      cancel(reason) {
        onEnd();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  return Object.defineProperty(new Response(bytes, { status, statusText, headers }), 'url', { value: url });
}

/** `fetch` hides the reason of a failed connection in the cause of its error. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
