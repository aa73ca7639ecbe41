import { baseUrlOf } from './base-url.ts';
import { isReplayed } from './dispatch-error.ts';
import type {
  CallArguments,
  CallOf,
  CallOptions,
  DataOf,
  ItemOf,
  ListPath,
  Method,
  PathWith,
} from './document-types.ts';
import { EventStream, type FollowOptions } from './event-stream.ts';
import { type ListPage, listItems } from './list-items.ts';
import { queryText } from './query-text.ts';
import {
  type Credential,
  DEFAULT_RETRY,
  type HoldOpen,
  type RetryPolicy,
  sendRequest,
  type Transport,
} from './send-request.ts';

export interface ClientOptions {
  /** The address of the service, without `/api/v1`: `https://dispatch.example`. */
  readonly baseUrl: string;
  /** The key of a channel. Give this, a session or a token; the tracking calls need none. */
  readonly apiKey?: string;
  /** A signed-in user; see Session. */
  readonly session?: Credential;
  /** Gives an access token for each request. It is asked once more after a 401. */
  readonly token?: () => string | Promise<string>;
  /** The organization in which a super admin acts. */
  readonly organizationId?: number;
  readonly fetch?: typeof fetch;
  /** Ends every call and stream that has no signal of its own. */
  readonly signal?: AbortSignal;
  readonly retry?: Partial<RetryPolicy>;
}

/** A success of the service. */
export interface Answer<Data> {
  readonly data: Data;
  readonly status: number;
  readonly message: string;
  /** The place in the event log at which the answer was true: a stream goes on from it without a gap. */
  readonly position: string | undefined;
  /** The version of a single record; see `ifMatch`. */
  readonly etag: string | undefined;
  /** The call had an answer before, which came again. */
  readonly isReplayed: boolean;
  readonly correlationId: string;
}

type Call<M extends Method> = <P extends PathWith<M>>(
  path: P,
  ...call: CallArguments<CallOf<M, P>>
) => Promise<Answer<DataOf<M, P>>>;

export interface Client {
  readonly get: Call<'get'>;
  readonly post: Call<'post'>;
  readonly put: Call<'put'>;
  readonly patch: Call<'patch'>;
  readonly delete: Call<'delete'>;
  /** Every item of a list, page by page as the loop goes on. */
  items<P extends ListPath>(
    path: P,
    ...call: CallArguments<CallOf<'get', P>>
  ): AsyncGenerator<ItemOf<P>, void, undefined>;
  /** The live events that the caller may read: an agent its own, everyone else the organization's. */
  follow(options?: FollowOptions): EventStream;
  /** An answer without the envelope: receipts, proof files, the export. Its body is not read yet. */
  open(path: PathWith<'get'>, call?: LooseCall): Promise<Response>;
}

/** A call without its types. */
export interface LooseCall extends CallOptions {
  readonly path?: Readonly<Record<string, unknown>> | undefined;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: unknown;
}

interface Envelope {
  readonly data: unknown;
  readonly statusCode: number;
  readonly message: string;
  readonly metadata: { readonly correlationId: string; readonly position?: string };
}

/** As the service has them. An empty one would be left out of the request. */
const IDEMPOTENCY_KEY = /^[\x20-\x7e]{1,255}$/;

const ANYONE: Credential = { headers: async () => ({}), renew: async () => false };

/**
 * Creates a client of the service. A call resolves with a success, and throws DispatchError otherwise. It is repeated
 * while the failure passes (no answer, 429, 502, 503, 504, a 5xx of a proxy), every time under one Idempotency-Key.
 */
export function createClient(options: ClientOptions): Client {
  const baseUrl = baseUrlOf(options.baseUrl);
  const transport: Transport = {
    fetch: options.fetch ?? globalThis.fetch.bind(globalThis),
    retry: { ...DEFAULT_RETRY, ...options.retry },
    credential: withOrganization(credentialOf(options), options.organizationId),
  };

  function send<T>(
    method: Method,
    path: string,
    call: LooseCall,
    read: (response: Response, holdOpen: HoldOpen) => Promise<T>,
  ): Promise<T> {
    const { body, ifMatch, signal, giveUpAfterMs } = call;
    const isChange = method !== 'get';
    const key = isChange ? (call.idempotencyKey ?? crypto.randomUUID()) : undefined;
    if (key !== undefined && !IDEMPOTENCY_KEY.test(key))
      throw new TypeError('an idempotencyKey has 1 to 255 characters of printable ASCII');
    return sendRequest(
      transport,
      {
        method: method.toUpperCase(),
        url: `${baseUrl}/api/v1${targetOf(path, call)}`,
        headers: {
          ...(isChange && { 'content-type': 'application/json' }),
          ...(ifMatch !== undefined && { 'if-match': ifMatch }),
        },
        body: isChange ? JSON.stringify(body ?? {}) : undefined,
        idempotencyKey: key,
        signal: signal ?? options.signal,
        giveUpAfterMs,
      },
      read,
    );
  }

  const caller =
    (method: Method) =>
    (path: string, call: LooseCall = {}) =>
      send(method, path, call, readAnswer);

  return {
    get: caller('get') as Call<'get'>,
    post: caller('post') as Call<'post'>,
    put: caller('put') as Call<'put'>,
    patch: caller('patch') as Call<'patch'>,
    delete: caller('delete') as Call<'delete'>,
    items(path, ...[call]) {
      const loose = (call ?? {}) as LooseCall;
      const read = async (query: LooseCall['query']) =>
        (await send('get', path, { ...loose, query }, readAnswer)).data as ListPage<ItemOf<typeof path>>;
      return listItems(read, loose.query ?? {});
    },
    follow: (follow = {}) => {
      const { signal = options.signal } = follow;
      return new EventStream(transport, baseUrl, signal ? { ...follow, signal } : follow);
    },
    open: (path, call = {}) => send('get', path, call, async (response, holdOpen) => holdOpen(response)),
  };
}

/** `/tasks/{id}` with its ids, and the query. A list is written with commas; undefined is left out. */
function targetOf(path: string, { path: ids = {}, query = {} }: LooseCall): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (ids[name] === undefined) throw new TypeError(`${path} needs a value for ${name}`);
    const id = String(ids[name]);
    // Every URL parser takes these out of a path, which then names something else.
    if (/^\.{0,2}$/.test(id)) throw new TypeError(`${path} needs an id for ${name}, not "${id}"`);
    return encodeURIComponent(id);
  });
  return filled + queryText(query);
}

async function readAnswer(response: Response): Promise<Answer<unknown>> {
  const { data, statusCode, message, metadata } = (await response.json()) as Envelope;
  return {
    data,
    status: statusCode,
    message,
    position: metadata.position,
    etag: response.headers.get('etag') ?? undefined,
    isReplayed: isReplayed(response.headers),
    correlationId: metadata.correlationId,
  };
}

function credentialOf({ apiKey, session, token }: ClientOptions): Credential {
  const given = [apiKey, session, token].filter((one) => one !== undefined);
  if (given.length > 1) throw new TypeError('give one of apiKey, session and token');
  if (apiKey !== undefined) return { ...ANYONE, headers: async () => ({ 'x-api-key': apiKey }) };
  if (token) return { headers: async () => ({ authorization: `Bearer ${await token()}` }), renew: async () => true };
  return session ?? ANYONE;
}

function withOrganization(credential: Credential, organizationId: number | undefined): Credential {
  if (organizationId === undefined) return credential;
  return {
    headers: async () => ({ ...(await credential.headers()), 'x-organization-id': String(organizationId) }),
    renew: (refused) => credential.renew(refused),
  };
}
