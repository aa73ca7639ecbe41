import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '../../../../engine/runtime/log.ts';
import type { HttpServerOptions, StreamEnd } from '../../../../gateway/http/port.ts';
import { QueuedStream } from '../../../../gateway/http/queued-stream.ts';
import { Traffic } from '../../../../gateway/http/traffic.ts';
import { LIMITS } from '../../../../schema/limits.ts';
import { createHandClock } from '../guards/hand-clock.ts';

/** A stream on a connection that takes one piece each time it says that it takes more. */
function createDripping() {
  const { clock, scheduler, advance } = createHandClock();
  const traffic = new Traffic({
    clock,
    scheduler,
    log: createLog('gateway', 'silent'),
  } as unknown as HttpServerOptions);
  const ends: (StreamEnd | 'ended' | 'destroyed')[] = [];
  let taken = 0;
  const stream = new QueuedStream(traffic, {
    write(chunk) {
      taken += chunk.length;
      return false;
    },
    flush: () => true,
    end: () => void ends.push('ended'),
    destroy: () => void ends.push('destroyed'),
  });
  stream.onClose((reason) => ends.push(reason));
  return { stream, ends, advance, taken: () => taken };
}

test('a stream that is to end has so long for what is queued, however it trickles', async () => {
  const { stream, ends, advance } = createDripping();
  stream.write(Buffer.alloc(LIMITS.streamQueueBytes));
  stream.close();
  let sinceCloseMs = 0;
  // It never stalls for long.
  for (; ends.length === 0 && sinceCloseMs < 60_000; sinceCloseMs += 1_000) {
    await advance(1_000);
    stream.onWritable();
  }
  assert.deepEqual(ends, ['slow', 'destroyed']);
  assert.ok(sinceCloseMs >= LIMITS.streamStallMs && sinceCloseMs <= LIMITS.streamStallMs + 2_000, `${sinceCloseMs} ms`);
});

test('closing again, or closing what has ended, changes nothing', async () => {
  const { stream, ends, advance } = createDripping();
  stream.write(Buffer.alloc(LIMITS.streamQueueBytes));
  stream.close();
  await advance(LIMITS.streamStallMs - 1_000);
  stream.onWritable();
  stream.close();
  await advance(3_000);
  assert.deepEqual(ends, ['slow', 'destroyed']);
  stream.close();
  await advance(10_000);
  assert.deepEqual(ends.length, 2);
});

test('a stream that is to end does so when what is queued has been taken', () => {
  const { stream, ends, taken } = createDripping();
  stream.write(Buffer.alloc(3 * LIMITS.corkBytes));
  stream.close();
  stream.write('not any more');
  for (let turn = 0; turn < 4; turn += 1) stream.onWritable();
  assert.deepEqual(ends, ['server', 'ended']);
  assert.equal(taken(), 3 * LIMITS.corkBytes);
});
