import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { RecentEvents } from '../../../../engine/org/feed/recent-events.ts';
import type { SharedEvent } from '../../../../engine/org/feed/shared-event.ts';
import { LIMITS } from '../../../../schema/limits.ts';

const event = (sequence: number, chars = 10) => ({ sequence, event: { body: 'x'.repeat(chars) } }) as SharedEvent;
const from = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => event(first + index));
const sequences = (events: readonly SharedEvent[] | undefined) => events?.map(({ sequence }) => sequence);

test('events come back from wherever memory reaches to', () => {
  const recent = new RecentEvents();
  assert.equal(recent.after(0), undefined, 'nothing is known yet');
  assert.equal(recent.add(from(5, 9)), true);
  assert.deepEqual(sequences(recent.after(6)), [7, 8, 9]);
  assert.deepEqual(sequences(recent.after(4)), [5, 6, 7, 8, 9]);
  assert.deepEqual([recent.after(9), recent.after(12)], [[], []]);
  assert.equal(recent.after(3), undefined);
  assert.equal(recent.add(from(8, 11)), true, 'what is known already is passed over');
  assert.deepEqual(sequences(recent.after(8)), [9, 10, 11]);
  assert.equal(recent.add(from(13, 14)), false, 'a gap');
  assert.equal(recent.last, 11);
  recent.restartAt(20);
  assert.deepEqual([recent.after(20), recent.after(19), recent.bytes], [[], undefined, 0]);
});

test('the newest stay, as many as the bounds allow', () => {
  const recent = new RecentEvents();
  const many = LIMITS.recentEventsPerOrganization * 2 + 300;
  for (let sequence = 1; sequence <= many; sequence += 1) recent.add([event(sequence)]);
  const oldest = many - LIMITS.recentEventsPerOrganization + 1;
  assert.equal(recent.after(oldest - 2), undefined);
  assert.deepEqual(sequences(recent.after(oldest - 1)), sequences(from(oldest, many)));
  assert.equal(recent.bytes, LIMITS.recentEventsPerOrganization * 10);
  recent.add([event(many + 1, LIMITS.recentEventBytesPerOrganization - 5)]);
  assert.deepEqual(sequences(recent.after(many)), [many + 1], 'a large one takes the place of all others');
  assert.equal(recent.after(many - 1), undefined);
});

test('memory does not hold events beyond its count', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const recent = new RecentEvents();
  const count = 40;
  const chars = LIMITS.recentEventBytesPerOrganization / 4;
  const held: WeakRef<SharedEvent>[] = [];
  for (let sequence = 1; sequence <= count; sequence += 1) {
    const large = event(sequence, chars);
    held.push(new WeakRef(large));
    recent.add([large]);
  }
  // A weak reference holds what it was made for until the turn ends.
  await new Promise(setImmediate);
  collect();
  const living = held.flatMap((reference, index) => (reference.deref() ? index + 1 : []));
  assert.deepEqual(living, [37, 38, 39, 40]);
});
