import { randomBytes, randomUUID } from 'node:crypto';

/** Unpredictable values; tests pass a seeded source. */
export interface RandomSource {
  uuid(): string;
  /** `length` characters drawn evenly from an alphabet whose size divides 256. */
  text(length: number, alphabet: string): string;
}

/** Crockford's base 32: no I, L, O or U, so that a code can be read over the phone. */
export const CROCKFORD_BASE32 = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
export const BASE64_URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Bytes are drawn from the kernel in blocks: one call for many codes instead of one each. */
const BLOCK_BYTES = 8_192;

/** Evenly from 0 up to 1. */
export function drawFraction(random: RandomSource): number {
  return Number.parseInt(random.text(8, '0123456789abcdef'), 16) / 2 ** 32;
}

export function createRandomSource(): RandomSource {
  let block = randomBytes(BLOCK_BYTES);
  let used = 0;
  return {
    uuid: () => randomUUID(),
    text(length, alphabet) {
      if (used + length > BLOCK_BYTES) {
        block = randomBytes(BLOCK_BYTES);
        used = 0;
      }
      let text = '';
      for (let i = 0; i < length; i++) text += alphabet[block[used++]! % alphabet.length];
      return text;
    },
  };
}
