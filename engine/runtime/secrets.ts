import { createHash, randomBytes } from 'node:crypto';
import { createRandomSource } from './random.ts';

const BASE62 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const KEY_CHARS = 40;
const SIGNING_BYTES = 32;

const random = createRandomSource();

/** `prefix` and as many base62 characters. */
export function newSecret(prefix: string, chars: number): string {
  let text = '';
  // 64 divides 256 evenly, 62 does not: draw from 64 and pass over the two that are no base62 characters.
  while (text.length < chars) text += random.text(1, `${BASE62}-_`).replace(/[-_]/, '');
  return `${prefix}${text}`;
}

/** `dk_live_` and 40 base62 characters; only its hash is ever stored. */
export function newApiKey(): string {
  return newSecret('dk_live_', KEY_CHARS);
}

/** SHA-256, hex: what is stored and looked up instead of a key or a token. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** `whsec_` and 32 bytes in base64: what deliveries of a webhook are signed with, and stored as it is. */
export function newSigningSecret(): string {
  return `whsec_${randomBytes(SIGNING_BYTES).toString('base64')}`;
}
