import { connect, type Socket } from 'node:net';
import { requestHead } from '../load/http-pool.ts';
import { serveOrder, sleepFully } from '../load/serve-order.ts';
import { FailureCount } from '../locations/failure-count.ts';
import { seededNumbers } from '../scenarios/seeded-numbers.ts';
import type { ViewerOrder, ViewerOutcome } from './viewer-order.ts';

/**
 * Maps, each with a stream of positions of its own. One that changes its box opens the new stream, and ends the old one
 * when the new one is ready.
 */

const PERIOD_MS = 1_000;
const SPREAD_MS = 10;
const READY = 'event: stream.ready';
const MESSAGE = 'event: agent.locations_updated';

/** The sightings of all viewers. */
class Seen {
  readonly failures = new FailureCount();
  opened = 0;
  messages = 0;
  bytes = 0;
  isInWindow = false;
  isOver = false;
}

class Viewer {
  readonly #order: ViewerOrder;
  readonly #seen: Seen;
  readonly #draw: (bound: number) => number;
  #shown: Socket | undefined;

  constructor(order: ViewerOrder, seen: Seen, seed: number) {
    this.#order = order;
    this.#seen = seen;
    this.#draw = seededNumbers(seed);
  }

  /** Shows another box from the moment on in which its stream is ready. */
  open(): void {
    const { url, apiKey } = this.#order;
    const target = new URL(url);
    const path = `${target.pathname}?types=agent.locations_updated&bbox=${this.#box()}`;
    const socket = connect(Number(target.port), target.hostname);
    let isReady = false;
    // The end of what was read before, since a line may be cut.
    let rest = '';
    socket.on('data', (bytes) => {
      const text = rest + bytes.toString('latin1');
      if (!isReady && text.includes(READY)) {
        isReady = true;
        this.#seen.opened += 1;
        this.#shown?.destroy();
        this.#shown = socket;
      } else if (!isReady && text.startsWith('HTTP') && !text.startsWith('HTTP/1.1 200')) {
        this.#seen.failures.add(`status ${text.slice(9, 12)}`, text);
        socket.destroy();
      }
      if (this.#seen.isInWindow) {
        this.#seen.bytes += bytes.length;
        this.#seen.messages += text.split(MESSAGE).length - 1;
      }
      rest = text.slice(1 - MESSAGE.length);
    });
    socket.on('error', (error) => this.#seen.failures.add('connection', error.message));
    socket.on('end', () => {
      if (!this.#seen.isOver && socket === this.#shown) this.#seen.failures.add('ended', 'the server ended a stream');
    });
    socket.write(`${requestHead('GET', path, target, { 'x-api-key': apiKey })}accept: text/event-stream\r\n\r\n`);
  }

  close(): void {
    this.#shown?.destroy();
  }

  /** A part of the agents' town, from a few streets to a half of it. */
  #box(): string {
    const width = 5_000 + this.#draw(95_000);
    const height = Math.round(width * 0.6);
    const west = 13_300_000 + this.#draw(200_000 - width);
    const south = 52_400_000 + this.#draw(200_000 - height);
    return [west, south, west + width, south + height].map((millionths) => millionths / 1e6).join(',');
  }
}

serveOrder(async (order: ViewerOrder, tellWindow, tellReady): Promise<ViewerOutcome> => {
  const seen = new Seen();
  const viewers = Array.from({ length: order.streams }, (_, index) => new Viewer(order, seen, index));
  const stop = order.changesBoxes ? openInTurn(viewers) : openOnce(viewers);
  await sleepFully(order.warmUpSeconds * 1_000);
  tellReady();
  tellWindow('start');
  seen.isInWindow = true;
  await sleepFully(order.seconds * 1_000);
  seen.isInWindow = false;
  tellWindow('end');
  seen.isOver = true;
  stop();
  for (const viewer of viewers) viewer.close();
  const { opened, messages, bytes, failures } = seen;
  return { opened, messages, bytes, failures: failures.failures, firstFailure: failures.firstFailure };
});

function openOnce(viewers: readonly Viewer[]): () => void {
  for (const viewer of viewers) viewer.open();
  return () => {};
}

/** Spread over the second. */
function openInTurn(viewers: readonly Viewer[]): () => void {
  const startedAt = performance.now();
  let opened = 0;
  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - startedAt) * viewers.length) / PERIOD_MS);
    for (; opened < due; opened++) viewers[opened % viewers.length]!.open();
  }, SPREAD_MS);
  return () => clearInterval(timer);
}
