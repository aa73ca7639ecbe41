import { type IncomingMessage, request } from 'node:http';
import { type HttpAnswer, textOf } from '../load/http-line.ts';
import { HttpPool } from '../load/http-pool.ts';

export interface ListAnswer {
  readonly ms: number;
  readonly items: number;
  readonly count: number;
}

const REQUEST_MS = 30_000;

/** Asks one gateway for lists over kept connections. */
export class ListClient {
  readonly #pool: HttpPool;
  readonly #baseUrl: URL;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(baseUrl: string, apiKey: string, connections: number) {
    this.#baseUrl = new URL(baseUrl);
    this.#pool = new HttpPool(this.#baseUrl, connections);
    this.#headers = { 'x-api-key': apiKey };
  }

  /** Rejects for anything but a 200 with a list. */
  async list(query: string): Promise<ListAnswer> {
    const { ms, answer } = await this.#ask(query);
    const { data } = JSON.parse(textOf(answer)) as { data: { items: unknown[]; count: number } };
    return { ms, items: data.items.length, count: data.count };
  }

  /**
   * Milliseconds to the last byte of a 200. The answer is not parsed, because the measured processes need the cores.
   */
  async time(query: string): Promise<number> {
    return (await this.#ask(query)).ms;
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
    this.#pool.close();
  }

  async #ask(query: string): Promise<{ readonly ms: number; readonly answer: HttpAnswer }> {
    const startedAt = performance.now();
    const answer = await this.#pool.ask({ method: 'GET', path: `/api/v1/tasks?${query}`, headers: this.#headers });
    const ms = performance.now() - startedAt;
    if (answer.status !== 200) throw new Error(`?${query} answered ${answer.status}: ${textOf(answer)}`);
    return { ms, answer };
  }

  #get(path: string): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const { hostname, port } = this.#baseUrl;
      const outgoing = request({ hostname, port, path, headers: this.#headers, timeout: REQUEST_MS }, resolve);
      outgoing.on('timeout', () => outgoing.destroy(new Error(`${path} kept silent for ${REQUEST_MS} ms`)));
      outgoing.on('error', reject);
      outgoing.end();
    });
  }
}
