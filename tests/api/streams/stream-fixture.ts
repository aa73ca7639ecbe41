import assert from 'node:assert/strict';
import { afterEach } from 'node:test';
import { LIMITS } from '../../../schema/limits.ts';
import type { ApiClient } from '../../support/api-client.ts';
import {
  type EventStreamClient,
  type EventStreamOptions,
  openEventStream,
  type StreamMessage,
  StreamRefused,
} from '../../support/event-stream.ts';
import { seedSession, seedUser } from '../../support/seeds/seed.ts';
import type { ApiFixture } from '../api-fixture.ts';

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

/** Resolves when the gateway has heard of all changes of access so far: it says so before it answers a sign-out. */
export async function hearChanges({ gateway: { databaseUrl, organizationId }, clientOf }: ApiFixture): Promise<void> {
  const { userId } = await seedUser(databaseUrl, organizationId, 'dispatcher');
  const session = clientOf(await seedSession(databaseUrl, organizationId, userId));
  assert.equal((await session.post('/auth/logout', undefined)).status, 200);
}

/** Whether a stream ends within the second that docs/contract.md §6 gives it, and what the machine takes to answer besides. */
export async function endsInTime(stream: EventStreamClient, api: ApiClient): Promise<boolean> {
  let hasEnded = false;
  void stream.ended.then(() => {
    hasEnded = true;
  });
  const startedAt = performance.now();
  let slowestMs = 0;
  while (!hasEnded && performance.now() - startedAt < LIMITS.credentialValidMs + slowestMs) {
    const askedAt = performance.now();
    await api.list('limit=1');
    slowestMs = Math.max(slowestMs, performance.now() - askedAt);
  }
  return hasEnded;
}

/** How the opening of a stream was refused. */
export async function refusalOf(opening: Promise<unknown>): Promise<StreamRefused> {
  const error = await opening.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof StreamRefused, `not refused: ${error}`);
  return error;
}
