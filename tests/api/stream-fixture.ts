import assert from 'node:assert/strict';
import { afterEach } from 'node:test';
import {
  type EventStreamClient,
  type EventStreamOptions,
  openEventStream,
  type StreamMessage,
  StreamRefused,
} from '../support/event-stream.ts';

export interface StreamFixture {
  /** Opens a stream, closed with the test, and reads its first message, which is `stream.ready`. */
  watch(baseUrl: string, options: EventStreamOptions): Promise<EventStreamClient>;
}

export function useStreams(): StreamFixture {
  const open: EventStreamClient[] = [];
  afterEach(() => {
    for (const stream of open.splice(0)) stream.close();
  });
  return {
    async watch(baseUrl, options) {
      const stream = await openEventStream(baseUrl, options);
      open.push(stream);
      assert.equal((await stream.next()).event, 'stream.ready');
      return stream;
    },
  };
}

export const sequencesOf = (messages: readonly StreamMessage[]) => messages.map(({ data }) => data.sequence);

/** How the opening of a stream was refused. */
export async function refusalOf(opening: Promise<unknown>): Promise<StreamRefused> {
  const error = await opening.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof StreamRefused, `not refused: ${error}`);
  return error;
}
