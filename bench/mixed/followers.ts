import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Releaser } from '../../engine/runtime/lifecycle.ts';
import { requestHead } from '../load/http-pool.ts';

const READY = 'event: stream.ready';
const EVENT = /^id: /gm;
const OPEN_DEADLINE_MS = 20_000;

/** Counts of what followers got. */
export interface Followed {
  events: number;
  /** Streams that ended; none should. */
  ended: number;
  deliveries: number;
}

/** Opens streams of the organization, which count events and keep nothing. Resolves when all are ready. */
export async function openStreams(
  url: URL,
  apiKey: string,
  streams: number,
  followed: Followed,
  releaser: Releaser,
): Promise<void> {
  let isOver = false;
  const sockets: Socket[] = [];
  releaser.push('streams', () => {
    isOver = true;
    for (const socket of sockets) socket.destroy();
  });
  let ready = 0;
  for (let number = 0; number < streams; number++) {
    const socket = connect(Number(url.port), url.hostname);
    sockets.push(socket);
    let rest = '';
    socket.on('data', (bytes) => {
      const text = rest + bytes.toString('latin1');
      const end = text.lastIndexOf('\n') + 1;
      rest = text.slice(end);
      const lines = text.slice(0, end);
      if (lines.includes(READY)) ready += 1;
      followed.events += lines.match(EVENT)?.length ?? 0;
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      if (!isOver) followed.ended += 1;
    });
    socket.write(`${requestHead('GET', url.pathname, url, { 'x-api-key': apiKey, accept: 'text/event-stream' })}\r\n`);
  }
  const givenUpAt = performance.now() + OPEN_DEADLINE_MS;
  while (ready < streams) {
    if (performance.now() > givenUpAt) throw new Error(`${ready} of ${streams} streams are ready`);
    await delay(20);
  }
}

/** A webhook's endpoint that accepts everything. Resolves to its URL. */
export async function openSink(followed: Followed, releaser: Releaser): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      followed.deliveries += 1;
      response.writeHead(204).end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  releaser.push('sink', () => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
