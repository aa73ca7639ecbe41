import { hash } from 'node:crypto';
import { CanonicalJson } from './canonical-json.ts';

const canonical = new CanonicalJson();

/** The same for every way to write the same JSON value: keys in order, no white space. */
export function fingerprintOf(json: unknown): string {
  return hash('sha256', canonical.bytesOf(json), 'base64url' as 'base64');
}
