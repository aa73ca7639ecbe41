import type { EventEmitter } from 'node:events';
import autocannon from 'autocannon';
import { findLoad } from '../scenarios/find-load.ts';
import type { Load, LoadRequest } from '../scenarios/scenario.ts';
import { percentile } from '../statistics.ts';
import { type LoadOrder, type LoadOutcome, RECONNECT_AFTER } from './load-messages.ts';
import { serveOrder, sleepFully } from './serve-order.ts';

/**
 * The load generator, a process of its own so that its CPU can be measured apart. Its connections stay open and busy
 * from the start of the warm-up to the end of the window; only answers inside the window count.
 */

/** Longer than the gateway's own deadline for a request, which answers first. */
const TIMEOUT_SECONDS = 20;
/** The delay before the connections are closed after the window. */
const STOP_CHECK_MS = 100;

serveOrder(runLoad);

async function runLoad(order: LoadOrder, tellWindow: (edge: 'start' | 'end') => void): Promise<LoadOutcome> {
  const load = findLoad(order.load, order.tasksPerRequest);
  if (!load) throw new Error(`no load ${order.load}`);
  const seen = {
    statuses: {} as Record<string, number>,
    errors: 0,
    wrongBodies: 0,
    firstWrongBody: undefined as string | undefined,
  };
  const latencies: number[] = [];
  let inWindow = false;

  const { run, ended } = fire(load, order);
  const events = run as unknown as EventEmitter;
  events.on('response', (_client, status: number, _bytes: number, latencyMs: number) => {
    seen.statuses[status] = (seen.statuses[status] ?? 0) + 1;
    if (inWindow) latencies.push(latencyMs);
  });
  events.on('reqError', () => {
    seen.errors += 1;
  });
  events.on('reqMismatch', (body: unknown) => {
    seen.wrongBodies += 1;
    seen.firstWrongBody ??= String(body).slice(0, 500);
  });

  await sleepFully(order.warmUpSeconds * 1_000);
  tellWindow('start');
  inWindow = true;
  const startedAt = performance.now();
  await sleepFully(order.seconds * 1_000);
  inWindow = false;
  const windowMs = performance.now() - startedAt;
  tellWindow('end');
  (run as unknown as { stop(): void }).stop();
  await ended;
  return { ...seen, ...summarize(latencies), operations: latencies.length, windowMs };
}

/** `ended` resolves when the connections are closed. */
function fire(load: Load, order: LoadOrder) {
  const { connections, seed } = order;
  let connection = 0;
  let hasEnded = () => {};
  const ended = new Promise<void>((resolve) => {
    hasEnded = resolve;
  });
  const options: autocannon.Options = {
    url: order.baseUrl,
    connections,
    // Ended by us; this only has to be longer.
    duration: Math.ceil(order.warmUpSeconds + order.seconds) + 60,
    timeout: TIMEOUT_SECONDS,
    reconnectRate: RECONNECT_AFTER,
    sampleInt: STOP_CHECK_MS,
    headers: { 'x-api-key': order.apiKey, 'content-type': 'application/json' },
    verifyBody: (body) => load.isAnswer(String(body)),
    setupClient(client) {
      const requests = load.requestsFor({ connection: connection++, connections, seed });
      client.setRequests(requests as unknown as autocannon.Request[]);
      stampWhatIsSent(client as unknown as ClientInside, requests as unknown as EncodedRequest[]);
    },
  };
  return { run: autocannon(options, () => hasEnded()), ended };
}

/**
 * The parts of autocannon that its types omit: it encodes a request once, and asks itself for the bytes at each send.
 */
interface EncodedRequest extends LoadRequest {
  readonly requestBuffer: Buffer;
}
interface ClientInside {
  readonly requestIterator: { readonly currentRequest: EncodedRequest };
  getRequestBuffer(): Buffer;
}

/** A stamp in the bytes of its request. */
interface StampPlace {
  readonly at: number;
  readonly next: () => string;
}

/**
 * Overwrites stamps in place: encoding requests again takes more CPU than the rest of the generator's work for them. A
 * stamp must take almost none, or loads with more stamps would be slower for that.
 */
function stampWhatIsSent(client: ClientInside, requests: readonly EncodedRequest[]): void {
  const places = new Map(requests.map((request) => [request, placesOf(request)]));
  client.getRequestBuffer = () => {
    const { currentRequest } = client.requestIterator;
    const { requestBuffer } = currentRequest;
    for (const { at, next } of places.get(currentRequest)!) overwrite(requestBuffer, at, next());
    return requestBuffer;
  };
}

function placesOf({ requestBuffer, stamps }: EncodedRequest): StampPlace[] {
  return stamps.map(({ text, next }) => {
    const at = requestBuffer.indexOf(text);
    if (at < 0) throw new Error(`a request lacks what is to be stamped: ${text}`);
    return { at, next };
  });
}

function overwrite(bytes: Buffer, at: number, ascii: string): void {
  for (let index = 0; index < ascii.length; index++) bytes[at + index] = ascii.charCodeAt(index);
}

function summarize(latencies: readonly number[]) {
  if (latencies.length === 0) return { p50Ms: 0, p99Ms: 0, maxMs: 0 };
  const sorted = Float64Array.from(latencies).sort();
  return { p50Ms: percentile(sorted, 0.5), p99Ms: percentile(sorted, 0.99), maxMs: sorted.at(-1)! };
}
