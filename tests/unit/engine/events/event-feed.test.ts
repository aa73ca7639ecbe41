import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type EventBatch, EventFeed, type FeedBus } from '../../../../engine/org/feed/event-feed.ts';
import type { Log } from '../../../../engine/runtime/log.ts';
import type { LoggedEvent } from '../../../../schema/events.ts';
import { LIMITS } from '../../../../schema/limits.ts';
import { createHandClock, idle } from '../../gateway/guards/hand-clock.ts';

const ORGANIZATION = 7;

const eventOf = (sequence: number, body = '{}'): LoggedEvent => {
  return { organizationId: ORGANIZATION, sequence, type: 'task.created', at: '', body };
};
const eventsOf = (from: number, to: number, body?: string) =>
  Array.from({ length: to - from + 1 }, (_, index) => eventOf(from + index, body));

interface Setting {
  readonly isOwned?: boolean;
  /** The content of Redis. */
  readonly tail?: readonly LoggedEvent[];
}

/** Keeps the log lines without their details. */
function createRecordingLog() {
  const lines: string[] = [];
  const record = (level: string) => (_fields: object, text: string) => lines.push(`${level}: ${text}`);
  const info = (text: string) => lines.push(`info: ${text}`);
  return { log: { debug() {}, info, warn: record('warn'), error: record('error') } as unknown as Log, lines };
}

/** A feed on a log that the test writes, with everything that was asked of it. */
function createFeed({ isOwned = true, tail = [] }: Setting = {}) {
  const { clock, scheduler, advance } = createHandClock();
  const log: LoggedEvent[] = [];
  const queries: string[] = [];
  let isAway = false;
  const setAway = (value: boolean) => {
    isAway = value;
  };
  const { log: recordingLog, lines } = createRecordingLog();
  const head = () => log.at(-1)?.sequence ?? 0;
  const store = {
    async readAfter(_organizationId: number, after: number, limit: number) {
      queries.push(`page ${after}`);
      const lastSequence = head();
      const kept = log.filter(({ sequence }) => sequence > after);
      const next = kept[0]?.sequence;
      const keptAfter = Math.max(after, next === undefined ? lastSequence : next - 1);
      await idle();
      return {
        events: kept.slice(0, limit),
        isCut: false,
        lastSequence,
        keptAfter,
      };
    },
    async lastSequences(organizationIds: readonly number[]) {
      queries.push(`heads ${organizationIds.length}`);
      const heads = new Map(organizationIds.map((id) => [id, head()]));
      await idle();
      if (isAway) throw new Error('Postgres is away');
      return heads;
    },
  };
  let takeFromOthers: Parameters<FeedBus['onEvents']>[0] = () => {};
  const bus: FeedBus = {
    send: () => {},
    listen: (organizationId) => queries.push(`listen ${organizationId}`),
    follow: () => {},
    forgetTail: (organizationId) => queries.push(`forget tail ${organizationId}`),
    readTail: async (_organizationId, after, limit) => tail.filter(({ sequence }) => sequence > after).slice(0, limit),
    onEvents: (listener) => {
      takeFromOthers = listener;
    },
  };
  const feed = new EventFeed({
    history: 'history',
    store,
    bus,
    isOwned: () => isOwned,
    clock,
    scheduler,
    log: recordingLog,
  });
  const batches: string[] = [];
  const onEvents = async ({ after, last, events }: EventBatch) => {
    batches.push(`(${after}, ${last}] ${events.length}`);
  };
  const onLogCut = () => batches.push('cut');
  const subscriber = { onEvents, onLogCut };
  const commit = (...events: LoggedEvent[]) => {
    log.push(...events);
    return events;
  };
  const publish = (from: number, to: number, body?: string) =>
    feed.publish(ORGANIZATION, commit(...eventsOf(from, to, body)));
  const fromOthers = (events: readonly LoggedEvent[], last = events.at(-1)!.sequence) =>
    takeFromOthers(ORGANIZATION, events, last);
  return { feed, advance, log, queries, batches, subscriber, setAway, lines, commit, publish, fromOthers };
}

test('the first event after a quiet time is sent at once, and those that follow it a tick later', async () => {
  const { feed, batches, subscriber, publish, advance } = createFeed();
  feed.subscribe(ORGANIZATION, subscriber);
  publish(1, 1);
  assert.deepEqual(batches, [], 'callers that wait for the commit come first');
  await idle();
  assert.deepEqual(batches.splice(0), ['(0, 1] 1']);
  publish(2, 2);
  publish(3, 5);
  await advance(LIMITS.streamTickMs - 1);
  assert.deepEqual(batches, []);
  await advance(1);
  assert.deepEqual(batches.splice(0), ['(1, 5] 4']);
  await advance(1_000);
  publish(6, 6);
  await idle();
  assert.deepEqual(batches, ['(5, 6] 1']);
});

test('a tick brings so much at a time, and nothing is left over', async () => {
  const { feed, batches, subscriber, publish, advance } = createFeed();
  feed.subscribe(ORGANIZATION, subscriber);
  publish(1, 3, 'x'.repeat(LIMITS.streamBatchChars / 2));
  publish(4, 4, 'x'.repeat(LIMITS.streamBatchChars * 2));
  await idle();
  await advance(100);
  assert.deepEqual(batches, ['(0, 2] 2', '(2, 3] 1', '(3, 4] 1']);
});

test('events beyond the bound of memory are announced without their content', async () => {
  const { feed, batches, subscriber, publish, advance } = createFeed();
  feed.subscribe(ORGANIZATION, subscriber);
  publish(1, 1);
  await idle();
  publish(2, LIMITS.recentEventsPerOrganization + 10);
  await advance(1_000);
  assert.deepEqual(batches, ['(0, 1] 1', `(1, ${LIMITS.recentEventsPerOrganization + 10}] 0`]);
  assert.equal(feed.recentAfter(ORGANIZATION, 9), undefined);
  assert.equal(feed.recentAfter(ORGANIZATION, 10)!.length, LIMITS.recentEventsPerOrganization);
  assert.deepEqual(feed.recentAfter(ORGANIZATION, LIMITS.recentEventsPerOrganization + 10), []);
});

test('of another process only what comes next is taken; a hole is filled from the log, once', async () => {
  const { feed, batches, subscriber, commit, fromOthers, queries, advance } = createFeed({ isOwned: false });
  commit(...eventsOf(1, 3));
  for (let count = 0; count < 3; count += 1) feed.subscribe(ORGANIZATION, { ...subscriber });
  assert.equal(await feed.lastSequence(ORGANIZATION), 3);
  fromOthers(commit(eventOf(4)));
  await advance(100);
  fromOthers([eventOf(4), ...commit(eventOf(5))]);
  await advance(100);
  commit(...eventsOf(6, 8));
  fromOthers(commit(eventOf(9)));
  await advance(100);
  fromOthers(eventsOf(7, 8));
  await advance(100);
  const all = ['(3, 4] 1', '(4, 5] 1', '(5, 9] 4'];
  assert.deepEqual(
    batches,
    all.flatMap((batch) => [batch, batch, batch]),
  );
  assert.deepEqual(queries, ['listen 7', 'heads 1', 'page 0']);
  assert.deepEqual(
    feed.recentAfter(ORGANIZATION, 3)!.map(({ sequence }) => sequence),
    [4, 5, 6, 7, 8, 9],
  );
});

test('events without an announcement are found within two seconds, and an announced sequence that does not exist does no harm', async () => {
  const { feed, batches, subscriber, commit, fromOthers, advance } = createFeed({ isOwned: false });
  feed.subscribe(ORGANIZATION, subscriber);
  await feed.lastSequence(ORGANIZATION);
  fromOthers([eventOf(1_000_000)]);
  await advance(100);
  assert.deepEqual(batches, []);
  commit(eventOf(1));
  await advance(2_000);
  assert.deepEqual(batches.splice(0), ['(0, 1] 1']);
  fromOthers(commit(eventOf(2)));
  await idle();
  await advance(100);
  assert.deepEqual(batches, ['(1, 2] 1']);
});

test('a resume reads memory, then Redis as far as it goes without a gap, then the log', async () => {
  const tail = [...eventsOf(1_195, 1_200), ...eventsOf(1_203, 1_205)];
  const { feed, commit, queries } = createFeed({ tail });
  commit(...eventsOf(1, 1_210));
  const read = async (after: number) => {
    const { events, expired } = await feed.readAfter(ORGANIZATION, after);
    assert.equal(expired, false);
    return `${events[0]?.sequence}-${events.at(-1)?.sequence}`;
  };
  assert.equal(await read(1_194), '1195-1200');
  assert.equal(await read(1_202), '1203-1205');
  assert.deepEqual(queries, []);
  assert.equal(await read(1_200), '1201-1210');
  assert.equal(await read(700), '701-1000');
  assert.equal(await read(1_210), 'undefined-undefined');
  assert.deepEqual(queries, ['page 1000', 'page 500', 'page 1000']);
});

test('a thousand who come back at once share the queries', async () => {
  const { feed, commit, queries } = createFeed();
  commit(...eventsOf(1, 2_000));
  await Promise.all(Array.from({ length: 1_000 }, () => feed.lastSequence(ORGANIZATION)));
  assert.ok(queries.length <= 2, `${queries.length} questions for the head`);
  queries.length = 0;
  const pages = await Promise.all(Array.from({ length: 1_000 }, (_, place) => feed.readAfter(ORGANIZATION, place)));
  const firsts = pages.map(({ events }) => events[0]!.sequence);
  assert.deepEqual(
    firsts,
    pages.map((_, place) => place + 1),
  );
  assert.deepEqual(queries, ['page 0', 'page 500']);
  await feed.readAfter(ORGANIZATION, 3);
  assert.equal(queries.length, 2, 'a full page is kept for a moment');
});

test('a page reports events that are no longer kept, and only to readers that miss them', async () => {
  const { feed, commit, log } = createFeed();
  commit(...eventsOf(1, 20));
  log.splice(0, 10);
  assert.equal((await feed.readAfter(ORGANIZATION, 9)).expired, true);
  const { expired, events } = await feed.readAfter(ORGANIZATION, 10);
  assert.deepEqual([expired, events.length], [false, 10]);
  log.splice(0, 9);
  assert.equal((await feed.readAfter(ORGANIZATION, 20)).expired, false);
});

test('events are remembered for a while after the last subscriber left, and of so many organizations', async () => {
  const { feed, subscriber, publish, batches, advance } = createFeed();
  const leave = feed.subscribe(ORGANIZATION, subscriber);
  publish(1, 2);
  await advance(100);
  leave();
  publish(3, 4);
  await advance(LIMITS.feedLingerMs - 1_000);
  assert.equal(feed.recentAfter(ORGANIZATION, 0)!.length, 4);
  const leaveAgain = feed.subscribe(ORGANIZATION, subscriber);
  publish(5, 5);
  await advance(100);
  assert.deepEqual(batches, ['(0, 2] 2', '(4, 5] 1'], 'a reader that comes back reads earlier events from memory');
  leaveAgain();
  await advance(LIMITS.feedLingerMs + LIMITS.headCheckMs);
  assert.equal(feed.recentAfter(ORGANIZATION, 0), undefined);
  for (let id = 1; id <= LIMITS.lingeringFeeds + 5; id += 1) feed.subscribe(id, subscriber)();
  assert.equal(feed.size, LIMITS.lingeringFeeds);
});

test('a reader that joins between a commit and its tick does not get earlier events', async () => {
  const { feed, subscriber, publish, batches, advance } = createFeed();
  const leave = feed.subscribe(ORGANIZATION, subscriber);
  publish(1, 1);
  leave();
  feed.subscribe(ORGANIZATION, subscriber);
  await advance(100);
  assert.deepEqual(batches, []);
  publish(2, 2);
  await advance(100);
  assert.deepEqual(batches, ['(1, 2] 1']);
});

test('a subscriber that fails keeps nothing from others', async () => {
  const { feed, subscriber, publish, batches, advance } = createFeed();
  feed.subscribe(ORGANIZATION, { ...subscriber, onEvents: () => Promise.reject(new Error('it fails')) });
  feed.subscribe(ORGANIZATION, subscriber);
  publish(1, 1);
  await advance(100);
  publish(2, 2);
  await advance(100);
  assert.deepEqual(batches, ['(0, 1] 1', '(1, 2] 1']);
});

test('all organizations together are remembered within a bound', async () => {
  const { feed, subscriber } = createFeed();
  const body = 'x'.repeat(1_048_576);
  const most = LIMITS.recentEventBytes / body.length;
  for (let id = 1; id <= most + 3; id += 1) {
    const leave = feed.subscribe(id, { ...subscriber });
    feed.publish(id, [{ ...eventOf(1, body), organizationId: id }]);
    if (id === 2) leave();
  }
  const kept = Array.from({ length: most + 3 }, (_, index) => feed.recentAfter(index + 1, 0)?.length ?? 0);
  assert.equal(
    kept.reduce((sum, count) => sum + count, 0),
    most,
  );
  assert.equal(feed.recentAfter(2, 0), undefined, 'those go first whom nobody watches');
  await idle();
});

test('memory is made room for by all in turn', async () => {
  const { feed, subscriber } = createFeed();
  const body = 'x'.repeat(1_048_576);
  const most = LIMITS.recentEventBytes / body.length;
  const publish = (id: number, sequence: number) =>
    feed.publish(id, [{ ...eventOf(sequence, body), organizationId: id }]);
  for (let id = 1; id <= most; id += 1) {
    feed.subscribe(id, { ...subscriber });
    publish(id, 1);
  }
  for (let sequence = 2; sequence <= 4; sequence += 1) publish(1, sequence);
  const emptied = [1, 2, 3, 4].filter((id) => feed.recentAfter(id, 0) === undefined);
  assert.deepEqual(emptied, [1, 2], 'not the first one again and again');
  await idle();
});

test('an owner whose memory reaches as far answers without Postgres; what lies beyond is asked for', async () => {
  const { feed, subscriber, publish, setAway, queries } = createFeed();
  feed.subscribe(ORGANIZATION, subscriber);
  publish(1, 5);
  setAway(true);
  assert.equal(await feed.lastSequence(ORGANIZATION), 5);
  assert.equal(await feed.lastSequence(ORGANIZATION, 5), 5);
  assert.deepEqual(queries, []);
  await assert.rejects(feed.lastSequence(ORGANIZATION, 6), /away/);
  await idle();
});

test('a process that does not own an organization asks Postgres for the end of its log', async () => {
  const { feed, subscriber, commit, fromOthers } = createFeed({ isOwned: false });
  feed.subscribe(ORGANIZATION, subscriber);
  fromOthers(commit(...eventsOf(1, 5)));
  commit(eventOf(6));
  assert.equal(await feed.lastSequence(ORGANIZATION), 6);
});

test('an outage of Postgres is logged once for all readers, and so is its end', async () => {
  const { feed, subscriber, setAway, lines, advance } = createFeed({ isOwned: false });
  feed.subscribe(ORGANIZATION, subscriber);
  setAway(true);
  const asked = Array.from({ length: 100 }, () => feed.lastSequence(ORGANIZATION).catch(() => 'away'));
  await Promise.all(asked);
  await advance(5 * LIMITS.headCheckMs);
  assert.deepEqual(lines.splice(0), ['warn: reading the log for streams fails; retrying']);
  setAway(false);
  await advance(2 * LIMITS.headCheckMs);
  assert.deepEqual(lines, ['info: reading the log for streams works again']);
});

test('heads are compared one comparison at a time, however long Postgres takes', async () => {
  const { feed, subscriber, queries } = createFeed();
  feed.subscribe(ORGANIZATION, subscriber);
  await Promise.all([feed.compareHeads(), feed.compareHeads(), feed.compareHeads()]);
  assert.deepEqual(queries, ['listen 7', 'heads 1'].slice(1));
});

test('a log that ends before events that were sent is logged, and later events are sent as ever', async () => {
  const { feed, subscriber, log, publish, batches, lines, queries, advance } = createFeed();
  feed.subscribe(ORGANIZATION, subscriber);
  publish(1, 500);
  await advance(2_000);
  await feed.readAfter(ORGANIZATION, 0);
  assert.deepEqual(batches.splice(0), ['(0, 500] 500']);
  queries.length = 0;
  log.splice(490);
  await advance(LIMITS.headCheckMs);
  assert.deepEqual(batches.splice(0), ['cut']);
  assert.deepEqual(lines, ['error: the log ends before events that streams have: they are sent back']);
  assert.deepEqual(queries, ['heads 1', `forget tail ${ORGANIZATION}`]);
  assert.equal(feed.recentAfter(ORGANIZATION, 480), undefined, 'memory keeps no event of it');
  assert.equal((await feed.readAfter(ORGANIZATION, 480)).events.length, 10, 'nor kept');
  publish(491, 495);
  await advance(2_000);
  assert.deepEqual(batches, ['(490, 495] 5']);
});

test('a commit during the comparison of heads is no sign of a log that ends early', async () => {
  const { feed, subscriber, publish, batches } = createFeed();
  feed.subscribe(ORGANIZATION, subscriber);
  publish(1, 3);
  const comparing = feed.compareHeads();
  publish(4, 6);
  await comparing;
  assert.equal(batches.includes('cut'), false);
});

test('an event that is too large to come along is read from the log', async () => {
  const { feed, subscriber, batches, commit, fromOthers, advance } = createFeed({ isOwned: false });
  feed.subscribe(ORGANIZATION, subscriber);
  await feed.lastSequence(ORGANIZATION);
  commit(eventOf(1));
  fromOthers([], 1);
  await idle();
  await advance(LIMITS.streamTickMs);
  assert.deepEqual(batches, ['(0, 1] 1']);
});
