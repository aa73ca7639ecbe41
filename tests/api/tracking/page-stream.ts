import { createParser } from 'eventsource-parser';
import { until } from '../../support/until.ts';

/** The stream of an open tracking page. */
export interface PageStream {
  readonly status: number;
  /** The newest of each part, as HTML, by the element it is for. */
  readonly parts: Readonly<Record<string, string>>;
  /** The id of the last message. */
  readonly lastId: string | undefined;
  /** Messages so far. */
  readonly count: number;
  readonly hasEnded: boolean;
  /** Waits until some part holds the text. */
  says(text: string): Promise<void>;
  ends(): Promise<void>;
  close(): void;
}

export async function openPageStream(
  baseUrl: string,
  token: string,
  query = '',
  headers: Readonly<Record<string, string>> = {},
): Promise<PageStream> {
  const controller = new AbortController();
  const response = await fetch(`${baseUrl}/t/${token}/events${query}`, { headers, signal: controller.signal });
  const parts: Record<string, string> = {};
  let count = 0;
  let lastId: string | undefined;
  let hasEnded = false;
  const parser = createParser({
    onEvent({ id, data }) {
      count += 1;
      lastId = id;
      Object.assign(parts, JSON.parse(data));
    },
  });
  const read = async () => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body!) parser.feed(decoder.decode(chunk, { stream: true }));
  };
  // A connection that is cut ends the stream like any other end.
  void read()
    .catch(() => {})
    .finally(() => {
      hasEnded = true;
    });
  return {
    status: response.status,
    parts,
    get lastId() {
      return lastId;
    },
    get count() {
      return count;
    },
    get hasEnded() {
      return hasEnded;
    },
    says: (text) => until(`the page says ${text}`, () => Object.values(parts).some((part) => part.includes(text))),
    ends: () => until('the stream has ended', () => hasEnded),
    close: () => controller.abort(),
  };
}
