import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FeedSubscriber } from '../../../../engine/org/feed/event-feed.ts';
import { SharedEvent } from '../../../../engine/org/feed/shared-event.ts';
import { createLog } from '../../../../engine/runtime/log.ts';
import type { Reply } from '../../../../gateway/http/port.ts';
import { RefusalError } from '../../../../gateway/refusal-error.ts';
import { LastingReplies } from '../../../../gateway/sse/lasting-replies.ts';
import type { Link } from '../../../../gateway/tracking/open-tracking.ts';
import { TrackingStreams } from '../../../../gateway/tracking/tracking-streams.ts';
import { letterheadOf } from '../../../../schema/accounts/letterhead.ts';
import { refusal } from '../../../../schema/errors.ts';
import { LIMITS } from '../../../../schema/limits.ts';
import type { FollowedTask, TrackedTask } from '../../../../schema/tasks/tracking.ts';
import { createHandClock } from '../guards/hand-clock.ts';
import { identityOf, RecordingStream } from '../sse/stream-stand.ts';

const TOKEN = 'A'.repeat(22);
const AT = '2026-11-21T09:00:00.000Z';

function followed(status: TrackedTask['status']): FollowedTask {
  const shown: TrackedTask = {
    id: 7,
    code: 'TSK-1',
    name: 'Books',
    status,
    outcome: null,
    timeline: [{ status: 'new', at: AT }],
    etaAt: null,
    stopsBefore: null,
    arrivedAt: null,
    window: null,
    destination: { address: 'Here', latitude: 51.5, longitude: 0 },
    pin: '0417',
    packageCount: 1,
    agent: null,
    rating: null,
  };
  return { shown, agentId: status === 'in_transit' ? 3 : null, endedAt: null };
}

function linkTo(task: FollowedTask, diesAtMs = Number.POSITIVE_INFINITY): Link {
  return {
    organizationId: 1,
    letterhead: letterheadOf({ name: 'Kestrel', settings: {} }),
    own: task,
    tasks: [task],
    diesAtMs,
  };
}

/** Pages on a link of which the test says what it shows. */
async function stand(first: Link = linkTo(followed('new'))) {
  const { clock, scheduler, advance } = createHandClock();
  const state = {
    link: first as Link | undefined,
    north: 51.6,
    seen: AT,
    follows: 0,
    isAway: false,
    stopsBefore: null as number | null,
  };
  const subscribers = new Set<FeedSubscriber>();
  let change: (organizationId: number) => void = () => {};
  const streams = new TrackingStreams({
    heartbeatMs: LIMITS.heartbeatMs,
    tracking: {
      async follow() {
        state.follows += 1;
        if (state.isAway) throw new RefusalError(refusal('NOT_OWNER'));
        return state.link;
      },
      async locate(_organizationId, { agentId }) {
        if (agentId === null) return null;
        return { latitude: state.north, longitude: 0, recordedAt: state.seen, isStale: false };
      },
      stopsBefore: () => state.stopsBefore,
      rate: () => assert.fail(),
    },
    feed: {
      subscribe(_organizationId, subscriber) {
        subscribers.add(subscriber);
        return () => void subscribers.delete(subscriber);
      },
    },
    replies: new LastingReplies({
      access: {
        onChanges: (listener) => {
          change = (subjectId) => listener([{ subject: 'organization', subjectId, xid: '9' }]);
        },
      },
      clock,
      scheduler,
    }),
    clock,
    scheduler,
    log: createLog('gateway', 'silent'),
  });
  return {
    state,
    streams,
    subscribers,
    advance,
    changeAccess: (organizationId: number) => change(organizationId),
    async open({ token = TOKEN, seen }: { readonly token?: string; readonly seen?: string | undefined } = {}) {
      const stream = new RecordingStream();
      const reply = { openStream: () => stream } as unknown as Reply;
      const identity = identityOf('user', 5, 0);
      streams.open(reply, { link: state.link!, token, seen, identity, replyHeaders: [] });
      await advance(0);
      return stream;
    },
    async tell(taskId: number) {
      const body = JSON.stringify({ data: { task: { id: taskId, agentId: null } } });
      const event = new SharedEvent({ organizationId: 1, sequence: 1, type: 'task.updated', at: AT, body }, 'h');
      for (const subscriber of subscribers) await subscriber.onEvents({ after: 0, last: 1, events: [event] });
      await advance(LIMITS.trackingTellMs);
    },
  };
}

const toldBy = ({ written }: RecordingStream) => written.join('').match(/"(\w+)-7":/g) ?? [];

test('a page gets its changed parts when an event is about its task, and costs nothing otherwise', async () => {
  const { state, open, tell } = await stand();
  const stream = await open();
  assert.equal(toldBy(stream).length, 6);
  const { follows } = state;
  stream.written.length = 0;
  await tell(8);
  assert.equal(state.follows, follows);
  state.link = linkTo(followed('accepted'));
  await tell(7);
  assert.deepEqual(toldBy(stream), ['"status-7":']);
  assert.match(stream.written.join(''), /"title":"Courier confirmed · Kestrel"/);
  await tell(7);
  assert.equal(stream.written.length, 1, 'no change comes twice');
});

test('a page looks again when its courier has other stops before, of whose tasks it gets no events', async () => {
  const { state, open, advance } = await stand(linkTo(followed('accepted')));
  const stream = await open();
  stream.written.length = 0;
  const task = followed('accepted');
  state.stopsBefore = 2;
  state.link = linkTo({ ...task, shown: { ...task.shown, stopsBefore: 2 } });
  await advance(LIMITS.trackingTellMs);
  assert.deepEqual(toldBy(stream), ['"status-7":']);
  const { follows } = state;
  await advance(3 * LIMITS.trackingTellMs);
  assert.equal(state.follows, follows);
});

test('a page takes back an expected time that has passed, of which it gets no event', async () => {
  const task = followed('accepted');
  const etaAt = new Date(1_000_000 + 10 * LIMITS.trackingTellMs).toISOString();
  const { state, open, advance } = await stand(linkTo({ ...task, shown: { ...task.shown, etaAt } }));
  const stream = await open();
  const { follows } = state;
  stream.written.length = 0;
  await advance(10 * LIMITS.trackingTellMs + 60_000);
  const parts = () => stream.written.filter((frame) => frame.includes('event: parts'));
  assert.deepEqual([state.follows, parts()], [follows, []]);
  await advance(LIMITS.trackingTellMs);
  assert.deepEqual(toldBy(stream), ['"status-7":']);
  assert.doesNotMatch(parts().join(''), /Expected/);
  await advance(5 * LIMITS.trackingTellMs);
  assert.equal(state.follows, follows + 1, 'it looks again once');
});

test('while a task is on its way, its page follows the agent', async () => {
  const { state, open, advance } = await stand(linkTo(followed('in_transit')));
  const stream = await open();
  const { follows } = state;
  await advance(5 * LIMITS.trackingTellMs);
  assert.equal(state.follows, follows, 'an agent that stands still changes nothing');
  stream.written.length = 0;
  Object.assign(state, { north: 51.55, seen: '2026-11-21T09:00:09.000Z' });
  await advance(LIMITS.trackingTellMs);
  assert.deepEqual(toldBy(stream), ['"map-7":']);
});

test('a page with too many changes at a time reloads itself', async () => {
  const { state, open } = await stand();
  const [{ shown, ...task }] = state.link!.tasks as [FollowedTask];
  const rating = { score: 5, comment: '<'.repeat(LIMITS.ratingCommentChars), ratedAt: AT };
  const ids = Array.from({ length: LIMITS.jobChildren }, (_, index) => index + 100);
  state.link = { ...state.link!, tasks: ids.map((id) => ({ ...task, shown: { ...shown, id, rating } })) };
  const stream = await open();
  assert.deepEqual(stream.written, ['event: reload\ndata: {}\n\n']);
});

test('a page whose organization has another time zone loads again, also one that follows again then', async () => {
  const { state, open, tell } = await stand();
  const stream = await open();
  const seen = /^id: (\S+)/.exec(stream.written.join(''))![1]!;
  const settings = { timeZone: 'Asia/Tokyo' };
  state.link = { ...state.link!, letterhead: letterheadOf({ name: 'Kestrel', settings }) };
  stream.written.length = 0;
  await tell(7);
  const again = await open({ seen });
  for (const { written } of [stream, again]) assert.deepEqual(written, ['event: reload\ndata: {}\n\n']);
  await tell(7);
  assert.equal(stream.written.length, 1, 'once');

  // Somebody writes in the page, which loads later: until then nothing of the new zone comes into it.
  const { letterhead } = state.link;
  state.link = { ...linkTo(followed('accepted')), letterhead };
  await tell(7);
  assert.equal(stream.written.length, 1, 'no part comes before the page has loaded again');
  state.link = linkTo(followed('accepted'));
  await tell(7);
  assert.deepEqual(toldBy(stream), ['"status-7":'], 'the page is of this zone again');
});

test('a slow page gets the changes later, and only those that are still true', async () => {
  const { state, open, tell, advance } = await stand();
  const stream = await open();
  stream.written.length = 0;
  stream.isIdle = false;
  for (const status of ['assigned', 'accepted'] as const) {
    state.link = linkTo(followed(status));
    await tell(7);
  }
  assert.equal(stream.written.length, 0);
  stream.take();
  await advance(LIMITS.trackingTellMs);
  assert.match(stream.written.join(''), /Courier confirmed/);
  assert.equal(stream.written.length, 1);
});

test('a page ends when its link shows nothing, when it dies, when its organization changes, and when nobody can say', async () => {
  for (const end of ['nothing', 'death', 'change', 'elsewhere'] as const) {
    const { state, streams, subscribers, open, tell, advance, changeAccess } = await stand();
    if (end === 'death') state.link = linkTo(followed('new'), 1_000_000 + 10 * LIMITS.trackingTellMs);
    const stream = await open();
    await advance(5 * LIMITS.trackingTellMs);
    changeAccess(2);
    assert.equal(stream.end, undefined, end);
    if (end === 'nothing') state.link = undefined;
    if (end === 'elsewhere') state.isAway = true;
    if (end === 'change') changeAccess(1);
    else if (end === 'death') await advance(6 * LIMITS.trackingTellMs);
    else await tell(7);
    assert.equal(stream.end, 'server', end);
    assert.deepEqual([streams.size, subscribers.size], [0, 0], end);
  }
});

test('a link and a process have only so many pages; one that was closed makes room', async () => {
  const { streams, open } = await stand();
  const first = await open();
  for (let count = 1; count < LIMITS.trackingStreamsPerLink; count++) await open();
  assert.equal(streams.refusalOf(TOKEN)?.code, 'RATE_LIMITED');
  assert.equal(streams.refusalOf('B'.repeat(22)), undefined);
  first.close();
  assert.equal(streams.refusalOf(TOKEN), undefined);
});

test('a process that stops sends its pages elsewhere, and lets none in', async () => {
  const { streams, open } = await stand();
  const stream = await open();
  streams.stop();
  assert.match(stream.written.at(-1)!.toString(), /^retry: \d+\n\n$/);
  assert.deepEqual([stream.end, streams.size, streams.refusalOf(TOKEN)?.code], ['server', 0, 'OVERLOADED']);
});
