/** One answer of the stand-in: a response, or no answer at all. */
export type Step = Response | Error | (() => Response | Promise<Response>);

export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: string;
}

export interface StandInService {
  readonly fetch: typeof fetch;
  readonly seen: readonly Seen[];
}

/** A `fetch` that gives one answer after the other, and fails beyond the last. */
export function standInService(...steps: readonly Step[]): StandInService {
  const seen: Seen[] = [];
  return {
    seen,
    fetch: async (input, init) => {
      const { method, url, headers } = new Request(input, init);
      seen.push({ method, url, headers, body: typeof init?.body === 'string' ? init.body : '' });
      const step = steps[seen.length - 1] ?? new Error(`attempt ${seen.length} was not expected`);
      if (step instanceof Error) throw step;
      return typeof step === 'function' ? step() : step;
    },
  };
}

export function success(data: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  const metadata = { correlationId: '5b1a8e3e-7f04-4ad2-9d3e-0d7f4e0a2f10', position: 'h-7' };
  const body = { statusIndicator: 'SUCCESS', statusCode: 201, message: 'Made', data, metadata };
  return Response.json(body, { status: 201, headers });
}

export function refused(status: number, code?: string, headers: Readonly<Record<string, string>> = {}): Response {
  const body = { statusCode: status, message: `because ${code}`, error: 'Reason', ...(code ? { code } : {}) };
  return Response.json(body, { status, headers });
}
