import { connect } from 'node:net';
import type { TaskView } from '../../../schema/tasks/task-view.ts';
import type { ApiBody } from '../../support/api-client.ts';
import { type Outcome, refusedOutcome } from '../../support/journal.ts';
import { createBody } from './journaled-load.ts';

/** One kept connection that creates tasks. It costs little beside the gateway on the same machine. */
export interface BareClient {
  /** Sends one request at a time. */
  create(key: string): Promise<Outcome>;
  close(): void;
}

export function openBareClient({
  baseUrl,
  key: apiKey,
}: {
  readonly baseUrl: string;
  readonly key: string;
}): BareClient {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  let received = '';
  let settle: ((outcome: Outcome) => void) | undefined;
  const answer = (outcome: Outcome) => {
    received = '';
    settle?.(outcome);
    settle = undefined;
  };
  socket.setEncoding('utf8').on('data', (text: string) => {
    received += text;
    const head = received.indexOf('\r\n\r\n');
    const length = Number(/content-length: (\d+)/i.exec(received)?.[1]);
    // Bodies here are ASCII, so that characters are bytes.
    if (head !== -1 && received.length >= head + 4 + length) answer(outcomeOf(received, head));
  });
  socket.on('error', () => {});
  socket.on('close', () => answer({ kind: 'unknown', why: 'the connection was closed' }));
  return {
    create(key) {
      const body = JSON.stringify(createBody(key));
      socket.write(
        `POST /api/v1/tasks HTTP/1.1\r\nHost: ${hostname}\r\nx-api-key: ${apiKey}\r\nIdempotency-Key: ${key}\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      );
      return new Promise((resolve) => {
        settle = resolve;
      });
    },
    close: () => socket.destroy(),
  };
}

function outcomeOf(received: string, head: number): Outcome {
  const status = Number(received.slice(9, 12));
  const body = JSON.parse(received.slice(head + 4)) as ApiBody<TaskView>;
  if (status >= 300) return refusedOutcome(status, body.code);
  const sequence = Number(body.metadata.position.split('-')[1]);
  return { kind: 'acknowledged', taskId: body.data.id, sequence, data: JSON.stringify(body.data) };
}
