import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { LatencyHistogram } from '../../../bench/load/latency-histogram.ts';
import type { SubscribersReport, SubscribersRequest } from './subscribers.ts';

/**
 * Many event stream clients in one process, which read as little of what comes as shows that it is right: the order, the
 * number and the sum of the sequences. A client comes back by Last-Event-ID whenever its connection ends.
 */

const RECONNECT_MS = 50;
const POLL_MS = 5;
const LINE_BREAK = 10;
const CARRIAGE_RETURN = 13;

/** All connections share it: bytes are processed before the next read. */
const readBuffer = Buffer.allocUnsafe(262_144);

let target: SubscribersRequest & { readonly kind: 'open' };
const clients: Client[] = [];
/** When events were decided, by sequence: each is read from one client's copy. */
const decidedAt = new Map<number, number>();
let delays = new LatencyHistogram();
let ready = 0;
let cuts = 0;
let twice = 0;
let resyncs = 0;
let isAway = false;

/** Takes the framing of chunks off. */
class Dechunker {
  #left = 0;
  #size = 0;

  push(bytes: Buffer, onData: (data: Buffer) => void): void {
    let at = 0;
    while (at < bytes.length) {
      if (this.#left > 0) {
        const data = bytes.subarray(at, at + this.#left);
        at += data.length;
        this.#left -= data.length;
        onData(data);
        continue;
      }
      const byte = bytes[at++]!;
      if (byte === LINE_BREAK) {
        // This line break ends a chunk and is no part of it.
        this.#left = this.#size;
        this.#size = 0;
      } else if (byte !== CARRIAGE_RETURN) this.#size = this.#size * 16 + hexDigit(byte);
    }
  }
}

/** The value of `0`–`9` and `a`–`f`, in either case. */
function hexDigit(byte: number): number {
  return byte <= 0x39 ? byte - 0x30 : (byte | 0x20) - 0x57;
}

class Client {
  count = 0;
  sum = 0;
  last = 0;
  #socket: Socket | undefined;
  #lastEventId: string | undefined;
  #seen = '';
  #hasHead = false;
  #isReady = false;
  #chunks = new Dechunker();
  #rest: Buffer | undefined;
  #id = 0;

  connect(): void {
    const { port, path, key } = target;
    const resume = this.#lastEventId === undefined ? '' : `last-event-id: ${this.#lastEventId}\r\n`;
    const onread = { buffer: readBuffer, callback: (bytes: number) => this.#read(readBuffer.subarray(0, bytes)) };
    const socket = connect({ port, host: '127.0.0.1', onread });
    this.#socket = socket;
    this.#hasHead = false;
    this.#chunks = new Dechunker();
    this.#rest = undefined;
    this.#seen = '';
    this.#id = 0;
    socket.on('connect', () => socket.write(`GET ${path} HTTP/1.1\r\nhost: a\r\nx-api-key: ${key}\r\n${resume}\r\n`));
    // The end that follows is what counts.
    socket.on('error', () => {});
    socket.on('close', () => {
      cuts += 1;
      if (!isAway) setTimeout(() => this.connect(), RECONNECT_MS);
    });
  }

  drop(): void {
    this.#socket!.destroy();
  }

  stall(): void {
    this.#socket!.pause();
  }

  /** Notices that it was cut: a paused socket does not see its end. */
  wake(): void {
    this.#socket!.resume();
  }

  #read(bytes: Buffer): boolean {
    let body = bytes;
    if (!this.#hasHead) {
      const end = bytes.indexOf('\r\n\r\n');
      if (end < 0 || !bytes.toString('latin1', 0, 20).startsWith('HTTP/1.1 200'))
        throw new Error(bytes.toString('latin1'));
      this.#hasHead = true;
      body = bytes.subarray(end + 4);
    }
    this.#chunks.push(body, this.#onData);
    return true;
  }

  readonly #onData = (data: Buffer) => this.#readLines(this.#rest ? Buffer.concat([this.#rest, data]) : data);

  #readLines(data: Buffer): void {
    let at = 0;
    for (;;) {
      const end = data.indexOf(LINE_BREAK, at);
      if (end < 0) break;
      // `id: `, `event: `, `data: `, by their first letters.
      if (data[at] === 0x69) this.#readId(data.toString('latin1', at + 4, end));
      else if (data[at] === 0x65 && data[at + 7] === 0x73) this.#onControl(data.toString('latin1', at + 7, end));
      else if (data[at] === 0x64 && this.#id > 0) this.#onEvent(data, at, end);
      else if (at === end) this.#onMessageEnd();
      at = end + 1;
    }
    this.#rest = at < data.length ? Buffer.from(data.subarray(at)) : undefined;
  }

  /** Only what came whole has been seen. An id may come alone, and then says nothing of the next message. */
  #onMessageEnd(): void {
    this.#id = 0;
    if (this.#seen !== '') this.#lastEventId = this.#seen;
  }

  #readId(id: string): void {
    this.#seen = id;
    this.#id = Number(id.slice(id.indexOf('-') + 1));
  }

  /** Carries an id too, and is no event of the log. */
  #onControl(event: string): void {
    this.#id = 0;
    if (event === 'stream.resync') resyncs += 1;
    if (event !== 'stream.ready' || this.#isReady) return;
    this.#isReady = true;
    ready += 1;
  }

  #onEvent(data: Buffer, at: number, end: number): void {
    const sequence = this.#id;
    this.#id = 0;
    if (sequence <= this.last) twice += 1;
    this.last = Math.max(this.last, sequence);
    this.count += 1;
    this.sum += sequence;
    let decided = decidedAt.get(sequence);
    if (decided === undefined) {
      const head = data.toString('latin1', at, Math.min(end, at + 300));
      decided = Date.parse(/"timestamp":"([^"]+)"/.exec(head)![1]!);
      decidedAt.set(sequence, decided);
    }
    delays.add(Math.max(0, Date.now() - decided));
  }
}

/** Resolves when it is so. Looked at now and then: most of what comes for thousands is of no consequence to that. */
async function when(isSo: () => boolean): Promise<void> {
  while (!isSo()) await delay(POLL_MS);
}

function report(): SubscribersReport {
  const at = (share: number) => Math.round(delays.percentile(share) ?? 0);
  return {
    clients: clients.map(({ count, sum }) => ({ count, sum })),
    twice,
    resyncs,
    cuts,
    delayMs: { p50: at(0.5), p99: at(0.99), max: Math.round(delays.maxMs) },
  };
}

async function serve(request: SubscribersRequest): Promise<SubscribersReport> {
  switch (request.kind) {
    case 'open':
      target = request;
      for (let index = 0; index < request.count; index += 1) {
        const client = new Client();
        clients.push(client);
        client.connect();
        if (index % 100 === 99) await new Promise((resolve) => setTimeout(resolve, 10));
      }
      await when(() => ready === request.count);
      break;
    case 'forget':
      delays = new LatencyHistogram();
      break;
    case 'stall':
      clients[0]!.stall();
      break;
    case 'wake':
      clients[0]!.wake();
      break;
    case 'leave':
      isAway = true;
      for (const client of clients) client.drop();
      break;
    case 'return':
      isAway = false;
      for (const client of clients) client.connect();
      break;
    case 'reach':
      await when(() => clients.every(({ last }) => last >= request.sequence));
      break;
  }
  return report();
}

process.on('message', (request: SubscribersRequest) => {
  void serve(request).then((answer) => process.send!(answer));
});
process.on('disconnect', () => process.exit(0));
