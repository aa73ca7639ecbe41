import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { RecentEvents } from '../../../../engine/org/feed/recent-events.ts';
import type { SharedEvent } from '../../../../engine/org/feed/shared-event.ts';
import { LIMITS } from '../../../../schema/limits.ts';

const event = (sequence: number, chars = 10) => ({ sequence, event: { body: 'x'.repeat(chars) } }) as SharedEvent;

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
