import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createLog } from '../../../../engine/runtime/log.ts';
import { type OpenMapFile, openMapFile } from '../../../../gateway/console-files/map-file.ts';
import { mapRoute } from '../../../../gateway/console-files/map-route.ts';
import { sendRange } from '../../../../gateway/console-files/send-range.ts';
import type { HttpServerOptions, IncomingRequest, Reply } from '../../../../gateway/http/port.ts';
import { QueuedStream } from '../../../../gateway/http/queued-stream.ts';
import { Traffic } from '../../../../gateway/http/traffic.ts';
import { RefusalError } from '../../../../gateway/refusal-error.ts';
import type { ParsedRequest } from '../../../../gateway/route.ts';
import { LIMITS } from '../../../../schema/limits.ts';
import { until } from '../../../support/until.ts';
import { createHandClock } from '../guards/hand-clock.ts';

const folder = mkdtempSync(join(tmpdir(), 'range-'));
after(() => rmSync(folder, { recursive: true }));
const path = join(folder, 'map');
/** More than 20 pieces: at a cork a second it takes longer than it may. */
const BYTES = Buffer.alloc(21 * LIMITS.mapPieceBytes, Buffer.from(Array.from({ length: 251 }, (_, at) => at)));
writeFileSync(path, BYTES);
const log = createLog('gateway', 'silent');

/** A stream on a connection that takes as much as it is let, and what was asked of the file meanwhile. */
async function createScene() {
  const { clock, scheduler, advance } = createHandClock();
  const traffic = new Traffic({ clock, scheduler, log } as unknown as HttpServerOptions);
  const ends: string[] = [];
  const taken: Buffer[] = [];
  let flows = false;
  const stream = new QueuedStream(traffic, {
    write(chunk) {
      taken.push(Buffer.from(chunk));
      return flows;
    },
    flush: () => true,
    end: () => void ends.push('ended'),
    destroy: () => void ends.push('destroyed'),
  });
  const file = await openMapFile(path);
  let bytesRead = 0;
  const handle = {
    read: async (...args: Parameters<OpenMapFile['handle']['read']>) => {
      const answer = await file.handle.read(...args);
      bytesRead += answer.bytesRead;
      return answer;
    },
  } as unknown as OpenMapFile['handle'];
  return {
    stream,
    scheduler,
    advance,
    ends,
    file: { ...file, handle },
    close: () => file.handle.close(),
    read: () => bytesRead,
    taken: () => Buffer.concat(taken),
    flow: () => {
      flows = true;
      stream.onWritable();
    },
  };
}

const RANGE = { first: 10, last: BYTES.length - 20 };

test('a range is read no further than its client takes it, and arrives whole', async () => {
  const scene = await createScene();
  const sending = sendRange(scene.stream, scene.file, RANGE, scene.scheduler);
  await until('the first piece is read', () => scene.read() > 0);
  await scene.advance(1_000);
  assert.equal(scene.read(), LIMITS.mapPieceBytes);
  scene.flow();
  await sending;
  assert.deepEqual(scene.taken(), BYTES.subarray(RANGE.first, RANGE.last + 1));
  assert.deepEqual(scene.ends, ['ended']);
  await scene.close();
});

test('a range whose client trickles on for too long is cut off', async () => {
  const scene = await createScene();
  const sending = sendRange(scene.stream, scene.file, RANGE, scene.scheduler);
  await until('the first piece is read', () => scene.read() > 0);
  for (let passedMs = 0; passedMs <= LIMITS.mapAnswerMs && scene.ends.length === 0; passedMs += 1_000) {
    scene.stream.onWritable();
    await scene.advance(1_000);
  }
  await sending;
  assert.deepEqual(scene.ends, ['destroyed']);
  await scene.close();
});

test('a process sends so many ranges at a time, and refuses one more as overload', async () => {
  const { scheduler } = createHandClock();
  const { handle } = mapRoute({ path, scheduler, log });
  const leave: (() => void)[] = [];
  const never = { write: () => {}, onIdle: () => {}, close: () => {}, abort: () => {} };
  const reply = () =>
    ({
      openStream: () => ({ ...never, onClose: (listener: () => void) => leave.push(listener) }),
      send: () => assert.fail('it is streamed'),
    }) as unknown as Reply;
  const incoming = { method: 'GET', header: () => undefined } as unknown as IncomingRequest;
  const ask = async () => handle({ replyHeaders: [] } as unknown as ParsedRequest, reply(), incoming);
  const sent = Array.from({ length: LIMITS.mapAnswersAtOnce }, ask);
  await until('all are under way', () => leave.length === sent.length);
  await assert.rejects(ask(), (error) => error instanceof RefusalError && error.refusal.code === 'OVERLOADED');
  for (const each of leave.splice(0)) each();
  await Promise.all(sent);
  const next = ask();
  await until('there is room again', () => leave.length === 1);
  leave[0]!();
  await next;
});
