import { readFileSync } from 'node:fs';
import type { Json } from '../../../gateway/openapi/json-schema.ts';
import { nameOf } from '../../../gateway/openapi/openapi-document.ts';
import { Router } from '../../../gateway/router.ts';
import { type ApiClient, credential } from '../api-client.ts';
import { ROUTES } from './described-api.ts';
import { steady } from './steady-text.ts';

/** A call of an operation and its answer. */
export interface Exchange {
  /** The request line: `GET /api/v1/tasks?limit=1`. */
  readonly call: string;
  /** The JSON body. */
  readonly request?: unknown;
  readonly status: number;
  /** JSON, or the text of an answer that is not. */
  readonly response: unknown;
}

/** The committed exchanges, by operation. */
export const EXAMPLES_FILE = new URL('../../../docs/examples.json', import.meta.url);

export function readExamples(): Record<string, Exchange> {
  return JSON.parse(readFileSync(EXAMPLES_FILE, 'utf8')) as Record<string, Exchange>;
}

/** Resolves with the data of the answer. Rejects when that is no success. */
export type Call = (method: string, path: string, body?: unknown) => Promise<Json>;

const router = new Router(ROUTES);

/** Makes calls and keeps the first success of each operation, without what differs from one run to the next. */
export class ExchangeRecorder {
  readonly exchanges = new Map<string, Exchange>();
  readonly #startedAtMs = Date.now();
  readonly #client: Pick<ApiClient, 'raw'>;

  constructor(client: Pick<ApiClient, 'raw'>) {
    this.#client = client;
  }

  /** A caller with a key or an access token, or none. Its paths are those below /api/v1. */
  caller(secret?: string): Call {
    const who = secret === undefined ? {} : credential(secret);
    return (method, path, body) => this.#call(who, method, `/api/v1${path}`, body);
  }

  /** A call of a path at the root. */
  readonly atRoot: Call = (method, path) => this.#call({}, method, path, undefined);

  /** Keeps an exchange that was had elsewhere, such as the beginning of a stream. */
  keep(method: string, path: string, exchange: Omit<Exchange, 'call'>): void {
    const found = router.match(method, path.replace(/\?.*$/, ''));
    if (found.kind !== 'found') throw new Error(`${method} ${path} is no route`);
    const { operationId } = nameOf(found.route);
    if (this.exchanges.has(operationId)) return;
    const text = JSON.stringify({ call: `${method} ${path}`, ...exchange });
    this.exchanges.set(operationId, JSON.parse(steady(text, this.#startedAtMs)) as Exchange);
  }

  async #call(who: Readonly<Record<string, string>>, method: string, path: string, request: unknown): Promise<Json> {
    const { status, text, body, headers } = await this.#client.raw<Json>({
      method,
      path,
      headers: { ...who, ...(request === undefined ? {} : { 'content-type': 'application/json' }) },
      body: request === undefined ? undefined : JSON.stringify(request),
    });
    if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${text}`);
    const response = headers['content-type']?.startsWith('application/json') ? body : text;
    this.keep(method, path, { ...(request === undefined ? {} : { request }), status, response });
    return body?.data ?? {};
  }
}
