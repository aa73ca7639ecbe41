import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { checkEvent } from '../contract/check-contract.ts';

/** An endpoint's answer to a delivery: a status, or never. */
export type Behaviour = number | 'hang';

/** One attempt as it arrived. */
export interface Arrival {
  /** The header webhook-id. */
  readonly id: string;
  /** The sequence of the event; undefined when it has none. */
  readonly sequence: number | undefined;
  readonly body: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly behaviour: Behaviour;
  /** The reason why the package `standardwebhooks` refuses it; undefined when it verifies. */
  readonly forgery: string | undefined;
}

/** An endpoint that a test has registered. */
export interface SinkEndpoint {
  readonly url: string;
  /** Attempts in the order of arrival. Throws when one of them was not what the OpenAPI document says. */
  readonly arrivals: readonly Arrival[];
  /** Sets the answer from then on; 204 at first. */
  behave(behaviour: Behaviour): void;
  /** The signing secret, from the answer that created the webhook. */
  trust(secret: string): void;
}

export interface WebhookSink {
  endpoint(name: string): SinkEndpoint;
  stop(): Promise<void>;
}

class Endpoint implements SinkEndpoint {
  readonly url: string;
  readonly #arrivals: Arrival[] = [];
  #breach: Error | undefined;
  #behaviour: Behaviour = 204;
  #verifier: Webhook | undefined;

  constructor(url: string) {
    this.url = url;
  }

  get arrivals(): readonly Arrival[] {
    if (this.#breach) throw this.#breach;
    return this.#arrivals;
  }

  behave(behaviour: Behaviour): void {
    this.#behaviour = behaviour;
  }

  trust(secret: string): void {
    this.#verifier = new Webhook(secret);
  }

  async receive(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString('utf8');
    const headers = incoming.headers as Record<string, string>;
    const behaviour = this.#behaviour;
    const event = JSON.parse(body) as { readonly type: string; readonly sequence?: number };
    this.#check(event);
    this.#arrivals.push({
      id: headers['webhook-id'] ?? '',
      sequence: event.sequence,
      body,
      at: Date.now(),
      behaviour,
      forgery: this.#forgeryOf(body, headers),
    });
    if (behaviour !== 'hang') outgoing.writeHead(behaviour).end();
  }

  #check(event: { readonly type: string }): void {
    try {
      checkEvent(event.type, event);
    } catch (error) {
      this.#breach ??= error as Error;
    }
  }

  #forgeryOf(body: string, headers: Record<string, string>): string | undefined {
    if (!this.#verifier) return 'its secret was not told';
    try {
      this.#verifier.verify(body, headers);
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  }
}

/** A server with an endpoint under each name. It keeps all attempts. */
export async function startWebhookSink(): Promise<WebhookSink> {
  const endpoints = new Map<string, Endpoint>();
  const server = createServer((incoming, outgoing) => {
    const endpoint = endpoints.get(incoming.url!.slice(1));
    if (!endpoint) return void outgoing.writeHead(404).end();
    // A broken attempt does not count.
    endpoint.receive(incoming, outgoing).catch(() => outgoing.destroy());
  });
  // A kept connection must not end as the next delivery starts on it.
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    endpoint(name) {
      const endpoint = endpoints.get(name) ?? new Endpoint(`http://127.0.0.1:${port}/${name}`);
      endpoints.set(name, endpoint);
      return endpoint;
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
