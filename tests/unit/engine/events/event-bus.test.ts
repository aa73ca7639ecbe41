import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventBus } from '../../../../engine/bus/event-bus.ts';
import { createLog } from '../../../../engine/runtime/log.ts';
import { parseBareSequence, parseEventLine } from '../../../../engine/store/log/event-tail-store.ts';
import type { LoggedEvent } from '../../../../schema/events.ts';
import { LIMITS } from '../../../../schema/limits.ts';
import { createHandClock, idle } from '../../gateway/guards/hand-clock.ts';

const eventOf = (organizationId: number, sequence: number, body = '{}'): LoggedEvent => {
  return { organizationId, sequence, type: 'task.created', at: 'now', body };
};
const lineOf = ({ sequence, type, at, body }: LoggedEvent) => `${sequence} ${type} ${at} ${body}`;

/** A bus whose Redis the test plays. */
function createBus() {
  const { clock, advance } = createHandClock();
  const appended: string[] = [];
  const published: string[] = [];
  const channels: string[] = [];
  const taken: string[] = [];
  const forgotten: number[] = [];
  let onMessage: (channel: string, message: string) => void = () => {};
  let isAway = false;
  let tailReads = 0;
  let letGo: (() => void) | undefined;
  const bus = new EventBus({
    tail: {
      async append(organizationId, events) {
        appended.push(`${organizationId}: ${events.map(({ sequence }) => sequence)}`);
        await new Promise<void>((resolve) => {
          letGo = resolve;
        });
        if (isAway) throw new Error('Redis is away');
      },
      async readAfter() {
        tailReads += 1;
        if (isAway) throw new Error('Redis is away');
        return [eventOf(1, 7)];
      },
      async forget(organizationId) {
        forgotten.push(organizationId);
        if (isAway) throw new Error('Redis is away');
      },
    },
    redis: { publish: async (channel, message) => published.push(`${channel} ${message}`) },
    subscriber: {
      on(_event: string, listener: typeof onMessage) {
        onMessage = listener;
      },
      subscribe: async (channel: string) => channels.push(`+${channel}`),
      unsubscribe: async (channel: string) => channels.push(`-${channel}`),
    } as never,
    keys: { listening: 'listening', events: (organizationId) => `events-${organizationId}` },
    processId: 'self',
    clock,
    log: createLog('gateway', 'silent'),
  });
  bus.onEvents((organizationId, events, last) =>
    taken.push(`${organizationId}: ${events.map(({ sequence }) => sequence)} up to ${last}`),
  );
  return {
    bus,
    advance,
    appended,
    published,
    channels,
    taken,
    forgotten,
    setAway: (value: boolean) => {
      isAway = value;
    },
    tailReads: () => tailReads,
    announce: (processId: string, ids: string) => onMessage('listening', `${processId} ${ids}`),
    receive: (organizationId: number, ...lines: string[]) => onMessage(`events-${organizationId}`, lines.join('\n')),
    /** Redis has taken what was handed over. */
    async takeOver() {
      letGo?.();
      await idle();
    },
  };
}

test('events are handed over while another process says that it listens, and for a while after', async () => {
  const { bus, announce, appended, takeOver, advance } = createBus();
  bus.send(1, [eventOf(1, 1)]);
  announce('self', '1');
  bus.send(1, [eventOf(1, 2)]);
  assert.deepEqual(appended, [], 'nobody else listens');
  announce('other', '2,1,x,-');
  bus.send(1, [eventOf(1, 3)]);
  await takeOver();
  await advance(LIMITS.announcementMs);
  bus.send(1, [eventOf(1, 4)]);
  await takeOver();
  await advance(1);
  bus.send(1, [eventOf(1, 5)]);
  announce('other', '1');
  bus.send(1, [eventOf(1, 6)]);
  assert.deepEqual(appended, ['1: 3', '1: 4', '1: 6']);
  await takeOver();
});

test('messages that come while Redis is slow leave together, and a lost one holds nothing up', async () => {
  const { bus, announce, appended, takeOver, setAway } = createBus();
  announce('other', '1,2');
  bus.send(2, [eventOf(2, 1)]);
  for (let sequence = 1; sequence <= 4; sequence += 1) bus.send(1, [eventOf(1, sequence)]);
  assert.deepEqual(appended.splice(0), ['2: 1', '1: 1'], 'one organization does not wait for another');
  setAway(true);
  await takeOver();
  assert.deepEqual(appended, ['1: 2,3,4']);
});

test('the queue for Redis is bounded, and has room again once Redis accepts', async () => {
  const { bus, announce, appended, takeOver } = createBus();
  announce('other', '1');
  const large = 'x'.repeat(LIMITS.eventBusChars / 2);
  for (let sequence = 1; sequence <= 4; sequence += 1) bus.send(1, [eventOf(1, sequence, large)]);
  await takeOver();
  await takeOver();
  bus.send(1, [eventOf(1, 5, large)]);
  await takeOver();
  assert.deepEqual(appended, ['1: 1', '1: 2', '1: 5'], 'the hole is for the log to fill');
});

test('no more organizations are believed to be listened to than there may be', () => {
  const { bus, announce, appended } = createBus();
  const most = LIMITS.announcedOrganizations;
  announce('other', Array.from({ length: most + 1 }, (_, index) => index + 1).join(','));
  bus.send(most, [eventOf(most, 1)]);
  bus.send(most + 1, [eventOf(most + 1, 1)]);
  assert.deepEqual(appended, [`${most}: 1`]);
});

test('a message is read as runs without a gap; nonsense and organizations without listeners are ignored', () => {
  const { bus, receive, taken } = createBus();
  receive(1, lineOf(eventOf(1, 1)));
  bus.listen(1);
  receive(1, ...[1, 2, 5, 6].map((sequence) => lineOf(eventOf(1, sequence))), 'nonsense', '', lineOf(eventOf(1, 8)));
  assert.deepEqual(taken, ['1: 1,2 up to 2', '1: 5,6 up to 6', '1: 8 up to 8']);
});

test('an event that was too large to send is announced by its sequence', () => {
  const { bus, receive, taken } = createBus();
  bus.listen(1);
  receive(1, lineOf(eventOf(1, 1)), '2');
  receive(1, '3', lineOf(eventOf(1, 4)));
  assert.deepEqual(taken, ['1: 1 up to 1', '1:  up to 2', '1: 4 up to 4'], 'one amid others is a hole');
});

test('it says once a second what it listens to, in parts, and ends listening to the rest', () => {
  const { bus, published, channels } = createBus();
  bus.listen(1);
  bus.listen(1);
  const many = Array.from({ length: LIMITS.organizationsPerAnnouncement + 1 }, (_, index) => index + 2);
  bus.follow(new Set(many));
  assert.deepEqual(channels.slice(0, 3), ['+listening', '+events-1', '-events-1']);
  assert.equal(channels.length, 3 + many.length);
  assert.deepEqual(published.slice(-2), [
    `listening self ${many.slice(0, -1).join(',')}`,
    `listening self ${many.at(-1)}`,
  ]);
});

test('a tail that could not be read is left alone for a while', async () => {
  const { bus, setAway, tailReads, advance, forgotten } = createBus();
  assert.equal((await bus.readTail(1, 0, 10)).length, 1);
  setAway(true);
  bus.forgetTail(1);
  for (let read = 0; read < 5; read += 1) assert.deepEqual(await bus.readTail(1, 0, 10), []);
  assert.deepEqual([tailReads(), forgotten], [2, [1]]);
  setAway(false);
  await advance(LIMITS.eventTailRetryMs);
  assert.equal((await bus.readTail(1, 0, 10)).length, 1);
});

test('a line holds any JSON, separators of lines of Unicode included', () => {
  const event = eventOf(1, 12, JSON.stringify({ notes: 'above\u2028below\u2029', of: 'x\ny' }));
  assert.deepEqual(parseEventLine(1, lineOf(event)), event);
  assert.equal(parseEventLine(1, '12'), undefined);
  assert.deepEqual(['12', '12 x', '', 'x', '1'.repeat(16)].map(parseBareSequence), [12, ...Array(4).fill(undefined)]);
});
