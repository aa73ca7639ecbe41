import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { systemClock } from '../../../engine/runtime/clock.ts';
import {
  createDeliverySender,
  type DeliverySender,
  type SendOutcome,
} from '../../../workers/webhooks/send-delivery.ts';

/** A server on this machine whose answers the test writes byte by byte. */
export interface LocalEndpoint {
  readonly port: number;
  readonly url: string;
  /** Connections so far. */
  readonly connections: number;
  /** Head and body of each request, in order of arrival. */
  readonly requests: readonly { readonly head: string; readonly body: string }[];
}

export type AnswerRequest = (socket: Socket, requestNumber: number) => void;

/** The usual answer: `answerWith('503 Busy', 'retry-after: 7\r\n', 'later')`. */
export function answerWith(status: string, headers = '', body: string | Buffer = ''): AnswerRequest {
  return (socket) => {
    socket.write(`HTTP/1.1 ${status}\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n`);
    socket.write(body);
  };
}

export async function startEndpoint(t: TestContext, answer: AnswerRequest): Promise<LocalEndpoint> {
  const server = createServer({ noDelay: true });
  const requests: { head: string; body: string }[] = [];
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    let received = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      const headEnd = received.indexOf('\r\n\r\n') + 4;
      const head = received.toString('latin1', 0, headEnd);
      const length = Number(/content-length: (\d+)/.exec(head)?.[1] ?? Number.NaN);
      if (headEnd < 4 || received.length < headEnd + length) return;
      requests.push({ head, body: received.toString('utf8', headEnd) });
      received = Buffer.alloc(0);
      answer(socket, requests.length);
    });
    // Being cut off is what many of these endpoints are for.
    socket.on('error', () => {});
  });
  const port = await listen(t, server, sockets);
  return {
    port,
    url: `http://127.0.0.1:${port}/hook`,
    requests,
    get connections() {
      return sockets.size;
    },
  };
}

/** Listens on a free port of 127.0.0.1 until the test is over. */
export async function listen(t: TestContext, server: Server, sockets: ReadonlySet<Socket>): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

type SenderOptions = Partial<Parameters<typeof createDeliverySender>[0]>;

/** To endpoints of this machine unless said otherwise; stopped after the test. */
export function startSender(t: TestContext, options: SenderOptions = {}): DeliverySender {
  const sender = createDeliverySender({ allowPrivate: true, clock: systemClock, ...options });
  t.after(() => sender.stop());
  return sender;
}

export const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw0123456789A=';

export function send(sender: DeliverySender, url: string, body = '{"type":"task.created"}'): Promise<SendOutcome> {
  return sender.send({ url, id: 'evt_h_1_a', body, secrets: [SECRET] });
}
