import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameOf, type Stamp } from '../../../bench/fanout/stamp.ts';
import { StampScanner } from '../../../bench/fanout/stamp-scanner.ts';

const LEAP = 60;
const stamps: readonly Stamp[] = [0, 1, 2, 3, 4].map((number) => ({
  publisher: number % 3,
  number,
  dueMicros: 1_000_000_000_000 + number,
}));
const frames = stamps
  .map((stamp) => `id: 7\ndata: {"name":"${nameOf(stamp)}","rest":"${'x'.repeat(LEAP)}"}\n\n`)
  .join('');

const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n';
const plain = `${HEAD}\r\n${frames}`;

/** Chunks of so many bytes, which no stamp cares about. */
function chunked(bytes: number): string {
  let text = `${HEAD}Transfer-Encoding: chunked\r\n\r\n`;
  for (let at = 0; at < frames.length; at += bytes) {
    const chunk = frames.slice(at, at + bytes);
    text += `${chunk.length.toString(16)}\r\n${chunk}\r\n`;
  }
  return text;
}

/** The stamps that the scanner finds when the bytes come in pieces of this size. */
function found(text: string, piece: number): Stamp[] {
  const seen: Stamp[] = [];
  const scanner = new StampScanner(LEAP, (stamp) => seen.push(stamp));
  const bytes = Buffer.from(text, 'latin1');
  for (let at = 0; at < bytes.length; at += piece) scanner.read(Buffer.from(bytes.subarray(at, at + piece)));
  return seen;
}

test('every stamp is found once and in order, however chunks and packets cut it', () => {
  for (const text of [plain, chunked(1_000), chunked(150), chunked(47), chunked(1)]) {
    for (const piece of [1, 2, 7, 48, 100, 1_000, 100_000])
      assert.deepEqual(found(text, piece), stamps, `${text.length} bytes in pieces of ${piece}`);
  }
});

test('a stream that is refused is reported with its answer', () => {
  assert.throws(() => found('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n', 1_000), /refused: HTTP\/1\.1 403/);
});
