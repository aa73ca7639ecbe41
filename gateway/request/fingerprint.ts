import { hash } from 'node:crypto';
import { CanonicalJson } from './canonical-json.ts';

const canonical = new CanonicalJson();

/** Returns a digest that is equal for every notation of the same JSON value: sorted keys, no white space. */
export function fingerprintOf(json: unknown): string {
  return hash('sha256', canonical.bytesOf(json), 'base64url' as 'base64');
}
