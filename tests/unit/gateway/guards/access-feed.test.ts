import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '../../../../engine/runtime/log.ts';
import { AccessFeed } from '../../../../gateway/guards/access-feed.ts';
import type { HeardChanges } from '../../../../gateway/guards/changed-subjects.ts';
import { LIMITS } from '../../../../schema/limits.ts';
import { createHandClock, idle } from './hand-clock.ts';
import { type MadeChange, StandInAccessStore } from './stand-in-access-store.ts';

const user = (subjectId: number): MadeChange => ({ subject: 'user', subjectId });

async function startFeed() {
  const store = new StandInAccessStore();
  const { clock, scheduler, advance } = createHandClock();
  const heard: (number[] | 'all')[] = [];
  let announced = 0;
  const announce = () => {
    announced += 1;
  };
  const feed = new AccessFeed({ store, clock, scheduler, log: createLog('gateway', 'silent'), announce });
  feed.onChanges((changes: HeardChanges) => {
    heard.push(changes === 'all' ? changes : changes.map(({ subjectId }) => subjectId));
  });
  await feed.start();
  assert.deepEqual(heard.splice(0), ['all'], 'what was before the start is not known');
  return { feed, store, clock, advance, heard: () => heard.splice(0), announced: () => announced };
}

test('changes are heard at the next poll, each once', async () => {
  const { store, advance, heard } = await startFeed();
  store.commit(user(1), user(2));
  await advance(LIMITS.accessPollMs);
  assert.deepEqual(heard(), [[1, 2]]);
  await advance(10 * LIMITS.accessPollMs);
  assert.deepEqual(heard(), []);
});

test('more new changes than one poll reads are heard as all, once', async () => {
  const { store, advance, heard } = await startFeed();
  for (let id = 0; id <= LIMITS.accessChangesSeen; id++) store.commit(user(id));
  await advance(10 * LIMITS.accessPollMs);
  assert.deepEqual(heard(), ['all']);
});

test('remembered credentials may be used for a second from the start of the last good poll', async () => {
  const { feed, store, clock, advance } = await startFeed();
  await advance(LIMITS.accessPollMs);
  const polledAt = clock.monotonic();
  assert.equal(feed.freshUntil, polledAt + LIMITS.credentialValidMs);
  store.isAway = true;
  await advance(5 * LIMITS.credentialValidMs);
  assert.equal(feed.freshUntil, polledAt + LIMITS.credentialValidMs, 'without Postgres it is not prolonged');
  store.isAway = false;
  await advance(LIMITS.accessPollMs);
  assert.ok(feed.freshUntil > clock.monotonic());
});

test('the time counts from before the question, however long the answer takes', async () => {
  const { feed, store, clock, advance } = await startFeed();
  let answer = () => {};
  store.hold = new Promise((resolve) => {
    answer = resolve;
  });
  await advance(LIMITS.accessPollMs);
  const askedAt = clock.monotonic();
  await advance(700);
  answer();
  store.isAway = true;
  await idle();
  assert.equal(feed.freshUntil, askedAt + LIMITS.credentialValidMs);
});

test('a gateway that is not announced hears changes but may use nothing that it remembers', async () => {
  const { feed, store, clock, advance, heard } = await startFeed();
  store.isAnnounced = false;
  store.commit(user(1));
  await advance(2 * LIMITS.credentialValidMs);
  assert.deepEqual(heard(), [[1]]);
  assert.ok(feed.freshUntil < clock.monotonic());
});

test('a process that has not polled for too long looks everything up again', async () => {
  const { store, advance, heard } = await startFeed();
  store.isAway = true;
  await advance(LIMITS.accessPollMs);
  store.commit(user(1));
  await advance(LIMITS.accessCursorMs);
  store.isAway = false;
  await advance(LIMITS.accessPollMs);
  assert.deepEqual(heard(), ['all']);
  store.commit(user(2));
  await advance(LIMITS.accessPollMs);
  assert.deepEqual(heard(), [[2]]);
});

test('another run of Postgres may have other transactions under the same ids: everything is looked up again', async () => {
  const { store, advance, heard } = await startFeed();
  store.commit(user(1));
  store.run = 'second';
  await advance(LIMITS.accessPollMs);
  assert.deepEqual(heard(), ['all']);
  store.commit(user(2));
  await advance(LIMITS.accessPollMs);
  assert.deepEqual(heard(), [[2]]);
});

test('hints lead to one poll, soon', async () => {
  const { feed, store, advance, heard } = await startFeed();
  store.commit(user(1));
  const before = store.polls;
  for (let i = 0; i < 100; i++) feed.hint();
  await advance(LIMITS.accessHintMs);
  assert.equal(store.polls, before + 1);
  assert.deepEqual(heard(), [[1]]);
});

test('a change settles at once where no other gateway is, and is heard here before', async () => {
  const { feed, store, heard, announced } = await startFeed();
  store.commit(user(1));
  await feed.settled();
  assert.deepEqual(heard(), [[1]]);
  assert.equal(announced(), 1);
});

test('a poll that was under way when the change committed does not settle it', async () => {
  const { feed, store, advance, heard } = await startFeed();
  let answer = () => {};
  store.hold = new Promise((resolve) => {
    answer = resolve;
  });
  await advance(LIMITS.accessPollMs);
  store.commit(user(1));
  const settled = feed.settled();
  answer();
  await settled;
  assert.deepEqual(heard(), [[1]]);
});

for (const [why, facts] of [
  ['another gateway is there', { others: true }],
  ['Postgres does not say whether one is', { isAway: true }],
] as const) {
  test(`a change settles when every memory of what was before has run out, if ${why}`, async () => {
    const { feed, store, advance } = await startFeed();
    Object.assign(store, facts);
    let isSettled = false;
    void feed.settled().then(() => {
      isSettled = true;
    });
    await advance(LIMITS.credentialValidMs);
    assert.equal(isSettled, false);
    await advance(LIMITS.accessSettleMarginMs);
    assert.equal(isSettled, true);
  });
}
