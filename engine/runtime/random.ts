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

/** Characters are drawn in blocks, one of each alphabet: a code is a piece of one, instead of a call for each. */
const BLOCK_CHARS = 8_192;

/** Evenly from 0 up to 1. */
export function drawFraction(random: RandomSource): number {
  return Number.parseInt(random.text(8, '0123456789abcdef'), 16) / 2 ** 32;
}

export function createRandomSource(): RandomSource {
  const blocks = new Map<string, { readonly text: string; used: number }>();
  return {
    uuid: () => randomUUID(),
    text(length, alphabet) {
      let block = blocks.get(alphabet);
      if (!block || block.used + length > BLOCK_CHARS) {
        block = { text: drawBlock(alphabet), used: 0 };
        blocks.set(alphabet, block);
      }
      block.used += length;
      return block.text.slice(block.used - length, block.used);
    },
  };
}

function drawBlock(alphabet: string): string {
  const bytes = randomBytes(BLOCK_CHARS);
  for (let i = 0; i < BLOCK_CHARS; i++) bytes[i] = alphabet.charCodeAt(bytes[i]! % alphabet.length);
  return bytes.toString('latin1');
}
