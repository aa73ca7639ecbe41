import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { serveOrder } from '../load/serve-order.ts';
import { SeenDeliveries } from './seen-deliveries.ts';
import type { SinkOrder, SinkOutcome } from './sink-order.ts';

/** The target of deliveries, a process of its own: accepts each with 204 and does as little else as counting takes. */

const ACCEPTED = 'HTTP/1.1 204 No Content\r\n\r\n';
const POLL_MS = 20;

/** One kept-alive connection, with one request under way at a time. */
function serve(socket: Socket, seen: SeenDeliveries): void {
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
  const seen = new SeenDeliveries(order, tellWindow);
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
