import { BodyOverload, BodyTooLarge } from './port.ts';

/** Bytes that the bodies being received by this process may occupy together. */
export class BodyBudget {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  take(bytes: number): boolean {
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.#left += bytes;
  }
}

const FIRST_BYTES = 4_096;
const EMPTY = new Uint8Array(0);

/**
 * Gathers one body. It grows by doubling with what has come, never by what was announced: a client that promises much and
 * sends nothing holds nothing, and one that sends single bytes costs no more than one that does not.
 */
export class BodyBuffer {
  readonly #budget: BodyBudget;
  readonly #limitBytes: number;
  #bytes: Uint8Array = EMPTY;
  #used = 0;

  constructor(budget: BodyBudget, limitBytes: number) {
    this.#budget = budget;
    this.#limitBytes = limitBytes;
  }

  /** Copies a chunk; throws BodyTooLarge or BodyOverload, after which the buffer is of no more use. */
  append(chunk: Uint8Array): void {
    const needed = this.#used + chunk.length;
    if (needed > this.#limitBytes) throw new BodyTooLarge(`the body exceeds ${this.#limitBytes} bytes`);
    if (needed > this.#bytes.length) this.#grow(needed);
    this.#bytes.set(chunk, this.#used);
    this.#used = needed;
  }

  /** The body with its last chunk. A body that came in one piece is copied once and never counted. */
  finish(lastChunk: Uint8Array): Buffer {
    if (this.#used === 0 && lastChunk.length <= this.#limitBytes) {
      const body = Buffer.allocUnsafe(lastChunk.length);
      body.set(lastChunk);
      return body;
    }
    this.append(lastChunk);
    const body = Buffer.from(this.#bytes.buffer, this.#bytes.byteOffset, this.#used);
    this.release();
    return body;
  }

  release(): void {
    this.#budget.giveBack(this.#bytes.length);
    this.#bytes = EMPTY;
    this.#used = 0;
  }

  #grow(needed: number): void {
    const size = Math.min(Math.max(needed, 2 * this.#bytes.length, FIRST_BYTES), this.#limitBytes);
    if (!this.#budget.take(size - this.#bytes.length)) {
      throw new BodyOverload('too many request bodies are being received');
    }
    const larger = new Uint8Array(size);
    larger.set(this.#bytes.subarray(0, this.#used));
    this.#bytes = larger;
  }
}
