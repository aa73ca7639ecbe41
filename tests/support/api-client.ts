import { Agent, request } from 'node:http';
import { type Client, createClient } from '../../gateway/client/create-client.ts';
import type { CallOf } from '../../gateway/client/document-types.ts';
import { LIMITS } from '../../schema/limits.ts';
import type { TaskView } from '../../schema/tasks/task-view.ts';
import {
  type ApiBody,
  type ApiHeaders,
  type ApiReply,
  createClientCalls,
  credential,
  type RawRequest,
  toResponse,
} from './client-calls.ts';
import { checkAnswer } from './contract/check-contract.ts';

export type { ApiBody, ApiHeaders, ApiReply, RawRequest };
export { credential };

export interface TaskList {
  readonly items: TaskView[];
  readonly count: number;
}

export interface ApiClient {
  /** A path below `/api/v1`. Sends the key and encodes the JSON body. */
  get<T = TaskView>(path: string, headers?: ApiHeaders): Promise<ApiReply<T>>;
  post<T = TaskView>(path: string, body: unknown, headers?: ApiHeaders): Promise<ApiReply<T>>;
  put<T = TaskView>(path: string, body: unknown, headers?: ApiHeaders): Promise<ApiReply<T>>;
  patch<T = TaskView>(path: string, body: unknown, headers?: ApiHeaders): Promise<ApiReply<T>>;
  delete<T = object>(path: string, body?: unknown, headers?: ApiHeaders): Promise<ApiReply<T>>;
  list(query?: string): Promise<ApiReply<TaskList>>;
  /** Creates a task from `taskInput(overrides)` and returns it; throws when it is refused. */
  createTask(overrides?: object, headers?: ApiHeaders): Promise<TaskView>;
  /** The client that we give to integrators, with the same credential. It throws at once where it would retry. */
  readonly dispatch: Client;
  /** Sends exactly these bytes, with no key and only the given headers. */
  raw<T = TaskView>(message: RawRequest): Promise<ApiReply<T>>;
  /** Closes the kept connections. */
  close(): void;
}

const REQUEST_MS = 60_000;
/**
 * The client drops an idle connection long before the server closes it: otherwise the next request could meet the
 * close.
 */
const IDLE_MS = LIMITS.idleConnectionMs / 3;
const CONNECTIONS = 128;

/**
 * A client of one channel, or of a session by its access token. It throws ContractBreach for an answer that the OpenAPI
 * document does not have. Close it, or the test's process waits for its connections.
 */
export function createApiClient({ baseUrl, key }: { readonly baseUrl: string; readonly key: string }): ApiClient {
  const agent = new Agent({ keepAlive: true, timeout: IDLE_MS, maxSockets: CONNECTIONS });
  const raw = <T>(message: RawRequest) => send<T>(baseUrl, agent, message);
  const call = createClientCalls(baseUrl, key, raw);
  return {
    get: (path, headers) => call('get', path, undefined, headers),
    post: (path, body, headers) => call('post', path, body, headers),
    put: (path, body, headers) => call('put', path, body, headers),
    patch: (path, body, headers) => call('patch', path, body, headers),
    delete: (path, body, headers) => call('delete', path, body, headers),
    list: (query = '') => call('get', `/tasks${query === '' ? '' : `?${query}`}`, undefined),
    async createTask(overrides, headers) {
      const reply = await call<TaskView>('post', '/tasks', taskInput(overrides), headers);
      if (reply.status !== 201) throw new Error(`POST /tasks answered ${reply.status}: ${reply.text}`);
      return reply.body.data;
    },
    dispatch: createClient({
      baseUrl,
      ...(key.startsWith('da_') ? { token: () => key } : { apiKey: key }),
      retry: { giveUpAfterMs: 0 },
      fetch: fetchThrough(raw),
    }),
    raw,
    close: () => agent.destroy(),
  };
}

/** A body that POST /tasks accepts; an override of undefined removes a field. */
export function taskInput(overrides: object = {}): CallOf<'post', '/tasks'>['body'] & Record<string, unknown> {
  return {
    name: 'Two boxes of books',
    taskType: 'delivery',
    customer: { name: 'Ada Lovelace', phone: '+442079460001' },
    location: { address: '12 St James Square, London', latitude: 51.5072178, longitude: -0.1357 },
    ...overrides,
  };
}

/** A `fetch` over the connections of a test's client, which end with it. Not for streams. */
function fetchThrough(raw: ApiClient['raw']): typeof fetch {
  return async (target, { method = 'GET', headers, body } = {}) => {
    const { pathname, search } = new URL(String(target));
    const sent = Object.fromEntries(new Headers(headers));
    return toResponse(await raw({ method, path: pathname + search, headers: sent, body: body as string | undefined }));
  };
}

function send<T>(
  baseUrl: string,
  agent: Agent,
  { method, path, headers = {}, body }: RawRequest,
): Promise<ApiReply<T>> {
  const { hostname, port } = new URL(baseUrl);
  const sent = Object.entries(headers).filter((entry): entry is [string, string | string[]] => entry[1] !== undefined);
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { agent, hostname, port, method, path, timeout: REQUEST_MS, headers: { ...length, ...Object.fromEntries(sent) } },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          const { statusCode: status = 0, headers: received } = incoming;
          try {
            checkAnswer({ method, path, status, contentType: received['content-type'], text });
            resolve({ status, headers: received, text, body: parse(text) as ApiBody<T> });
          } catch (breach) {
            reject(breach as Error);
          }
        });
      },
    );
    outgoing.on('timeout', () => outgoing.destroy(new Error(`${method} ${path}: no answer within ${REQUEST_MS} ms`)));
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
