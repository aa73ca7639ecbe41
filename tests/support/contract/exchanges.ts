import { readFileSync } from 'node:fs';
import type { Json } from '../../../gateway/openapi/json-schema.ts';
import { nameOf } from '../../../gateway/openapi/openapi-document.ts';
import { FORM_MEDIA } from '../../../gateway/route.ts';
import { Router } from '../../../gateway/router.ts';
import { type ApiClient, type ApiReply, credential, type RawRequest } from '../api-client.ts';
import { beginningOf } from './beginning-of.ts';
import { ROUTES } from './described-api.ts';
import { steady } from './steady-text.ts';

/** A call of an operation and its answer. */
export interface Exchange {
  /** The request line: `GET /api/v1/tasks?limit=1`. */
  readonly call: string;
  /** The JSON body, or the text of a form. */
  readonly request?: unknown;
  readonly status: number;
  /** Where the answer leads on to, instead of a body. */
  readonly location?: string;
  /** The media type of the body. */
  readonly media?: string;
  /** JSON, or the beginning of a text; absent for other bytes. */
  readonly response?: unknown;
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
    return async (method, path, json) => {
      const body = json === undefined ? undefined : JSON.stringify(json);
      const type = body === undefined ? {} : { 'content-type': 'application/json' };
      const reply = await this.send({ method, path: `/api/v1${path}`, headers: { ...who, ...type }, body });
      return reply.body?.data ?? {};
    };
  }

  /** Opens an address as a browser does. */
  open(path: string): Promise<ApiReply<Json>> {
    return this.send({ method: 'GET', path });
  }

  /** Submits a form as a browser does. */
  submit(path: string, fields: Readonly<Record<string, string>>): Promise<ApiReply<Json>> {
    const body = new URLSearchParams(fields).toString();
    return this.send({ method: 'POST', path, headers: { 'content-type': FORM_MEDIA }, body });
  }

  /** Makes a call with exactly these bytes, and keeps it. Rejects when the answer is a refusal. */
  async send(message: RawRequest): Promise<ApiReply<Json>> {
    const { method, path, body } = message;
    const reply = await this.#client.raw<Json>(message);
    const { status, text } = reply;
    if (status >= 400) throw new Error(`${method} ${path} answered ${status}: ${text}`);
    this.keep(method, path, { ...(body === undefined ? {} : { request: shown(body) }), status, ...answerOf(reply) });
    return reply;
  }

  /** Keeps an exchange that was had elsewhere, such as the beginning of a stream. */
  keep(method: string, path: string, exchange: Omit<Exchange, 'call'>): void {
    const found = router.match(method, path.replace(/\?.*$/, ''));
    if (found.kind !== 'found') throw new Error(`${method} ${path} is no route`);
    const { operationId } = nameOf(found.route);
    if (this.exchanges.has(operationId)) return;
    const text = JSON.stringify({ call: `${method} ${path}`, ...exchange });
    this.exchanges.set(operationId, JSON.parse(steady(text, this.#startedAtMs)) as Exchange);
  }
}

/** JSON, or the text of a form. */
function shown(body: string | Buffer): unknown {
  const text = String(body);
  return text.startsWith('{') ? JSON.parse(text) : text;
}

/** The documents that describe the API have hundreds of kilobytes; no other JSON of the walk has so many. */
const MOST_JSON_CHARS = 50_000;

function answerOf({ headers, text, body }: ApiReply<Json>): Pick<Exchange, 'location' | 'media' | 'response'> {
  const { location, 'content-type': type = '' } = headers;
  if (location !== undefined) return { location };
  const media = type.replace(/;.*$/, '');
  if (media === 'application/json') return { media, response: text.length > MOST_JSON_CHARS ? outlineOf(body) : body };
  if (media === 'application/x-ndjson') return { media, response: text };
  return /^text\/|^image\/svg/.test(media) ? { media, response: beginningOf(text) } : { media };
}

/** A document with its parts left out. */
function outlineOf(document: object): Json {
  const parts = Object.entries(document);
  return Object.fromEntries(parts.map(([name, part]) => [name, typeof part === 'object' ? '…' : part]));
}
