import { readStamp, STAMP_BEGINS, STAMP_DIGITS, type Stamp } from './stamp.ts';

const LINE_FEED = 10;
const STAMP_BYTES = STAMP_BEGINS.length + STAMP_DIGITS;
/** Longer than the head of any answer, and than the size of any chunk. */
const MOST_LINE = 16_384;

/**
 * Finds the stamps in an answer as it arrives, in chunks or up to the end of the connection. It looks at almost nothing
 * else: behind each stamp it skips the bytes in which no other one can start.
 */
export class StampScanner {
  readonly #leap: number;
  readonly #onStamp: (stamp: Stamp) => void;
  #isInBody = false;
  /** Bytes left of the present chunk; 0 while its size is still to come, infinite when there are no chunks. */
  #bytesLeft = 0;
  #line = '';
  /** How much of what follows holds no stamp. */
  #skip = 0;
  /** The end of what was searched, where a stamp may have begun. */
  #tail: Buffer = Buffer.alloc(0);

  /** `leap`: from the end of one stamp to the begin of the next there are at least so many bytes. */
  constructor(leap: number, onStamp: (stamp: Stamp) => void) {
    this.#leap = leap;
    this.#onStamp = onStamp;
  }

  /** Throws when the answer is no 200, or its chunks have no size. */
  read(bytes: Buffer): void {
    let at = 0;
    while (at < bytes.length) {
      if (this.#bytesLeft > 0) {
        const end = Math.min(bytes.length, at + this.#bytesLeft);
        this.#bytesLeft -= end - at;
        this.#search(bytes, at, end);
        at = end;
        continue;
      }
      const end = bytes.indexOf(LINE_FEED, at);
      this.#line += bytes.toString('latin1', at, end === -1 ? bytes.length : end);
      if (this.#line.length > MOST_LINE) throw new Error('a line without an end');
      if (end === -1) return;
      at = end + 1;
      this.#takeLine();
    }
  }

  #takeLine(): void {
    const line = this.#line;
    if (this.#isInBody) {
      this.#line = '';
      // The line that ends a chunk is empty.
      if (line !== '\r') this.#bytesLeft = Number.parseInt(line, 16);
      if (Number.isNaN(this.#bytesLeft)) throw new Error(`no size of a chunk: ${line}`);
      return;
    }
    this.#line += '\n';
    if (!line.endsWith('\n\r')) return;
    if (!line.startsWith('HTTP/1.1 200 ')) throw new Error(`the stream was refused: ${line.slice(0, 300)}`);
    this.#isInBody = true;
    if (!/\ntransfer-encoding: *chunked\r/i.test(line)) this.#bytesLeft = Number.POSITIVE_INFINITY;
    this.#line = '';
  }

  #search(bytes: Buffer, from: number, to: number): void {
    const leapt = Math.min(this.#skip, to - from);
    this.#skip -= leapt;
    let at = from + leapt;
    if (this.#tail.length > 0 && at < to) {
      const joined = Buffer.concat([this.#tail, bytes.subarray(at, to)]);
      this.#tail = Buffer.alloc(0);
      return this.#search(joined, 0, joined.length);
    }
    while (at < to) {
      const found = bytes.indexOf(STAMP_BEGINS, at);
      if (found === -1 || found + STAMP_BYTES > to) {
        const kept = Math.max(at, found === -1 || found >= to ? to - STAMP_BYTES + 1 : found);
        this.#tail = Buffer.from(bytes.subarray(kept, to));
        return;
      }
      this.#onStamp(readStamp(bytes, found + STAMP_BEGINS.length));
      at = found + STAMP_BYTES + this.#leap;
    }
    this.#skip = at - to;
  }
}
