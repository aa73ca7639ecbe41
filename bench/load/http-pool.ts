import { type HttpAnswer, HttpLine } from './http-line.ts';

export interface PooledRequest {
  readonly method: string;
  /** With the query, as it stands in the request line. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body?: string;
}

/**
 * A few kept-alive connections for requests of many callers; a request that finds all connections busy waits in line.
 */
export class HttpPool {
  readonly #target: URL;
  readonly #lines: readonly HttpLine[];
  readonly #idle: HttpLine[];
  readonly #waiting: ((line: HttpLine) => void)[] = [];

  constructor(target: URL, connections: number) {
    this.#target = target;
    this.#lines = Array.from({ length: connections }, () => new HttpLine(target));
    this.#idle = [...this.#lines];
  }

  /** Rejects when there was no answer. Any request may arrive twice, see HttpLine. */
  async ask(request: PooledRequest): Promise<HttpAnswer> {
    const line = this.#idle.pop() ?? (await new Promise<HttpLine>((resolve) => this.#waiting.push(resolve)));
    try {
      const bytes = this.#encode(request);
      return await new Promise((onAnswer, onFailure) => line.send(bytes, { onAnswer, onFailure }));
    } finally {
      const next = this.#waiting.shift();
      if (next) next(line);
      else this.#idle.push(line);
    }
  }

  /** Requests under way fail. */
  close(): void {
    for (const line of this.#lines) line.close();
  }

  #encode({ method, path, headers, body }: PooledRequest): Buffer {
    const given = body === undefined ? headers : { ...headers, 'content-type': 'application/json' };
    const head = requestHead(method, path, this.#target, given);
    if (body === undefined) return Buffer.from(`${head}\r\n`, 'latin1');
    return Buffer.from(`${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`, 'utf8');
  }
}

/** Request line and headers, each line ended; what frames the body, and the empty line, are still to come. */
export function requestHead(
  method: string,
  path: string,
  { host }: URL,
  headers: Readonly<Record<string, string>>,
): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\n${lines.join('')}`;
}
