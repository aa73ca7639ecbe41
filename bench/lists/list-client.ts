import { Agent, type IncomingMessage, request } from 'node:http';

export interface ListAnswer {
  readonly ms: number;
  readonly items: number;
  readonly count: number;
}

const REQUEST_MS = 30_000;

/** Asks one gateway for lists over kept connections. */
export class ListClient {
  readonly #agent = new Agent({ keepAlive: true });
  readonly #baseUrl: URL;
  readonly #apiKey: string;

  constructor(baseUrl: string, apiKey: string) {
    this.#baseUrl = new URL(baseUrl);
    this.#apiKey = apiKey;
  }

  /** Rejects for anything but a 200 with a list. The time ends with the last byte; parsing is not part of it. */
  async list(query: string): Promise<ListAnswer> {
    const startedAt = performance.now();
    const response = await this.#get(`/api/v1/tasks?${query}`);
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    const ms = performance.now() - startedAt;
    const text = Buffer.concat(chunks).toString('utf8');
    if (response.statusCode !== 200) throw new Error(`?${query} answered ${response.statusCode}: ${text}`);
    const { data } = JSON.parse(text) as { data: { items: unknown[]; count: number } };
    return { ms, items: data.items.length, count: data.count };
  }

  /** Reads an export to its end. Rejects when it breaks off. */
  async export(): Promise<{ readonly ms: number; readonly lines: number; readonly bytes: number }> {
    const startedAt = performance.now();
    const response = await this.#get('/api/v1/tasks/export');
    if (response.statusCode !== 200) throw new Error(`the export answered ${response.statusCode}`);
    let [lines, bytes] = [0, 0];
    for await (const chunk of response) {
      bytes += (chunk as Buffer).length;
      for (let at = (chunk as Buffer).indexOf(10); at !== -1; at = (chunk as Buffer).indexOf(10, at + 1)) lines += 1;
    }
    return { ms: performance.now() - startedAt, lines, bytes };
  }

  close(): void {
    this.#agent.destroy();
  }

  #get(path: string): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const { hostname, port } = this.#baseUrl;
      const headers = { 'x-api-key': this.#apiKey };
      const outgoing = request({ agent: this.#agent, hostname, port, path, headers, timeout: REQUEST_MS }, resolve);
      outgoing.on('timeout', () => outgoing.destroy(new Error(`${path} kept silent for ${REQUEST_MS} ms`)));
      outgoing.on('error', reject);
      outgoing.end();
    });
  }
}
