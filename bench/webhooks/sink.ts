import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { LatencyHistogram } from '../load/latency-histogram.ts';
import { serveOrder } from '../load/serve-order.ts';
import type { SinkOrder, SinkOutcome } from './sink-order.ts';

/** The target of deliveries, a process of its own: accepts each with 204 and does as little else as counting takes. */

const ACCEPTED = 'HTTP/1.1 204 No Content\r\n\r\n';
const POLL_MS = 20;

class Seen {
  readonly #order: SinkOrder;
  readonly #tellWindow: (edge: 'start' | 'end') => void;
  readonly #from: number;
  readonly #to: number;
  /** By webhook, the sequences that have come. */
  readonly #came: readonly Uint8Array[];
  readonly #newest: Float64Array;
  readonly latencies = new LatencyHistogram();
  unique = 0;
  duplicates = 0;
  outOfOrder = 0;
  startedAt = 0;
  endedAt = 0;

  constructor(order: SinkOrder, tellWindow: (edge: 'start' | 'end') => void) {
    this.#order = order;
    this.#tellWindow = tellWindow;
    this.#from = Math.floor(this.total * order.edge);
    this.#to = Math.ceil(this.total * (1 - order.edge));
    this.#came = Array.from({ length: order.webhooks }, () => new Uint8Array(order.events + 1));
    this.#newest = new Float64Array(order.webhooks);
  }

  get total(): number {
    return this.#order.webhooks * this.#order.events;
  }

  get windowed(): number {
    return this.#to - this.#from;
  }

  take(webhook: number, sequence: number, timestamp: string): void {
    const came = this.#came[webhook]!;
    if (came[sequence] !== 0) {
      this.duplicates += 1;
      return;
    }
    came[sequence] = 1;
    if (sequence < this.#newest[webhook]!) this.outOfOrder += 1;
    this.#newest[webhook] = Math.max(sequence, this.#newest[webhook]!);
    this.unique += 1;
    if (this.unique === this.#from) {
      this.startedAt = performance.now();
      this.#tellWindow('start');
    } else if (this.unique === this.#to) {
      this.endedAt = performance.now();
      this.#tellWindow('end');
    }
    if (this.unique > this.#from && this.unique <= this.#to)
      this.latencies.add(Math.max(0, Date.now() - Date.parse(timestamp)));
  }
}

/** One kept-alive connection, with one request under way at a time. */
function serve(socket: Socket, seen: Seen): void {
  let text = '';
  socket.setNoDelay(true);
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
    const headEnd = text.indexOf('\r\n\r\n');
    if (headEnd === -1) return;
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(text)![1]);
    if (text.length < headEnd + 4 + length) return;
    seen.take(numberAfter(text, 'POST /'), numberAfter(text, '"sequence":'), textAfter(text, '"timestamp":"', 24));
    text = '';
    socket.write(ACCEPTED);
  });
}

function numberAfter(text: string, label: string): number {
  const at = text.indexOf(label) + label.length;
  return Number.parseInt(text.slice(at, at + 12), 10);
}

function textAfter(text: string, label: string, length: number): string {
  const at = text.indexOf(label) + label.length;
  return text.slice(at, at + length);
}

serveOrder(async (order: SinkOrder, tellWindow, tellReady): Promise<SinkOutcome> => {
  const seen = new Seen(order, tellWindow);
  const server = createServer((socket) => serve(socket, seen)).listen(order.port, '127.0.0.1');
  await once(server, 'listening');
  tellReady();
  const givenUpAt = performance.now() + order.patienceMs;
  while (seen.unique < seen.total && performance.now() < givenUpAt) await delay(POLL_MS);
  const { latencies, unique, total, duplicates, outOfOrder, startedAt, endedAt, windowed } = seen;
  return {
    deliveries: windowed,
    windowMs: endedAt - startedAt,
    p50Ms: latencies.percentile(0.5) ?? 0,
    p99Ms: latencies.percentile(0.99) ?? 0,
    maxMs: latencies.maxMs,
    missing: total - unique,
    duplicates,
    outOfOrder,
  };
});
