import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { createParser } from 'eventsource-parser';
import { credential } from './api-client.ts';
import { checkMessage } from './contract/check-contract.ts';
import { ClientStream } from './contract/client-stream.ts';
import { PATIENCE_MS } from './until.ts';

/** The data of every kind of message that a stream sends. */
export interface StreamData {
  readonly id: string;
  readonly type: string;
  readonly sequence: number;
  readonly organizationId: number;
  readonly data: { readonly task: { readonly id: number; readonly status: string; readonly isDelayed: boolean } };
  /** The data of `stream.ready` and `stream.resync`. */
  readonly history: string;
  readonly position: string;
  readonly serverTime: string;
  readonly reason: string;
}

export interface StreamMessage {
  readonly id: string | undefined;
  readonly event: string | undefined;
  readonly data: StreamData;
}

export interface EventStreamOptions {
  /** A channel's key or an access token; without it no header carries a credential. */
  readonly key?: string;
  /** A path below /api/v1; the organization's stream by default. */
  readonly path?: string;
  readonly organizationId: number;
  /** The header Last-Event-ID. */
  readonly lastEventId?: string;
  /** The query without the `?`. */
  readonly query?: string;
}

export interface EventStreamClient {
  readonly headers: IncomingHttpHeaders;
  /** Ids of all messages received so far, in order; of control messages too. */
  readonly ids: readonly string[];
  readonly comments: readonly string[];
  /** The id that a client sends to resume. */
  readonly lastEventId: string | undefined;
  /**
   * Resolves with the next message, in order. Rejects after `timeoutMs`, when the stream has ended and nothing is left,
   * or when the client that we give to integrators makes something else of the same bytes.
   */
  next(timeoutMs?: number): Promise<StreamMessage>;
  /** Resolves with the next `count` messages from the log, without control messages. */
  take(count: number, timeoutMs?: number): Promise<StreamMessage[]>;
  /** Resolves when the server has ended the stream. */
  readonly ended: Promise<void>;
  /** Throws when a message was not what the AsyncAPI document says; `next` does so too. */
  close(): void;
}

/** A stream that was not opened, with its answer. */
export class StreamRefused extends Error {
  readonly status: number;
  readonly text: string;

  constructor(status: number, text: string) {
    super(`the stream was refused with ${status}: ${text}`);
    this.status = status;
    this.text = text;
  }
}

/** Opens the organization's stream; resolves once its head has arrived. Throws StreamRefused on any status but 200. */
export async function openEventStream(baseUrl: string, options: EventStreamOptions): Promise<EventStreamClient> {
  const { key, organizationId, lastEventId, query = '' } = options;
  const place = options.path ?? `/realtime/organizations/${organizationId}/events`;
  const path = `/api/v1${place}${query === '' ? '' : `?${query}`}`;
  const headers = {
    ...(key === undefined ? {} : credential(key)),
    ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
  };
  const outgoing = request(new URL(path, baseUrl), { agent: false, headers });
  outgoing.end();
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  if (incoming.statusCode !== 200) throw new StreamRefused(incoming.statusCode!, await textOf(incoming));
  return read(incoming);
}

interface Received {
  readonly ids: string[];
  readonly comments: string[];
  readonly messages: StreamMessage[];
}

/** Takes the text of a stream, piece by piece. Throws ContractBreach. */
function createFeed({ ids, comments, messages }: Received, client: ClientStream): (text: string) => void {
  const parser = createParser({
    onEvent({ id, event, data }) {
      if (id !== undefined) ids.push(id);
      const body = JSON.parse(data) as StreamData;
      checkMessage(event ?? 'message', body);
      messages.push({ id, event, data: body });
    },
    onComment: (comment) => void comments.push(comment),
  });
  return (text) => {
    parser.feed(text);
    client.feed(text);
  };
}

function read(incoming: IncomingMessage): EventStreamClient {
  const ids: string[] = [];
  const comments: string[] = [];
  const messages: StreamMessage[] = [];
  let hasEnded = false;
  let breach: Error | undefined;
  let wake = () => {};
  const client = new ClientStream();
  const feed = createFeed({ ids, comments, messages }, client);
  incoming.setEncoding('utf8').on('data', (text: string) => {
    try {
      feed(text);
    } catch (error) {
      breach ??= error as Error;
    }
    wake();
  });
  // A connection that is cut ends the stream like any other end.
  incoming.on('error', () => {});
  const ended = new Promise<void>((resolve) => incoming.once('close', resolve)).then(() => {
    hasEnded = true;
    wake();
  });

  async function next(timeoutMs = PATIENCE_MS): Promise<StreamMessage> {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      if (breach) throw breach;
      const message = messages.shift();
      if (message) return client.judge(message);
      if (hasEnded) throw new Error('the stream has ended');
      const patience = deadline - performance.now();
      if (patience <= 0) throw new Error(`no message within ${timeoutMs} ms`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, patience);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  async function take(count: number, timeoutMs?: number): Promise<StreamMessage[]> {
    const taken: StreamMessage[] = [];
    while (taken.length < count) {
      const message = await next(timeoutMs);
      if (!message.event?.startsWith('stream.')) taken.push(message);
    }
    return taken;
  }

  return {
    headers: incoming.headers,
    ids,
    comments,
    get lastEventId() {
      return ids.at(-1);
    },
    next,
    take,
    ended,
    close() {
      incoming.destroy();
      if (breach) throw breach;
    },
  };
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of incoming.setEncoding('utf8')) text += chunk;
  return text;
}
