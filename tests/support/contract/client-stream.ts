import assert from 'node:assert/strict';
import { createClient } from '../../../gateway/client/create-client.ts';

/** The stream of the client that we give to integrators, fed with the bytes of a test's stream. */
export class ClientStream {
  readonly #messages: AsyncIterator<unknown>;
  readonly #encoder = new TextEncoder();
  #bytes!: ReadableStreamDefaultController<Uint8Array>;

  constructor() {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#bytes = controller;
      },
    });
    const client = createClient({ baseUrl: 'http://fed.test', fetch: async () => new Response(body) });
    this.#messages = client.follow()[Symbol.asyncIterator]();
  }

  feed(text: string): void {
    this.#bytes.enqueue(this.#encoder.encode(text));
  }

  /** Rejects when the client's next message, whose bytes it has, is not this one. */
  async judge<Message extends Told>(message: Message): Promise<Message> {
    const { event, data } = message;
    // The client takes it as the end of the connection.
    if (event === 'stream.reconnect') return message;
    const { value } = await this.#messages.next();
    assert.deepEqual(value, event?.startsWith('stream.') ? { ...data, type: event } : data);
    return message;
  }
}

interface Told {
  readonly event: string | undefined;
  readonly data: object;
}
