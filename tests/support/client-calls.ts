import assert from 'node:assert/strict';
import type { IncomingHttpHeaders } from 'node:http';
import { type Answer, createClient, type LooseCall } from '../../gateway/client/create-client.ts';
import { DispatchError } from '../../gateway/client/dispatch-error.ts';
import type { TaskView } from '../../schema/tasks/task-view.ts';

/** Every field that a JSON body of the API may have. Tests assert which of them are there. */
export interface ApiBody<T> {
  readonly statusIndicator: string;
  readonly statusCode: number;
  readonly message: string | string[];
  readonly data: T;
  readonly metadata: {
    readonly timestamp: string;
    readonly correlationId: string;
    readonly path: string;
    readonly duration: number;
    readonly position: string;
  };
  readonly error: string;
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly meta: { readonly requestId: string; readonly path: string; readonly method: string };
}

export interface ApiReply<T = TaskView> {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The body as it arrived. */
  readonly text: string;
  /** The parsed body; undefined when it is empty or not JSON. */
  readonly body: ApiBody<T>;
}

/** A list sends the header several times; undefined removes it. */
export type ApiHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface RawRequest {
  readonly method: string;
  /** The target as it stands in the request line: `/api/v1/tasks?limit=1`. */
  readonly path: string;
  readonly headers?: ApiHeaders;
  readonly body?: string | Buffer | undefined;
}

export type SendRaw = <T>(message: RawRequest) => Promise<ApiReply<T>>;

export type CallMethod = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** The header that carries a key or an access token. */
export function credential(secret: string): Readonly<Record<string, string>> {
  return secret.startsWith('da_') ? { authorization: `Bearer ${secret}` } : { 'x-api-key': secret };
}

/**
 * Makes the calls of tests with the client that we give to integrators, and holds what it says of each answer to the
 * answer itself. It asks once: tests want to see refusals that pass. The headers and the body of the test win over the
 * client's own.
 */
export function createClientCalls(baseUrl: string, key: string, send: SendRaw) {
  const headers = async () => credential(key);
  return async <T>(
    method: CallMethod,
    path: string,
    body: unknown,
    ownHeaders: ApiHeaders = {},
  ): Promise<ApiReply<T>> => {
    let answered: Promise<ApiReply<T>> | undefined;
    const client = createClient({
      baseUrl,
      session: { headers, renew: async () => false },
      retry: { giveUpAfterMs: 0, attemptMs: LONGER_THAN_A_REQUEST_MS },
      fetch: async (target, sent) => {
        // A test that wants a key gives one.
        const { 'idempotency-key': _, ...given } = Object.fromEntries(new Headers(sent?.headers));
        if (body === undefined) delete given['content-type'];
        answered = send<T>({
          method: sent!.method!,
          path: String(target).slice(baseUrl.length),
          headers: { ...given, ...ownHeaders },
          body: body === undefined ? undefined : JSON.stringify(body),
        });
        return toResponse(await answered);
      },
    });
    const call = client[method] as (path: string, call: LooseCall) => Promise<Answer<unknown>>;
    const outcome = await call(path, { body }).catch((error: unknown) => error);
    if (!answered) throw outcome;
    const reply = await answered;
    judge(reply, outcome);
    return reply;
  };
}

/** The request has its own deadline, whose error names it. */
const LONGER_THAN_A_REQUEST_MS = 120_000;

/** Throws when the client tells something else than the answer. */
function judge({ status, headers, text, body }: ApiReply<unknown>, outcome: unknown): void {
  // Files, pages and answers without a body are read with `open`.
  if (!headers['content-type']?.startsWith('application/json') || text === '') return;
  if (status >= 400) {
    assert(outcome instanceof DispatchError, `the client took ${status} for a success`);
    const { violations, details } = outcome;
    const told = { status: outcome.status, code: outcome.code, violations, details };
    assert.deepEqual(told, {
      status,
      code: body.code ?? outcome.code,
      violations: Array.isArray(body.message) ? body.message : [],
      details: body.details ?? {},
    });
    return;
  }
  if (outcome instanceof Error) throw outcome;
  const { data, position, etag, isReplayed, status: told } = outcome as Answer<unknown>;
  assert.deepEqual(
    { status: told, data, position, etag, isReplayed },
    {
      status,
      data: body.data,
      position: body.metadata.position,
      etag: headers.etag,
      isReplayed: headers['idempotency-replayed'] === 'true',
    },
  );
}

/** An answer that Node read, as `fetch` gives it. */
export function toResponse({ status, headers, text }: ApiReply<unknown>): Response {
  const received = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
  return new Response([204, 304].includes(status) ? null : text, { status, headers: received });
}
