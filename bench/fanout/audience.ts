import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { requestHead } from '../load/http-pool.ts';
import { LatencyHistogram } from '../load/latency-histogram.ts';
import { serveOrder } from '../load/serve-order.ts';
import { FailureCount } from '../locations/failure-count.ts';
import type { AudienceOrder, AudienceOutcome } from './fanout-order.ts';
import { monotonicMicros, type Stamp } from './stamp.ts';
import { StampScanner } from './stamp-scanner.ts';

/**
 * The audience, a process of its own: it reads all streams as cheaply as possible, since it shares the machine with the
 * measured servers. Between two rounds over its connections it sleeps for a moment, so that each read finds more.
 */

const PAUSE_MS = 4;
const READ_BYTES = 262_144;
const OPENING_AT_A_TIME = 50;
const OPENING_MS = 20_000;
/** A stream whose head has come may not have reached the publishing process yet. */
const SETTLE_MS = 500;
/** After the schedule: a later event has failed. */
const GRACE_MS = 5_000;
const POLL_MS = 20;

/** All connections share it: bytes are processed before the next read. */
const readBuffer = Buffer.allocUnsafe(READ_BYTES);

/** The sightings of all subscribers. */
class Seen {
  readonly latencies = new LatencyHistogram();
  readonly failures = new FailureCount();
  received = 0;
  outOfTurn = 0;
  complete = 0;
  isOver = false;
}

class Subscriber {
  #received = 0;
  /** Events in the order of arrival. */
  order = 0;
  readonly hasHead: Promise<void>;
  readonly #seen: Seen;
  readonly #audience: AudienceOrder;
  /** The next expected number of each publisher. */
  readonly #next: Float64Array;
  readonly #scanner: StampScanner;
  readonly #socket: Socket;
  #readAt = 0;
  #onHead = () => {};

  constructor(audience: AudienceOrder, seen: Seen) {
    this.#audience = audience;
    this.#seen = seen;
    this.#next = new Float64Array(audience.publishers);
    this.#scanner = new StampScanner(audience.leap, (stamp) => this.#take(stamp));
    this.hasHead = new Promise((resolve) => {
      this.#onHead = resolve;
    });
    const target = new URL(audience.url);
    this.#socket = connect({
      host: target.hostname,
      port: Number(target.port),
      onread: { buffer: readBuffer, callback: (bytes) => this.#read(bytes) },
    });
    this.#socket.on('error', (error) => this.#fail(error.message));
    this.#socket.on('close', () => this.#fail('a stream ended'));
    const path = `${target.pathname}${target.search}`;
    this.#socket.write(`${requestHead('GET', path, target, audience.headers)}accept: text/event-stream\r\n\r\n`);
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(bytes: number): boolean {
    this.#readAt = monotonicMicros();
    try {
      this.#scanner.read(readBuffer.subarray(0, bytes));
    } catch (error) {
      this.#socket.destroy(error as Error);
    }
    this.#onHead();
    return true;
  }

  #take({ publisher, number, dueMicros }: Stamp): void {
    const seen = this.#seen;
    const { publishers, countedFrom, events } = this.#audience;
    seen.received += 1;
    if (number !== this.#next[publisher]) seen.outOfTurn += 1;
    this.#next[publisher] = number + 1;
    this.order = (Math.imul(this.order, 31) + publisher) | 0;
    if (number * publishers + publisher >= countedFrom) seen.latencies.add((this.#readAt - dueMicros) / 1_000);
    if (++this.#received === events) seen.complete += 1;
  }

  #fail(why: string): void {
    if (!this.#seen.isOver) this.#seen.failures.add('stream', why);
  }
}

serveOrder(async (order: AudienceOrder, _tellWindow, tellReady): Promise<AudienceOutcome> => {
  const seen = new Seen();
  const subscribers = await openAll(order, seen);
  const stopPausing = readInBulk();
  await delay(SETTLE_MS);
  tellReady();
  await takeAll(order, seen);
  seen.isOver = true;
  stopPausing();
  for (const subscriber of subscribers) subscriber.close();
  const { latencies, received, outOfTurn, complete, failures } = seen;
  return {
    received,
    incomplete: order.subscribers - complete,
    outOfTurn,
    otherOrder: subscribers.filter((subscriber) => subscriber.order !== subscribers[0]!.order).length,
    p50Ms: latencies.percentile(0.5) ?? 0,
    p99Ms: latencies.percentile(0.99) ?? 0,
    maxMs: latencies.maxMs,
    ...failures,
  };
});

/** Resolves when every subscriber has every event, or when it is too late for the missing ones. */
async function takeAll({ subscribers, warmUpSeconds, seconds }: AudienceOrder, seen: Seen): Promise<void> {
  let givenUpAt = performance.now() + OPENING_MS;
  while (seen.received === 0 && performance.now() < givenUpAt) await delay(POLL_MS);
  givenUpAt = performance.now() + (warmUpSeconds + seconds) * 1_000 + GRACE_MS;
  while (seen.complete < subscribers && performance.now() < givenUpAt) await delay(POLL_MS);
}

/** Some at a time: a server takes only so many new connections at once. */
async function openAll(order: AudienceOrder, seen: Seen): Promise<Subscriber[]> {
  const subscribers: Subscriber[] = [];
  const givenUp = delay(OPENING_MS).then(() => Promise.reject(new Error('the streams were not opened in time')));
  const opening = (async () => {
    while (subscribers.length < order.subscribers) {
      const count = Math.min(OPENING_AT_A_TIME, order.subscribers - subscribers.length);
      const opened = Array.from({ length: count }, () => new Subscriber(order, seen));
      subscribers.push(...opened);
      await Promise.all(opened.map(({ hasHead }) => hasHead));
    }
  })();
  await Promise.race([opening, givenUp]);
  givenUp.catch(() => {});
  return subscribers;
}

/** Sleeps within the turn: polling goes on at once after it, and finds what has come meanwhile. */
function readInBulk(): () => void {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  let isStopped = false;
  const pause = () => {
    if (isStopped) return;
    Atomics.wait(cell, 0, 0, PAUSE_MS);
    setImmediate(pause);
  };
  setImmediate(pause);
  return () => {
    isStopped = true;
  };
}
