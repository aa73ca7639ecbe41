import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { EventFeed } from '../../../engine/org/feed/event-feed.ts';
import { type Scheduler, systemClock } from '../../../engine/runtime/clock.ts';
import { createRandomSource } from '../../../engine/runtime/random.ts';
import type { Reply } from '../../../gateway/http/port.ts';
import type { Identity } from '../../../gateway/route.ts';
import { LastingReplies } from '../../../gateway/sse/lasting-replies.ts';
import { StreamHub } from '../../../gateway/sse/stream-hub.ts';
import { LIMITS } from '../../../schema/limits.ts';

const IDENTITY: Identity = {
  organizationId: 1,
  role: 'integration',
  caller: { type: 'channel', id: 2, channelId: 2, role: 'integration', agentId: null, userId: 3 },
  sessionId: null,
  sessionEndsAtMs: Number.POSITIVE_INFINITY,
  credentialHash: '',
  snapshot: '1:1:',
  rateLimit: 0,
  locationsWrite: false,
};

test('an idle stream gets a comment every 15 seconds, until it is closed', async () => {
  const periods = new Map<number, () => void>();
  const scheduler: Scheduler = {
    after: () => () => {},
    every(periodMs, task) {
      periods.set(periodMs, task);
      return () => periods.delete(periodMs);
    },
    soon: setImmediate,
  };
  // A turn that lasts on a busy machine would put the second beat off.
  const clock = { ...systemClock, monotonic: () => 0 };
  const log = pino({ level: 'silent' });
  const store = {
    readAfter: async () => ({ events: [], isCut: false, lastSequence: 7, keptAfter: 7 }),
    lastSequences: async () => new Map([[1, 7]]),
  };
  const hub = new StreamHub({
    heartbeatMs: LIMITS.heartbeatMs,
    feed: new EventFeed({ history: 'history', store, isOwned: () => true, clock, scheduler, log }),
    positions: { subscribe: () => () => {} },
    replies: new LastingReplies({ access: { onChanges: () => {} }, clock, scheduler }),
    clock,
    scheduler,
    random: createRandomSource(),
    log,
  });
  const { reply, written, close } = recordingReply();
  hub.open(IDENTITY, reply, { query: {}, lastEventId: undefined, replyHeaders: [] });
  await new Promise((resolve) => setImmediate(resolve));
  assert.match(written.splice(0).join(''), /^id: history-7\nevent: stream.ready\n/);

  assert.equal(LIMITS.heartbeatMs, 15_000);
  const beat = periods.get(LIMITS.heartbeatMs)!;
  beat();
  beat();
  assert.deepEqual(written.splice(0), [': heartbeat\n\n', ': heartbeat\n\n']);
  close();
  beat();
  assert.deepEqual([written.length, hub.size], [0, 0]);
});

/** A reply whose stream keeps what is written to it. */
function recordingReply() {
  const written: string[] = [];
  let close = () => {};
  const reply: Reply = {
    done: false,
    observer: undefined,
    onGone: () => {},
    send: () => assert.fail('a stream was expected'),
    openStream: () => ({
      queuedBytes: 0,
      isIdle: true,
      writeShared: () => undefined,
      onIdle: (listener) => listener(),
      write: (chunk) => void written.push(String(chunk)),
      abort: () => {},
      close: () => close(),
      onClose(listener) {
        close = () => listener('client');
      },
    }),
  };
  return { reply, written, close: () => close() };
}
