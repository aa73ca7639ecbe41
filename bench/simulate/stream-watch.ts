import { type ClientRequest, type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { credentialHeader } from './simulator-api.ts';
import { kindOf, type Tally } from './tally.ts';

export interface StreamWatchOptions {
  readonly target: URL;
  readonly organizationId: number;
  /** A channel's key, or an access token. */
  readonly credential: string;
  /** Positions of others are not counted. */
  readonly agentIds: ReadonlySet<number>;
  readonly tally: Tally;
}

/** The part of a position that the watch needs, at any place in a frame. */
interface SeenPosition {
  readonly agentId: number;
  readonly recordedAt: string;
}

const RECONNECT_MS = 1_000;
/** The server's heartbeat comes every 15 s. */
const SILENCE_MS = 40_000;

/**
 * Follows the organization's stream as a console does, and measures how old positions are when they come. Each position
 * counts once, when it is newer than the one before it. Comes back by Last-Event-ID when the stream ends.
 */
export class StreamWatch {
  readonly #options: StreamWatchOptions;
  readonly #newest = new Map<number, string>();
  #request: ClientRequest | undefined;
  #timer: NodeJS.Timeout | undefined;
  #lastEventId: string | undefined;
  #isStopped = false;

  constructor(options: StreamWatchOptions) {
    this.#options = options;
    this.#connect();
  }

  /** `recordedAt` of the newest position of an agent that came, as an ISO time. */
  newestOf(agentId: number): string | undefined {
    return this.#newest.get(agentId);
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#request?.destroy();
  }

  #connect(): void {
    const { target, organizationId, credential } = this.#options;
    const resume = this.#lastEventId === undefined ? {} : { 'last-event-id': this.#lastEventId };
    const url = new URL(`/api/v1/realtime/organizations/${organizationId}/events`, target);
    const send = url.protocol === 'https:' ? requestTls : requestPlain;
    const headers = { ...credentialHeader(credential), ...resume };
    const outgoing = send(url, { agent: false, headers, timeout: SILENCE_MS }, (incoming) => this.#read(incoming));
    this.#request = outgoing;
    outgoing.on('timeout', () => outgoing.destroy(new Error(`the stream kept silent for ${SILENCE_MS} ms`)));
    outgoing.on('error', (error) => this.#fail(kindOf(error), error.message));
    outgoing.on('close', () => this.#comeBack());
    outgoing.end();
  }

  #read(incoming: IncomingMessage): void {
    if (incoming.statusCode !== 200) {
      this.#fail(`${incoming.statusCode}`, `the stream was refused with ${incoming.statusCode}`);
      incoming.destroy();
      return;
    }
    const parser = createParser({ onEvent: (message) => this.#onEvent(message) });
    incoming.setEncoding('utf8').on('data', (text: string) => parser.feed(text));
    incoming.on('error', (error) => this.#fail(kindOf(error), error.message));
  }

  #onEvent({ id, event = 'message', data }: EventSourceMessage): void {
    if (id !== undefined) this.#lastEventId = id;
    if (event === 'stream.resync') this.#fail('stream.resync', data);
    this.#options.tally.event(event);
    if (event !== 'agent.locations_updated') return;
    const now = Date.now();
    for (const position of positionsIn(JSON.parse(data))) this.#onPosition(position, now);
  }

  #onPosition({ agentId, recordedAt }: SeenPosition, now: number): void {
    const { agentIds, tally } = this.#options;
    if (!agentIds.has(agentId)) return;
    const last = this.#newest.get(agentId);
    if (last !== undefined && last >= recordedAt) return;
    this.#newest.set(agentId, recordedAt);
    tally.seen.add(Math.max(0, now - Date.parse(recordedAt)));
  }

  #fail(kind: string, example: string): void {
    if (!this.#isStopped) this.#options.tally.error(`stream: ${kind}`, example);
  }

  #comeBack(): void {
    if (this.#isStopped) return;
    this.#options.tally.reconnects += 1;
    this.#timer = setTimeout(() => this.#connect(), RECONNECT_MS);
  }
}

/** The positions of a frame's body: the first list of objects with an agent and a time. */
function positionsIn(value: unknown): readonly SeenPosition[] {
  if (Array.isArray(value)) return value as SeenPosition[];
  if (typeof value !== 'object' || value === null) return [];
  for (const part of Object.values(value)) {
    if (typeof part !== 'object' || part === null) continue;
    const found = positionsIn(part);
    if (found.length > 0) return found;
  }
  return [];
}
